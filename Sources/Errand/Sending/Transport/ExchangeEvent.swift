/// What happens during an exchange.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ExchangeEvent: Sendable {
    /// There is a connection to send on, a new one or one that was open.
    case connected
    /// A response before the response (RFC 9110 §15.2): its status is 100 to 199, and not 101.
    case interimResponse(HTTPResponse.Head)
    /// The head of the response is there.
    case responseHead(HTTPResponse.Head)
    /// Bytes of the request body have been sent.
    case sent(TransferProgress)
    /// Bytes of the response body have been received.
    case received(TransferProgress)
    /// The exchange is over, and this is where its time went.
    case finished(ExchangeMetrics)
    /// Something that the user of the transport should know, in words: a fallback, or a check that is switched off.
    case notice(String)
}

/// How far a body has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far.
    public let bytes: Int64
    /// Bytes in all, where known.
    public let total: Int64?

    /// Creates a progress.
    public init(bytes: Int64, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// The progress of a body of which so many bytes were there before.
    func continuing(from offset: Int64) -> TransferProgress {
        TransferProgress(bytes: offset + self.bytes, total: self.total.map { offset + $0 })
    }
}
