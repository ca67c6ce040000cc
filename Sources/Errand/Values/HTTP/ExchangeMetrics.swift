/// The metrics of an exchange: timings, sizes and connection.
///
/// Times are relative to the start of the exchange in the transport. A missing one was not reached, is not known to the
/// transport, or did not occur: a reused connection has no name lookup and no TLS handshake.
public struct ExchangeMetrics: Sendable, Hashable {
    /// The HTTP version of an exchange.
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

    /// The time at which the transport started the exchange.
    public var started: Duration?
    /// The time at which the host name was resolved.
    public var nameResolved: Duration?
    /// The time at which the connection was established, to the host or to a proxy.
    public var connected: Duration?
    /// The time at which the TLS handshake was complete.
    public var secured: Duration?
    /// The time at which the transport started to send the request.
    public var requestStarted: Duration?
    /// The time at which the first byte of the response was received.
    public var firstByte: Duration?
    /// The time at which the last byte of the response was received.
    public var finished: Duration?
    /// The number of bytes of the request body that were sent.
    public var bytesSent: Int64 = 0
    /// The number of bytes of the response body that were received, before decoding.
    public var bytesReceived: Int64 = 0
    /// The HTTP version.
    public var httpVersion: HTTPVersion?
    /// The address of the peer, without its port.
    public var remoteAddress: String?
    /// A Boolean value that indicates whether the connection was used by an earlier exchange.
    public var isConnectionReused = false

    /// Creates empty metrics.
    public init() {}
}
