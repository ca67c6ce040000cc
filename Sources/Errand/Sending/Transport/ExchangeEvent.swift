/// An event during an exchange.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ExchangeEvent: Sendable {
    /// The exchange has a connection, new or reused.
    case connected
    /// An interim response was received (RFC 9110 §15.2): status 100 to 199 except 101.
    case interimResponse(HTTPResponse.Head)
    /// The head of the response was received.
    case responseHead(HTTPResponse.Head)
    /// Bytes of the request body have been sent.
    case sent(TransferProgress)
    /// Bytes of the response body have been received.
    case received(TransferProgress)
    /// The exchange is over, with its metrics.
    case finished(ExchangeMetrics)
    /// A message for the user of the transport: a fallback, or a check that is switched off.
    case notice(String)
}

/// The progress of a body.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes transferred so far.
    public let bytes: Int64
    /// The total number of bytes, if known.
    public let total: Int64?

    /// Creates a progress.
    public init(bytes: Int64, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// Returns the progress with an offset added, for a body that is continued.
    func continuing(from offset: Int64) -> TransferProgress {
        TransferProgress(bytes: offset + self.bytes, total: self.total.map { offset + $0 })
    }
}
