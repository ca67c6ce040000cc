internal import Errand
internal import Foundation

/// The same small request through a whole client, so many at once.
struct ClientLoad {
    /// How large the body of each response is.
    let size: Int

    private let client: Client
    /// The transport, unless it is the client's own.
    private let transport: (any Transport)?
    private let endpoint: GetTarget
    private let width: Int

    /// Makes a client and sends its first requests, which connect.
    init(_ url: String, width: Int, transport: BenchTransport?) async throws {
        let transport = try transport?.make()
        self.transport = transport
        self.client = Client {
            $0.transport = transport
            $0.limits = Scheduler.Limits(total: width, perHost: width)
        }
        self.endpoint = GetTarget(path: .url(url))
        self.width = width
        self.size = try await self.client.send(self.endpoint).count
        try await self.send(4 * width)
    }

    /// Ends the client and its transport.
    func stop() async {
        await self.client.shutdown()
        self.transport?.shutdown()
    }

    /// Sends so many requests.
    func pace(of requests: Int) async throws -> Pace {
        let (start, cpuStart) = (ContinuousClock.now, ProcessUsage.cpuTime)
        try await self.send(requests)
        let (time, cpuTime) = (ContinuousClock.now - start, ProcessUsage.cpuTime - cpuStart)
        return Pace(perSecond: Double(requests) / (time / .seconds(1)), cpuTime: cpuTime / requests)
    }

    private func send(_ requests: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<self.width {
                // What cannot be shared out evenly goes to the first ones.
                let share = requests / self.width + (index < requests % self.width ? 1 : 0)
                group.addTask { try await self.sendInTurn(share) }
            }
            try await group.waitForAll()
        }
    }

    private func sendInTurn(_ count: Int) async throws {
        for _ in 0..<count {
            let size = try await self.client.send(self.endpoint).count
            guard size == self.size else { throw BenchError("a body has \(size) bytes instead of \(self.size)") }
        }
    }
}

/// A call that answers bytes.
private struct GetTarget: Endpoint {
    typealias Response = Data
    let path: Path
}
