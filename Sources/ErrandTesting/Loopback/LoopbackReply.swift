public import struct Foundation.Data

/// A loopback server's reply to a request: a script of steps.
///
/// A reply that sends half a body, waits for the test, and then sends the rest:
///
///     let message = LoopbackMessage(body: .declared(10, sent: Data("01234".utf8)))
///     let reply = LoopbackReply(.message(message), .hold(gate), .bytes(Data("56789".utf8)))
///
/// After the last step, the connection continues with the next request, or is closed if the reply or the request says
/// so. If the client closes its end, the rest of the script is skipped and the connection is closed.
public struct LoopbackReply: Sendable {
    /// One step of a reply.
    public enum Step: Sendable {
        /// Sends a message with its framing; without its body if the request was a HEAD.
        case message(LoopbackMessage)
        /// Sends exactly these bytes.
        case bytes(Data)
        /// Waits for an interval, rounded up to milliseconds.
        case wait(Duration)
        /// Sends bytes in pieces of `chunk` bytes with an interval between them.
        case drip(Data, chunk: Int, every: Duration)
        /// Waits until a gate is open.
        case hold(LoopbackGate)
        /// Resets the connection, once the peer's system has received the output (waiting for that a second at most).
        case reset
        /// Closes the connection.
        case close
        /// Closes the sending side of the connection and discards further bytes, so that the client reads all output
        /// and then the end.
        case hangUp
        /// Reads the request's body, or its first bytes, and continues with the steps that a closure returns.
        ///
        /// For a reply that begins before the body has arrived, see ``Route/early(_:_:handler:)``. If the client closes
        /// the connection before, the closure is called with the received part, and its steps are skipped.
        case receive(atMost: Int, then: @Sendable (LoopbackContent) -> [Step])
        /// Stalls; the connection stays open until the client closes it or the server stops.
        case stall
    }

    /// The steps in order.
    public var steps: [Step]

    /// A Boolean value that indicates whether the connection is closed after the last step even if the client would
    /// keep it open.
    ///
    /// Messages then have `Connection: close`.
    public var closesConnection: Bool

    /// Creates a reply from its steps.
    public init(steps: [Step], closesConnection: Bool = false) {
        self.steps = steps
        self.closesConnection = closesConnection
    }

    /// Creates a reply from its steps.
    public init(_ steps: Step...) {
        self.init(steps: steps)
    }

    // MARK: - Changing a reply

    /// Returns this reply, delayed by an interval.
    public func delayed(by delay: Duration) -> LoopbackReply {
        LoopbackReply(steps: [.wait(delay)] + steps, closesConnection: closesConnection)
    }

    /// Returns this reply, held until a gate is open.
    public func held(by gate: LoopbackGate) -> LoopbackReply {
        LoopbackReply(steps: [.hold(gate)] + steps, closesConnection: closesConnection)
    }

    /// Returns this reply, with the connection closed after it.
    public func closing() -> LoopbackReply {
        LoopbackReply(steps: steps, closesConnection: true)
    }
}
