internal import struct Foundation.Data

/// One accepted connection; only the loop's thread touches it.
final class LoopbackConnection {
    /// What a connection is about.
    enum Phase {
        /// Between replies: bytes go to the parser; a request or a refusal makes it `replying`.
        case reading
        /// The script's next action is due; it leads to any other state.
        case replying
        /// Output waits until the socket takes it; then `replying`.
        case sending(Data, sent: Int)
        /// A timer runs; then `replying`.
        case sleeping
        /// A gate is closed; then `replying`.
        case held(LoopbackGate)
        /// The body of the request, or its first bytes, must come first; then `replying`.
        case receiving(limit: Int, then: @Sendable (LoopbackContent) -> [LoopbackReply.Step])
        /// Nothing more happens here but the client's closing.
        case stalled
        /// A reset waits until the peer has taken the output, at most until `deadline`; then `closed`.
        case resetting(deadline: ContinuousClock.Instant)
        /// A refusal or an early answer was sent; what the client still sends is thrown away until it closes or a timer
        /// ends; then `closed`.
        case draining
        /// The end.
        case closed
    }

    /// Bytes that may wait here while a reply is under way; beyond it the client has to wait.
    private static let waitingLimit = 256 * 1024

    let number: Int
    let socket: Int32
    var phase = Phase.reading
    var parser: LoopbackParser
    var script: LoopbackScript
    /// Where the connection stands in the loop's table.
    var slot = 0
    /// The ticket of the timer that counts.
    var timer: Int?
    /// Whether the request whose body is being read has been answered.
    var isAnsweredEarly = false
    /// The body of the request that is answered, once all of it is there.
    var body: Data?
    /// Whether bytes were refused, so that the rest must be drained before closing.
    var isRefused = false

    init(number: Int, socket: Int32, options: LoopbackOptions) {
        self.number = number
        self.socket = socket
        parser = LoopbackParser(options: options, connectionNumber: number)
        script = LoopbackScript(interimStatus: 100)
    }

    /// Whether the loop should be told about bytes that come.
    var wantsToRead: Bool {
        switch phase {
        case .reading, .receiving, .draining: true
        case .replying, .sending, .sleeping, .held, .stalled, .resetting: parser.waitingBytes < Self.waitingLimit
        case .closed: false
        }
    }

    /// Whether the loop should be told when the socket takes bytes again.
    var wantsToWrite: Bool {
        if case .sending = phase { true } else { false }
    }
}
