internal import struct Foundation.Data

/// One accepted connection; accessed only on the loop's thread.
final class LoopbackConnection {
    /// The state of a connection.
    enum Phase {
        /// Between replies: bytes go to the parser; a request or a refusal makes it `replying`.
        case reading
        /// The script's next action is due; it leads to any other state.
        case replying
        /// Output waits for the socket; then `replying`.
        case sending(Data, sent: Int)
        /// A timer runs; then `replying`.
        case sleeping
        /// A gate is closed; then `replying`.
        case held(LoopbackGate)
        /// The body of the request, or its first bytes, must come first; then `replying`.
        case receiving(limit: Int, then: @Sendable (LoopbackContent) -> [LoopbackReply.Step])
        /// No more is sent; ends when the client closes the connection.
        case stalled
        /// A reset waits until the peer has received the output, at most until `deadline`; then `closed`.
        case resetting(deadline: ContinuousClock.Instant)
        /// A refusal or an early response was sent; further bytes are discarded until the client closes or a timer
        /// ends; then `closed`.
        case draining
        /// The connection is closed.
        case closed
    }

    /// The number of bytes that may wait here during a reply; beyond it, the client has to wait.
    private static let waitingLimit = 256 * 1024

    let number: Int
    let socket: Int32
    var phase = Phase.reading
    var parser: LoopbackParser
    var script: LoopbackScript
    /// The index of the connection in the loop's table.
    var slot = 0
    /// The id of the current timer.
    var timer: Int?
    /// True once the request whose body is being read has been answered.
    var isAnsweredEarly = false
    /// The complete body of the request that is being answered.
    var body: Data?
    /// True if bytes were refused, so that the rest must be drained before closing.
    var isRefused = false

    init(number: Int, socket: Int32, options: LoopbackOptions) {
        self.number = number
        self.socket = socket
        parser = LoopbackParser(options: options, connectionNumber: number)
        script = LoopbackScript(interimStatus: 100)
    }

    /// True if the loop should poll for bytes to read.
    var wantsToRead: Bool {
        switch phase {
        case .reading, .receiving, .draining: true
        case .replying, .sending, .sleeping, .held, .stalled, .resetting: parser.waitingBytes < Self.waitingLimit
        case .closed: false
        }
    }

    /// True if the loop should poll for room in the socket.
    var wantsToWrite: Bool {
        if case .sending = phase { true } else { false }
    }
}
