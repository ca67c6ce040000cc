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
    let matches: Predicate
    let handler: Handler

    /// Creates a route for the requests that a predicate accepts.
    public init(where matches: @escaping Predicate, handler: @escaping Handler) {
        self.init(key: nil, matches: matches, handler: handler)
    }

    /// Creates a route for a method and a path.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire; with `*` at its end, every path that begins with what is before.
    ///   - handler: Makes the reply.
    public init(_ method: String, _ pattern: String, handler: @escaping Handler) {
        let isPrefix = pattern.hasSuffix("*")
        let path = isPrefix ? String(pattern.dropLast()) : pattern
        self.init(
            key: Key(method: method, pattern: pattern),
            matches: { request in
                guard method == "*" || request.method == method else { return false }
                return isPrefix ? request.path.hasPrefix(path) : request.path == path
            },
            handler: handler)
    }

    private init(key: Key?, matches: @escaping Predicate, handler: @escaping Handler) {
        self.key = key
        self.matches = matches
        self.handler = handler
    }
}
