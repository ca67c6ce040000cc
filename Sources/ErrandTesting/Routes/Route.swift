internal import ErrandLocks

/// What is answered to the requests that a route is for.
///
/// ``StubRoute`` and ``LoopbackRoute`` are the two kinds there are.
public struct Route<Request: RoutedRequest, Reply: Sendable>: Sendable {
    /// Decides whether a route is for a request.
    public typealias Predicate = @Sendable (Request) -> Bool
    /// Makes the reply to a request.
    public typealias Handler = @Sendable (Request) -> Reply
    /// Makes the reply to a request, given how often the route has been used, this time included.
    public typealias CountingHandler = @Sendable (Request, Int) -> Reply

    /// A method and a pattern, for the routes that were made of them.
    struct Key: Sendable, Hashable {
        /// `nil` for every method.
        let method: String?
        let pattern: RoutePattern

        func matches(_ request: Request, as method: String) -> Bool {
            (self.method == nil || self.method == method) && self.pattern.matches(request)
        }
    }

    /// Copies of a route count together.
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
    /// Whether requests are answered before their bodies are read.
    private(set) var isEarly = false

    private let predicate: Predicate
    private let handler: CountingHandler
    private let uses = Uses()

    // MARK: - Creating

    /// Creates a route for the requests that a predicate accepts.
    public init(where matches: @escaping Predicate, handler: @escaping Handler) {
        self.init(where: matches) { request, _ in handler(request) }
    }

    /// Creates a route for the requests that a predicate accepts, with a handler that is told how often it was used.
    public init(where matches: @escaping Predicate, answer: @escaping CountingHandler) {
        self.key = nil
        self.predicate = matches
        self.handler = answer
    }

    /// Creates a route for a method and a path or URL.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire, or a whole URL; with `*` at its end, all that begin with what is
    ///     before. With a query the query has to be the same, without one any will do. One with `{` or `}`, or with a
    ///     `*` for a segment before its end, matches nothing: use a predicate.
    ///   - handler: Makes the reply.
    public init(_ method: String, _ pattern: String, handler: @escaping Handler) {
        self.init(method, pattern) { request, _ in handler(request) }
    }

    /// Creates a route for a method and a path or URL, with a handler that is told how often it was used.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: As for the other.
    ///   - answer: Makes the reply.
    public init(_ method: String, _ pattern: String, answer: @escaping CountingHandler) {
        let key = Key(method: method == "*" ? nil : method, pattern: RoutePattern(pattern))
        self.key = key
        self.predicate = { key.matches($0, as: $0.routedMethod) }
        self.handler = answer
    }

    /// The same route, used as soon as a request's head is there.
    func early() -> Route {
        var route = self
        route.isEarly = true
        return route
    }

    // MARK: - Using

    func matches(_ request: Request) -> Bool { self.predicate(request) }

    /// Tells whether a HEAD for which there is no route may be answered as the GET that this route is for.
    func matchesHeadAsGet(_ request: Request) -> Bool {
        self.key?.method == "GET" && self.key?.matches(request, as: "GET") == true
    }

    /// Makes the reply, and counts.
    func reply(to request: Request) -> Reply {
        self.handler(request, self.uses.next())
    }
}

extension Route: CustomStringConvertible {
    /// The method and the pattern, with the reason if nothing can match it.
    public var description: String {
        guard let key = self.key else { return "what a predicate accepts" }
        let reason = key.pattern.problem.map { " (matches nothing: \($0))" } ?? ""
        return "\(key.method ?? "*") \(key.pattern.text)\(reason)"
    }
}
