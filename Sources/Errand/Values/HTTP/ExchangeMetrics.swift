/// Where the time of one exchange went, what it moved, and over which connection.
///
/// Moments are counted from when the exchange was handed to the transport; one that is missing was not reached, is not
/// known to the transport, or did not happen: a connection that was open already has no name lookup and no TLS.
public struct ExchangeMetrics: Sendable, Hashable {
    /// The version of HTTP that an exchange spoke.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum HTTPVersion: String, Sendable, Hashable {
        /// HTTP/1.0.
        case http1_0 = "HTTP/1.0"
        /// HTTP/1.1 (RFC 9112).
        case http1_1 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
        /// HTTP/3 (RFC 9114).
        case http3 = "HTTP/3"
    }

    /// When the transport began to work on it.
    public var started: Duration?
    /// When the name of the host was resolved.
    public var nameResolved: Duration?
    /// When the connection was made, to the host or to a proxy.
    public var connected: Duration?
    /// When TLS was agreed on.
    public var secured: Duration?
    /// When the sending of the request began.
    public var requestStarted: Duration?
    /// When the first byte of the response came.
    public var firstByte: Duration?
    /// When the last byte of the response was there.
    public var finished: Duration?
    /// Bytes of the request body that were sent.
    public var bytesSent: Int64 = 0
    /// Bytes of the response body as they came over the wire, before any decoding.
    public var bytesReceived: Int64 = 0
    /// The version of HTTP.
    public var httpVersion: HTTPVersion?
    /// The address of the other end, without its port.
    public var remoteAddress: String?
    /// Whether the connection had served an exchange before.
    public var isConnectionReused = false

    /// Creates metrics of which nothing is known yet.
    public init() {}
}
