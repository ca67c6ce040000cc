public import Errand
internal import ErrandLocks

/// A transport without a network, which responds from routes and records the requests.
///
/// Each instance is independent. Routes are tried in order, and the first that matches a request provides the reply;
/// see ``Routing``. A request that matches no route fails with `ErrandError.Code.cannotConnect`, and the error lists
/// the routes.
public final class StubTransport: Transport {
    private struct State {
        var routes = RouteTable<HTTPRequest, StubReply>()
        var received: [HTTPRequest] = []
        var receivedCount = 0
        var active = 0
        var peak = 0
        var isShutDown = false
    }

    private let state = Locked(State())
    private let recordLimit: Int

    /// Creates a transport without routes.
    ///
    /// - Parameter recordLimit: The number of latest requests to record; all of them are counted.
    public init(recordLimit: Int = 10_000) {
        self.recordLimit = recordLimit
    }

    // MARK: - Recorded requests

    /// The last requests, oldest first.
    public var received: [HTTPRequest] { self.state.withLock { $0.received } }

    /// The number of all requests.
    public var receivedCount: Int { self.state.withLock { $0.receivedCount } }

    /// The number of exchanges in flight.
    public var activeCount: Int { self.state.withLock { $0.active } }

    /// The largest number of exchanges that were in flight at once.
    public var peakCount: Int { self.state.withLock { $0.peak } }

    /// A Boolean value that indicates whether the transport was shut down.
    public var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    // MARK: - Transport

    /// Responds from the first route that matches.
    ///
    /// - Throws: The `ErrandError` of the reply, or `ErrandError.Code.cancelled`.
    public func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async throws(ErrandError) -> HTTPResponse {
        let reply = try self.begin(request)
        defer { self.state.withLock { $0.active -= 1 } }
        return try await reply.play(context, isForHead: request.method == .head)
    }

    /// Refuses further requests.
    public func shutdown() {
        self.state.withLock { $0.isShutDown = true }
    }

    private func begin(_ request: HTTPRequest) throws(ErrandError) -> StubReply {
        let (routes, isShutDown) = self.state.withLock { state in
            state.receivedCount += 1
            if self.recordLimit > 0 {
                // Dropping half at once keeps recording cheap.
                if state.received.count / 2 >= self.recordLimit { state.received.removeFirst(self.recordLimit) }
                state.received.append(request)
            }
            return (state.routes, state.isShutDown)
        }
        guard !isShutDown else { throw ErrandError(.clientShutDown, "the transport was shut down") }
        // Outside the lock: a predicate may use this transport.
        guard let route = routes.route(for: request) else {
            let asked = "\(request.method.rawValue) \(request.url.redacted)"
            throw ErrandError(.cannotConnect, "no route for \(asked); \(routes.summary)")
        }
        self.state.withLock { state in
            state.active += 1
            state.peak = max(state.peak, state.active)
        }
        return route.reply(to: request)
    }
}

extension StubTransport: Routing {
    /// A 200 without content.
    public static var emptyReply: StubReply { .status(200) }

    /// Appends a route, or replaces the one with the same method and pattern.
    public func add(_ route: StubRoute) {
        self.state.withLock { $0.routes.add(route) }
    }

    /// Replaces all routes.
    public func replaceRoutes(with routes: [StubRoute] = []) {
        self.state.withLock { $0.routes = RouteTable(routes) }
    }
}
