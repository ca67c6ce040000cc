/// Deadlines of a request, measured by the client's clock.
///
/// Errand keeps them; transports have none of their own.
public struct Timeouts: Sendable, Hashable {
    /// For one attempt: from the slot to the end of the body.
    public var attempt: Duration?
    /// For the whole request: from its start to its answer, waiting for a slot and all attempts included.
    public var total: Duration?

    /// Creates deadlines; nothing means none.
    public init(attempt: Duration? = .seconds(60), total: Duration? = nil) {
        self.attempt = attempt
        self.total = total
    }

    /// No deadline at all.
    public static let none = Timeouts(attempt: nil, total: nil)
}
