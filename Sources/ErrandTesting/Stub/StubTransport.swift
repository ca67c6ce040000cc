public import Errand
internal import ErrandLocks

/// A transport without a network: answers requests from routes that the test sets up, and keeps what it received.
///
/// Each instance is a world of its own. Routes are tried in order; the first that matches answers. A request that no
/// route matches fails with `ErrandError.Code.cannotConnect`.
public final class StubTransport: Transport {
    private final class Route: Sendable {
        let matches: @Sendable (HTTPRequest) -> Bool
        let answer: @Sendable (HTTPRequest, Int) -> StubReply
        let uses = Locked(0)

        init(
            _ matches: @escaping @Sendable (HTTPRequest) -> Bool,
            _ answer: @escaping @Sendable (HTTPRequest, Int) -> StubReply
        ) {
            self.matches = matches
            self.answer = answer
        }
    }

    private struct State {
        var routes: [Route] = []
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
    /// - Parameter recordLimit: How many of the last requests are kept; all of them are counted.
    public init(recordLimit: Int = 10_000) {
        self.recordLimit = recordLimit
    }

    // MARK: - Routes

    /// Answers requests that match with replies in turn; the last one is repeated.
    public func route(where matches: @escaping @Sendable (HTTPRequest) -> Bool, _ replies: StubReply...) {
        self.route(where: matches) { _, use in
            replies.isEmpty ? .status(200) : replies[min(use, replies.count) - 1]
        }
    }

    /// Answers requests to a path with replies in turn; the last one is repeated.
    ///
    /// A trailing `*` matches any rest.
    public func route(_ path: String, method: HTTPMethod? = nil, _ replies: StubReply...) {
        self.route(where: Self.matcher(path, method)) { _, use in
            replies.isEmpty ? .status(200) : replies[min(use, replies.count) - 1]
        }
    }

    /// Answers requests that match with what a function makes of them.
    ///
    /// - Parameters:
    ///   - matches: Tells whether the route is for a request.
    ///   - answer: Makes the reply; given the request, and how often the route has been used, this time included.
    public func route(
        where matches: @escaping @Sendable (HTTPRequest) -> Bool,
        answer: @escaping @Sendable (HTTPRequest, Int) -> StubReply
    ) {
        self.state.withLock { $0.routes.append(Route(matches, answer)) }
    }

    /// Forgets all routes.
    public func removeRoutes() {
        self.state.withLock { $0.routes = [] }
    }

    private static func matcher(_ path: String, _ method: HTTPMethod?) -> @Sendable (HTTPRequest) -> Bool {
        let path = path.hasPrefix("/") ? path : "/" + path
        let prefix = path.hasSuffix("*") ? String(path.dropLast()) : nil
        return { request in
            guard method == nil || request.method == method else { return false }
            if let prefix { return request.url.path.hasPrefix(prefix) }
            return request.url.path == path
        }
    }

    // MARK: - What it saw

    /// The last requests, oldest first.
    public var received: [HTTPRequest] { self.state.withLock { $0.received } }

    /// How many requests came in all.
    public var receivedCount: Int { self.state.withLock { $0.receivedCount } }

    /// How many exchanges are under way.
    public var activeCount: Int { self.state.withLock { $0.active } }

    /// The most exchanges that were under way at once.
    public var peakCount: Int { self.state.withLock { $0.peak } }

    /// Tells whether the transport was shut down.
    public var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    // MARK: - Transport

    /// Answers from the first route that matches.
    ///
    /// - Throws: `ErrandError` as the reply says, or `ErrandError.Code.cancelled`.
    public func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async throws(ErrandError) -> HTTPResponse {
        let reply = try self.begin(request)
        defer { self.state.withLock { $0.active -= 1 } }
        return try await reply.play(context)
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
        // Without the lock: a predicate may look at this transport.
        guard let route = routes.first(where: { $0.matches(request) }) else {
            throw ErrandError(.cannotConnect, "no route for \(request.method.rawValue) \(request.url.redacted)")
        }
        let use = route.uses.withLock { uses in
            uses += 1
            return uses
        }
        self.state.withLock { state in
            state.active += 1
            state.peak = max(state.peak, state.active)
        }
        return route.answer(request, use)
    }
}
