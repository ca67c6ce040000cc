/// What a ``LoopbackServer`` answers to the requests that a route is for; handlers run on its thread.
public typealias LoopbackRoute = Route<LoopbackRequest, LoopbackReply>

extension Route where Request == LoopbackRequest, Reply == LoopbackReply {
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
        LoopbackRoute(method, pattern, handler: handler).early()
    }
}
