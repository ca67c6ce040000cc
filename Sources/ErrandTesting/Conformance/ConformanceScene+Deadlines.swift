internal import Errand

/// An endpoint at which the server of a case stalls.
struct ConformanceEndpoint: Endpoint {
    var path: EndpointPath { "case" }
    var method = HTTPMethod.get
    var body = RequestBody.none
}

/// A call in flight, and the clock for its deadlines.
final class ConformanceCall: Sendable {
    private let heads = LoopbackMilestone()
    private let bytes = LoopbackMilestone()
    fileprivate let clock = TestClock()

    /// Waits until the client has the head of the response.
    func waitForHead() async { _ = await self.heads.wait(for: 1) }

    /// Waits until the client has the given number of body bytes.
    func waitForBytes(_ count: Int) async { _ = await self.bytes.wait(for: count) }

    /// Advances the clock, and waits until the deadline's timer has been set again.
    func advance(by duration: Duration) async {
        await self.clock.waitForSleeper()
        self.clock.advance(by: duration)
        await self.clock.waitForSleeper()
    }
}

extension ConformanceCall: Accessory {
    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        switch event {
        case .responseHead: self.heads.advance()
        case .received(let progress):
            for _ in Int64(self.bytes.count)..<max(Int64(self.bytes.count), progress.bytes) { self.bytes.advance() }
        default: break
        }
    }
}

extension ConformanceScene {
    /// Creates a server that accepts connections and sends no bytes.
    func silentServer() throws(ConformanceFailure) -> LoopbackServer {
        var options = LoopbackOptions()
        options.isSilent = true
        do {
            return try LoopbackServer(options: options)
        } catch {
            throw self.failure("a server", "\(error)")
        }
    }

    /// Sends a call through a client, lets time pass from a point on until it ends, and requires the error for a
    /// deadline.
    func passDeadline(
        _ timeouts: Timeouts, _ endpoint: ConformanceEndpoint, at baseURL: String? = nil,
        from point: @escaping @Sendable () async -> Void
    ) async throws(ConformanceFailure) {
        let call = ConformanceCall()
        let error = await self.error(of: endpoint, timeouts, call, at: baseURL) {
            await point()
            // A deadline that progress extends may be extended once more by a late event.
            while !Task.isCancelled {
                await call.clock.waitForSleeper()
                call.clock.advance(by: .seconds(30))
            }
        }
        try self.require("the code of the error", error?.code, is: .timedOut)
    }

    /// Sends a call through a client, performs an action meanwhile, and requires a response.
    func meetDeadline(
        _ timeouts: Timeouts, _ body: @escaping @Sendable (ConformanceCall) async -> Void
    ) async throws(ConformanceFailure) {
        let call = ConformanceCall()
        // Ensures that there is a deadline until the end.
        var timeouts = timeouts
        timeouts.total = .seconds(86_400)
        let error = await self.error(of: ConformanceEndpoint(), timeouts, call, at: nil) { await body(call) }
        if let error { throw self.failure("a response", "the error \(error)") }
    }

    private func error(
        of endpoint: ConformanceEndpoint, _ timeouts: Timeouts, _ call: ConformanceCall, at baseURL: String?,
        beside body: @escaping @Sendable () async -> Void
    ) async -> ErrandError? {
        let client = Client(baseURL: baseURL ?? self.server.baseURL) {
            $0.transport = self.transport
            $0.options = RequestOptions().timeouts(timeouts)
            $0.environment.clock = call.clock
            $0.accessories = [call]
        }
        self.note("waiting for a deadline to pass")
        let error = await withTaskGroup(of: ErrandError?.self) { group in
            group.addTask {
                await body(); return nil
            }
            let error = await Self.error(of: endpoint, client)
            group.cancelAll()
            return error
        }
        await client.shutdown()
        return error
    }

    private static func error(of endpoint: ConformanceEndpoint, _ client: Client) async -> ErrandError? {
        do throws(ErrandError) {
            _ = try await client.send(endpoint)
            return nil
        } catch {
            return error
        }
    }
}
