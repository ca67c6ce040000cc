public import Errand

public import struct Foundation.Data

extension LoopbackReply {
    /// Never responds, and leaves the connection open.
    public static var stall: LoopbackReply { LoopbackReply(.stall) }

    /// Closes the connection without a response.
    public static var close: LoopbackReply { LoopbackReply(.close) }

    /// Resets the connection without a response.
    public static var reset: LoopbackReply { LoopbackReply(.reset) }

    /// Sends a part of a head and closes the connection.
    public static func cutHeader(_ beginning: String = "HTTP/1.1 200 OK\r\nContent-Le") -> LoopbackReply {
        LoopbackReply(.bytes(Data(beginning.utf8)), .close)
    }

    /// Sends a complete head and the first `count` bytes of a body, then resets the connection.
    public static func resetInBody(after count: Int, of body: Data, status: HTTPStatus = 200) -> LoopbackReply {
        LoopbackReply(.message(cut(body, after: count, status: status)), .reset)
    }

    /// Sends a complete head and the first `count` bytes of a body, then stalls with the connection open.
    public static func stallInBody(after count: Int, of body: Data, status: HTTPStatus = 200) -> LoopbackReply {
        LoopbackReply(.message(cut(body, after: count, status: status)), .stall)
    }

    /// Declares a body of `declared` bytes, sends other bytes instead, and closes the connection.
    public static func shortBody(declared: Int, sent: Data, status: HTTPStatus = 200) -> LoopbackReply {
        LoopbackReply(.message(LoopbackMessage(status: status.code, body: .declared(declared, sent: sent))), .close)
    }

    /// Sends a body in pieces of `chunk` bytes with an interval between them.
    public static func dripped(_ body: Data, chunk: Int, every interval: Duration) -> LoopbackReply {
        let head = LoopbackMessage(body: .declared(body.count, sent: Data()))
        return LoopbackReply(.message(head), .drip(body, chunk: chunk, every: interval))
    }

    private static func cut(_ body: Data, after count: Int, status: HTTPStatus) -> LoopbackMessage {
        LoopbackMessage(status: status.code, body: .declared(body.count, sent: body.prefix(max(0, count))))
    }
}
