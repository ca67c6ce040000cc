public import struct Foundation.Data

/// What a loopback server does about a request: a script of steps.
///
/// A reply that sends half a body, waits for the test, and then sends the rest:
///
///     let message = LoopbackMessage(body: .declared(10, sent: Data("01234".utf8)))
///     let reply = LoopbackReply(.message(message), .hold(gate), .bytes(Data("56789".utf8)))
///
/// After the last step the connection goes on to the next request, or is closed where the reply or the request says
/// so. When the client closes its end, the rest of the script is dropped and the connection is closed.
public struct LoopbackReply: Sendable {
    /// One step of a reply.
    public enum Step: Sendable {
        /// Sends a message with its framing; without its body if the request was a HEAD.
        case message(LoopbackMessage)
        /// Sends exactly these bytes.
        case bytes(Data)
        /// Lets an interval pass, rounded up to milliseconds.
        case wait(Duration)
        /// Sends bytes in pieces of `chunk` bytes with an interval between each two.
        case drip(Data, chunk: Int, every: Duration)
        /// Waits until a gate is open.
        case hold(LoopbackGate)
        /// Resets the connection, once the peer's system has taken what was sent (waiting for that a second at most).
        case reset
        /// Closes the connection.
        case close
        /// Closes the connection for what is sent on it, and throws away what still comes: the client reads all that was
        /// sent before, and then that there is no more.
        case hangUp
        /// Takes the body of the request, or its first bytes, and goes on with what a closure makes of them.
        ///
        /// For a reply that is begun before the body is there, see ``Route/early(_:_:handler:)``. When the client goes away
        /// before that, the closure is called with what has come, and nothing is done after it.
        case receive(atMost: Int, then: @Sendable (LoopbackContent) -> [Step])
        /// Does nothing more; the connection stays open until the client closes it or the server stops.
        case stall
    }

    /// The steps in the order in which they are done.
    public var steps: [Step]

    /// Whether the connection is closed after the last step even if the client would keep it open.
    ///
    /// Messages then say `Connection: close`.
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

    /// Returns this reply, begun only after an interval.
    public func delayed(by delay: Duration) -> LoopbackReply {
        LoopbackReply(steps: [.wait(delay)] + steps, closesConnection: closesConnection)
    }

    /// Returns this reply, begun only when a gate is open.
    public func held(by gate: LoopbackGate) -> LoopbackReply {
        LoopbackReply(steps: [.hold(gate)] + steps, closesConnection: closesConnection)
    }

    /// Returns this reply with the connection closed after it.
    public func closing() -> LoopbackReply {
        LoopbackReply(steps: steps, closesConnection: true)
    }
}
