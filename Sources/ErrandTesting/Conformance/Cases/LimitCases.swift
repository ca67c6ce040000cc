internal import Errand
internal import Foundation

extension TransportConformance {
    private static func into(_ limit: Int) -> ConformanceExchange {
        ConformanceExchange(destination: .memory(limit: limit))
    }

    /// The size limit of a body in memory.
    static let limitCases: [Case] = [
        Case(
            "limit-reached", "A body that is as large as the limit is accepted",
            into(5), reply: .ok("Content-Length: 5"), is: .response()),
        Case(
            "limit-reached-chunked", "A body in chunks that is as large as the limit is accepted",
            into(5), reply: .chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), is: .response()),
        Case(
            "limit-reached-until-close", "A body until close that is as large as the limit is accepted",
            into(5), reply: .ok(), then: .close, is: .response()),
        Case(
            "limit-passed", "A body that is one byte larger than the limit is too large",
            into(4), reply: .ok("Content-Length: 5"), is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-chunked", "A body in chunks that is one byte larger than the limit is too large",
            into(4), reply: .chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-until-close", "A body until close that is one byte larger than the limit is too large",
            into(4), reply: .ok(), then: .close, is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-before-the-end", "A body is too large as soon as it exceeds the limit, not at its end",
            into(4), reply: .chunked("5\r\nhello\r\n"), then: .stall, is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-by-a-length",
            "A length beyond the limit is too large before the body has arrived",
            into(4), reply: .ok("Content-Length: 9000000000"), then: .stall, is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-by-an-error", "The limit applies to every status",
            into(4), reply: .message("HTTP/1.1 404 Not Found", "Content-Length: 5", body: "hello"),
            is: .failure(.bodyTooLarge)),
        Case(
            "limit-zero", "A limit of zero accepts an empty body",
            into(0), reply: .ok("Content-Length: 0", body: ""), is: .response(body: "")),
        Case(
            "limit-zero-passed", "A limit of zero accepts no bytes",
            into(0), reply: .ok("Content-Length: 1", body: "a"), is: .failure(.bodyTooLarge)),
    ]
}
