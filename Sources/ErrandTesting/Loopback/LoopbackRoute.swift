/// What a loopback server answers to the requests it is meant for.
public struct LoopbackRoute: Sendable {
    /// Decides whether a route is meant for a request.
    public typealias Predicate = @Sendable (LoopbackRequest) -> Bool
    /// Makes the reply to a request; runs on the server's thread, so it must not block.
    public typealias Handler = @Sendable (LoopbackRequest) -> LoopbackReply

    /// A method and a pattern, for the routes that were made of them.
    struct Key: Hashable {
        let method: String
        let pattern: String
    }

    let key: Key?
    /// Whether requests are answered before their bodies are read.
    let isEarly: Bool
    let matches: Predicate
    let handler: Handler

    /// Creates a route for the requests that a predicate accepts.
    public init(where matches: @escaping Predicate, handler: @escaping Handler) {
        self.init(key: nil, isEarly: false, matches: matches, handler: handler)
    }

    /// Creates a route for a method and a path.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire; with `*` at its end, every path that begins with what is before.
    ///   - handler: Makes the reply.
    public init(_ method: String, _ pattern: String, handler: @escaping Handler) {
        self.init(method, pattern, isEarly: false, handler: handler)
    }

    /// Creates a route that answers a request as soon as its head is there, before its body is read.
    ///
    /// The handler gets the request without its body, unless that came along with the head, and a client that expects a
    /// 100 is not sent one. While the reply is under way no more is taken from the client than the socket and 256 KiB
    /// hold, so a reply that is held at a gate stops a larger body. After the reply the rest of the body is read; then
    /// the request is counted and kept.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire; with `*` at its end, every path that begins with what is before.
    ///   - handler: Makes the reply.
    /// - Returns: The route.
    public static func early(_ method: String, _ pattern: String, handler: @escaping Handler) -> LoopbackRoute {
        LoopbackRoute(method, pattern, isEarly: true, handler: handler)
    }

    private init(_ method: String, _ pattern: String, isEarly: Bool, handler: @escaping Handler) {
        let isPrefix = pattern.hasSuffix("*")
        let path = isPrefix ? String(pattern.dropLast()) : pattern
        self.init(
            key: Key(method: method, pattern: pattern),
            isEarly: isEarly,
            matches: { request in
                guard method == "*" || request.method == method else { return false }
                return isPrefix ? request.path.hasPrefix(path) : request.path == path
            },
            handler: handler)
    }

    private init(key: Key?, isEarly: Bool, matches: @escaping Predicate, handler: @escaping Handler) {
        self.key = key
        self.isEarly = isEarly
        self.matches = matches
        self.handler = handler
    }
}
