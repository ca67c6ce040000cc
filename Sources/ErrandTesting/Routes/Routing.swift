public import Errand

/// What answers requests from routes: ``StubTransport`` and ``LoopbackServer``.
///
/// Routes are tried in their order; the first that is for a request answers it. A route with the method and pattern of
/// another takes its place; any other goes behind all. A HEAD that has no route goes to the route for GET. All of it
/// may be called from any isolation domain, also while requests are answered, and holds from the next request on.
public protocol Routing: Sendable {
    /// The requests that come.
    associatedtype Request: RoutedRequest
    /// What is answered.
    associatedtype Reply: Sendable

    /// The reply of a route without replies: 200 without content.
    static var emptyReply: Reply { get }

    /// Adds a route behind the others, or puts it in the place of the one with the same method and pattern.
    func add(_ route: Route<Request, Reply>)

    /// Puts other routes in place of all there are.
    func replaceRoutes(with routes: [Route<Request, Reply>])
}

extension Routing {
    /// Answers requests to a path or URL with replies in turn; the last one is repeated.
    ///
    /// - Parameters:
    ///   - pattern: The path as it is on the wire, or a whole URL; with `*` at its end, all that begin with what is
    ///     before. With a query the query has to be the same, without one any will do.
    ///   - method: The method, or `nil` for every method.
    ///   - replies: The replies.
    public func route(_ pattern: String, method: HTTPMethod? = nil, _ replies: Reply...) {
        self.add(Route(method?.rawValue ?? "*", pattern, answer: Self.inTurn(replies)))
    }

    /// Answers a method and a path or URL with replies in turn; the last one is repeated.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire, or a whole URL; with `*` at its end, all that begin with what is
    ///     before. With a query the query has to be the same, without one any will do.
    ///   - replies: The replies.
    public func route(_ method: String, _ pattern: String, _ replies: Reply...) {
        self.add(Route(method, pattern, answer: Self.inTurn(replies)))
    }

    /// Answers a method and a path or URL with what a handler makes.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire, or a whole URL; with `*` at its end, all that begin with what is
    ///     before. With a query the query has to be the same, without one any will do.
    ///   - handler: Makes the reply; a server runs it on its thread, so it must not block.
    public func route(
        _ method: String, _ pattern: String, handler: @escaping Route<Request, Reply>.Handler
    ) {
        self.add(Route(method, pattern, handler: handler))
    }

    /// Answers requests that match with replies in turn; the last one is repeated.
    public func route(where matches: @escaping Route<Request, Reply>.Predicate, _ replies: Reply...) {
        self.add(Route(where: matches, answer: Self.inTurn(replies)))
    }

    /// Answers requests that match with what a handler makes of them.
    ///
    /// - Parameters:
    ///   - matches: Tells whether the route is for a request.
    ///   - handler: Makes the reply; a server runs it on its thread, so it must not block.
    public func route(
        where matches: @escaping Route<Request, Reply>.Predicate, handler: @escaping Route<Request, Reply>.Handler
    ) {
        self.add(Route(where: matches, handler: handler))
    }

    /// Answers requests that match with what a function makes of them.
    ///
    /// - Parameters:
    ///   - matches: Tells whether the route is for a request.
    ///   - answer: Makes the reply; given the request, and how often the route has been used, this time included.
    public func route(
        where matches: @escaping Route<Request, Reply>.Predicate,
        answer: @escaping Route<Request, Reply>.CountingHandler
    ) {
        self.add(Route(where: matches, answer: answer))
    }

    /// Forgets all routes.
    public func removeRoutes() {
        self.replaceRoutes(with: [])
    }

    private static func inTurn(_ replies: [Reply]) -> Route<Request, Reply>.CountingHandler {
        { _, use in replies.isEmpty ? Self.emptyReply : replies[min(use, replies.count) - 1] }
    }
}
