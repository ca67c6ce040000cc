internal import Errand

internal import struct Foundation.Data

/// A reply in progress: returns one action after another, and performs none itself.
struct LoopbackScript {
    /// The next action.
    enum Action {
        case send(Data)
        case sleep(Duration)
        case hold(LoopbackGate)
        case reset
        case close
        case hangUp
        case receive(limit: Int, then: @Sendable (LoopbackContent) -> [LoopbackReply.Step])
        case stall
        /// The end of the script; the connection continues or is closed.
        case finished(closes: Bool)
    }

    private var steps: [LoopbackReply.Step]
    private let isForHead: Bool
    private let connection: String?
    private let closes: Bool
    private var index = 0
    private var queue: [Action] = []

    /// Begins a reply to a valid request.
    init(_ reply: LoopbackReply, to request: LoopbackRequest) {
        steps = reply.steps
        isForHead = request.method == "HEAD"
        closes = reply.closesConnection || !request.keepsAlive
        connection = closes ? "close" : request.minorVersion == 0 ? "keep-alive" : nil
    }

    /// Begins a reply to bytes that are not an acceptable request.
    init(refusal status: Int) {
        steps = LoopbackReply.status(HTTPStatus(rawValue: status)).steps
        isForHead = false
        closes = true
        connection = "close"
    }

    /// Begins an interim response to a client that waits before it sends its body.
    init(interimStatus status: Int) {
        steps = LoopbackReply.status(HTTPStatus(rawValue: status)).steps
        isForHead = false
        closes = false
        connection = nil
    }

    /// Returns the next action; after `finished`, always that one.
    mutating func next() -> Action {
        while true {
            if let action = queue.popLast() { return action }
            guard index < steps.count else { return .finished(closes: closes) }
            defer { index += 1 }
            switch steps[index] {
            case .message(let message):
                let pieces = message.pieces(isForHead: isForHead, connection: connection)
                queue = pieces.reversed().map(Action.send)
            case .bytes(let data): return .send(data)
            case .wait(let duration): return .sleep(duration)
            case .drip(let data, let size, let interval): queue = Self.drip(data, size: size, interval: interval)
            case .hold(let gate): return .hold(gate)
            case .reset: return .reset
            case .close: return .close
            case .hangUp: return .hangUp
            case .receive(let limit, let then): return .receive(limit: limit, then: then)
            case .stall: return .stall
            }
        }
    }

    /// Inserts steps before the remaining ones.
    mutating func insert(_ more: [LoopbackReply.Step]) {
        steps.insert(contentsOf: more, at: index)
    }

    /// The actions of a drip, last one first.
    private static func drip(_ data: Data, size: Int, interval: Duration) -> [Action] {
        var actions: [Action] = []
        var rest = data
        while !rest.isEmpty {
            if !actions.isEmpty { actions.append(.sleep(interval)) }
            actions.append(.send(rest.prefix(max(1, size))))
            rest = rest.dropFirst(max(1, size))
        }
        return actions.reversed()
    }
}
