internal import ErrandLocks

/// A rule that matches requests and returns replies to them.
///
/// ``StubRoute`` and ``LoopbackRoute`` are the two kinds of routes.
public struct Route<Request: RoutedRequest, Reply: Sendable>: Sendable {
    /// Returns whether a route matches a request.
    public typealias Predicate = @Sendable (Request) -> Bool
    /// Returns the reply to a request.
    public typealias Handler = @Sendable (Request) -> Reply
    /// Returns the reply to a request, given the number of times that the route has been used, including this one.
    public typealias CountingHandler = @Sendable (Request, Int) -> Reply

    /// The method and the pattern of a route that was created from them.
    struct Key: Sendable, Hashable {
        /// `nil` for every method.
        let method: String?
        let pattern: RoutePattern

        func matches(_ request: Request, as method: String) -> Bool {
            (self.method == nil || self.method == method) && self.pattern.matches(request)
        }
    }

    /// The use count, which copies of a route share.
    private final class Uses: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            self.count.withLock { count in
                count += 1
                return count
            }
        }
    }

    let key: Key?
    /// True if requests are answered before their bodies are read.
    private(set) var isEarly = false

    private let predicate: Predicate
    private let handler: CountingHandler
    private let uses = Uses()

    // MARK: - Creating

    /// Creates a route for the requests that a predicate accepts.
    public init(where matches: @escaping Predicate, handler: @escaping Handler) {
        self.init(where: matches) { request, _ in handler(request) }
    }

    /// Creates a route for the requests that a predicate accepts, with a handler that gets the use count.
    public init(where matches: @escaping Predicate, answer: @escaping CountingHandler) {
        self.key = nil
        self.predicate = matches
        self.handler = answer
    }

    /// Creates a route for a method and a path or URL.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The encoded path, or a whole URL; a `*` at its end matches any rest. A query must match exactly;
    ///     without one, any query matches. A pattern with `{` or `}`, or with a `*` for a segment before its end,
    ///     matches no request: use a predicate.
    ///   - handler: Returns the reply.
    public init(_ method: String, _ pattern: String, handler: @escaping Handler) {
        self.init(method, pattern) { request, _ in handler(request) }
    }

    /// Creates a route for a method and a path or URL, with a handler that gets the use count.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path or URL, as for `init(_:_:handler:)`.
    ///   - answer: Returns the reply.
    public init(_ method: String, _ pattern: String, answer: @escaping CountingHandler) {
        let key = Key(method: method == "*" ? nil : method, pattern: RoutePattern(pattern))
        self.key = key
        self.predicate = { key.matches($0, as: $0.routedMethod) }
        self.handler = answer
    }

    /// Returns the same route, used as soon as a request's head has arrived.
    func early() -> Route {
        var route = self
        route.isEarly = true
        return route
    }

    // MARK: - Matching

    func matches(_ request: Request) -> Bool { self.predicate(request) }

    /// Returns whether a HEAD that matches no route may be answered by this route for GET.
    func matchesHeadAsGet(_ request: Request) -> Bool {
        self.key?.method == "GET" && self.key?.matches(request, as: "GET") == true
    }

    /// Returns the reply, and increments the use count.
    func reply(to request: Request) -> Reply {
        self.handler(request, self.uses.next())
    }
}

extension Route: CustomStringConvertible {
    /// The method and the pattern, with the reason if it cannot match any request.
    public var description: String {
        guard let key = self.key else { return "a predicate" }
        let reason = key.pattern.problem.map { " (matches nothing: \($0))" } ?? ""
        return "\(key.method ?? "*") \(key.pattern.text)\(reason)"
    }
}
