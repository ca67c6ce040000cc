public import Errand

/// A transport or server that responds from routes: ``StubTransport`` or ``LoopbackServer``.
///
/// Routes are tried in order; the first that matches a request provides the reply. A route with the method and pattern
/// of an existing one replaces it; any other is appended. A HEAD that matches no route is matched against the routes
/// for GET. All members may be called from any isolation domain, also while requests are answered, and take effect with
/// the next request.
public protocol Routing: Sendable {
    /// The type of the requests.
    associatedtype Request: RoutedRequest
    /// The type of the replies.
    associatedtype Reply: Sendable

    /// The reply of a route that was added without replies: 200 without content.
    static var emptyReply: Reply { get }

    /// Appends a route, or replaces the one with the same method and pattern.
    func add(_ route: Route<Request, Reply>)

    /// Replaces all routes.
    func replaceRoutes(with routes: [Route<Request, Reply>])
}

extension Routing {
    /// Responds to requests for a path or URL with replies in turn; the last one is repeated.
    ///
    /// - Parameters:
    ///   - pattern: The encoded path, or a whole URL; a `*` at its end matches any rest. A query must match exactly;
    ///     without one, any query matches.
    ///   - method: The method, or `nil` for every method.
    ///   - replies: The replies.
    public func route(_ pattern: String, method: HTTPMethod? = nil, _ replies: Reply...) {
        self.add(Route(method?.rawValue ?? "*", pattern, answer: Self.inTurn(replies)))
    }

    /// Responds to a method and a path or URL with replies in turn; the last one is repeated.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The encoded path, or a whole URL; a `*` at its end matches any rest. A query must match exactly;
    ///     without one, any query matches.
    ///   - replies: The replies.
    public func route(_ method: String, _ pattern: String, _ replies: Reply...) {
        self.add(Route(method, pattern, answer: Self.inTurn(replies)))
    }

    /// Responds to a method and a path or URL with the replies of a handler.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The encoded path, or a whole URL; a `*` at its end matches any rest. A query must match exactly;
    ///     without one, any query matches.
    ///   - handler: Returns the reply; a server runs it on its thread, so it must not block.
    public func route(
        _ method: String, _ pattern: String, handler: @escaping Route<Request, Reply>.Handler
    ) {
        self.add(Route(method, pattern, handler: handler))
    }

    /// Responds to matching requests with replies in turn; the last one is repeated.
    public func route(where matches: @escaping Route<Request, Reply>.Predicate, _ replies: Reply...) {
        self.add(Route(where: matches, answer: Self.inTurn(replies)))
    }

    /// Responds to matching requests with the replies of a handler.
    ///
    /// - Parameters:
    ///   - matches: Returns whether the route matches a request.
    ///   - handler: Returns the reply; a server runs it on its thread, so it must not block.
    public func route(
        where matches: @escaping Route<Request, Reply>.Predicate, handler: @escaping Route<Request, Reply>.Handler
    ) {
        self.add(Route(where: matches, handler: handler))
    }

    /// Responds to matching requests with the replies of a closure that gets the use count.
    ///
    /// - Parameters:
    ///   - matches: Returns whether the route matches a request.
    ///   - answer: Returns the reply, given the request and the number of times that the route has been used, including
    ///     this one.
    public func route(
        where matches: @escaping Route<Request, Reply>.Predicate,
        answer: @escaping Route<Request, Reply>.CountingHandler
    ) {
        self.add(Route(where: matches, answer: answer))
    }

    /// Removes all routes.
    public func removeRoutes() {
        self.replaceRoutes(with: [])
    }

    private static func inTurn(_ replies: [Reply]) -> Route<Request, Reply>.CountingHandler {
        { _, use in replies.isEmpty ? Self.emptyReply : replies[min(use, replies.count) - 1] }
    }
}
