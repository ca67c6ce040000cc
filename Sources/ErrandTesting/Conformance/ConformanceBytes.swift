internal import Errand
internal import Foundation

extension Data {
    /// Returns a head with the given lines, an empty line, and a body.
    static func message(_ lines: String..., body: String = "") -> Data {
        Data((lines.map { $0 + "\r\n" }.joined() + "\r\n" + body).utf8)
    }

    /// Returns a head with status 200 and the given fields, and a body.
    static func ok(_ fields: String..., body: String = "hello") -> Data {
        Data((["HTTP/1.1 200 OK"] + fields + ["", body]).joined(separator: "\r\n").utf8)
    }

    /// Returns a message in the chunked coding with the given bytes after the head.
    static func chunked(_ chunks: String, _ fields: String...) -> Data {
        let head = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + fields
        return Data((head + ["", chunks]).joined(separator: "\r\n").utf8)
    }

    /// The length of the block is a prime, so that it never lines up with the chunks of a transport.
    private static let patternBlock = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8) })

    /// Returns bytes in which no part looks like its neighbor.
    static func pattern(_ count: Int) -> Data {
        var data = Data(capacity: count)
        while data.count < count { data.append(Self.patternBlock.prefix(count - data.count)) }
        return data
    }
}

extension TransportConformance.Case {
    /// The server's action after a reply.
    enum End: Sendable {
        /// Continues with the next request.
        case open
        /// Closes the connection.
        case close
        /// Resets the connection.
        case reset
        /// Keeps the connection open and sends no more.
        case stall

        fileprivate var steps: [LoopbackReply.Step] {
            switch self {
            case .open: []
            case .close: [.close]
            case .reset: [.reset]
            case .stall: [.stall]
            }
        }
    }

    /// Creates a case that is one exchange: one request, the bytes of its reply, and the expected outcome.
    init(
        _ id: String, _ title: String, needs: TransportConformance.Abilities = [],
        lacks: TransportConformance.Abilities = [], _ exchange: ConformanceExchange = ConformanceExchange(),
        reply: Data, then end: End = .open, is expectation: ConformanceExpectation
    ) {
        self.init(id, title, needs: needs, lacks: lacks) { scene throws(ConformanceFailure) in
            scene.answer(LoopbackReply(steps: [.bytes(reply)] + end.steps))
            try await scene.expect(expectation, of: exchange)
            try scene.require("the number of requests", scene.server.receivedCount, is: 1)
        }
    }
}
