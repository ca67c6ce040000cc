/// A route of a ``LoopbackServer``; its handlers run on the server's thread.
public typealias LoopbackRoute = Route<LoopbackRequest, LoopbackReply>

extension Route where Request == LoopbackRequest, Reply == LoopbackReply {
    /// Creates a route that responds to a request as soon as its head has arrived, before its body is read.
    ///
    /// The handler gets the request without its body, except for the part that arrived along with the head, and a
    /// client that expects a 100 is not sent one. During the reply, no more is read from the client than the socket and
    /// 256 KiB hold, so a reply that is held at a gate stops a larger body. After the reply the rest of the body is
    /// read; then the request is counted and recorded.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The encoded path; a `*` at its end matches any rest.
    ///   - handler: Returns the reply.
    /// - Returns: The route.
    public static func early(_ method: String, _ pattern: String, handler: @escaping Handler) -> LoopbackRoute {
        LoopbackRoute(method, pattern, handler: handler).early()
    }
}
