internal import Errand
internal import Foundation

/// The same small request through a whole client, with a number of requests in flight.
struct ClientLoad {
    /// The size of each response body.
    let size: Int

    private let client: Client
    private let endpoint: GetTarget
    private let width: Int

    /// Creates a client and sends its first requests, which establish connections.
    ///
    /// The caller has to shut down the transport, if there is one; otherwise the client has its own.
    init(_ url: String, width: Int, transport: (any Transport)? = nil) async throws {
        self.client = Client {
            $0.transport = transport
            $0.limits.concurrency = RequestScheduler.Limits(total: width, perHost: width)
        }
        self.endpoint = GetTarget(path: .url(url))
        self.width = width
        self.size = try await self.client.send(self.endpoint).count
        _ = try await self.pace(of: 4 * width)
    }

    /// Shuts the client down.
    func stop() async {
        await self.client.shutdown()
    }

    /// Sends the given number of requests.
    func pace(of requests: Int) async throws -> Pace {
        let (start, cpuStart) = (ContinuousClock.now, ProcessUsage.cpuTime)
        _ = try await self.send(requests) { for _ in 0..<$0 { try await self.sendOne() } }
        let (time, cpuTime) = (ContinuousClock.now - start, ProcessUsage.cpuTime - cpuStart)
        return Pace(perSecond: Double(requests) / (time / .seconds(1)), cpuTime: cpuTime / requests)
    }

    /// Sends the given number of requests, and returns their latencies.
    func latencies(of requests: Int) async throws -> Latencies {
        let durations = try await self.send(requests) { count in
            var durations: [Duration] = []
            durations.reserveCapacity(count)
            for _ in 0..<count {
                let start = ContinuousClock.now
                try await self.sendOne()
                durations.append(ContinuousClock.now - start)
            }
            return durations
        }
        return Latencies(durations.flatMap { $0 })
    }

    /// Distributes requests over as many tasks as requests are to be in flight.
    private func send<Value: Sendable>(
        _ requests: Int, _ inTurn: @escaping @Sendable (_ count: Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for index in 0..<self.width {
                // The remainder is distributed over the first tasks.
                let share = requests / self.width + (index < requests % self.width ? 1 : 0)
                group.addTask { try await inTurn(share) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func sendOne() async throws {
        let size = try await self.client.send(self.endpoint).count
        guard size == self.size else { throw BenchError("a body has \(size) bytes instead of \(self.size)") }
    }
}

/// A call whose response is bytes.
struct GetTarget: Endpoint {
    typealias Response = Data
    let path: EndpointPath
}
