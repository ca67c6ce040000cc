/// Deadlines of a request, measured by the client's clock.
///
/// Errand keeps them; transports have none of their own. One that passes ends its attempt, or the whole request, with
/// ``ErrandError/Code/timedOut`` and a message that says which one it was. A request that is redirected, or asked for
/// credentials, makes several attempts; each has deadlines of its own, but for ``total``.
public struct Timeouts: Sendable, Hashable {
    /// From the slot to a connection.
    ///
    /// A transport that does not tell about its connections has met it when the head of the response is there.
    public var connect: Duration?
    /// From the slot to the head of the response.
    public var firstByte: Duration?
    /// The longest time without anything sent or received, from the slot on.
    ///
    /// The body of a stream is waited for only while its reader asks for more: one that takes its time is not late.
    public var idle: Duration?
    /// For one attempt: from the slot to the end of the body.
    public var attempt: Duration?
    /// For the whole request: from its start to its answer, waiting for slots and all attempts included.
    public var total: Duration?

    /// Creates deadlines; nothing means none.
    public init(
        connect: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil,
        attempt: Duration? = .seconds(60), total: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// No deadline at all.
    public static let none = Timeouts(attempt: nil, total: nil)
}
