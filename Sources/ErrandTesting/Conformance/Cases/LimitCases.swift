internal import Errand
internal import Foundation

extension TransportConformance {
    private static func into(_ limit: Int) -> ConformanceExchange {
        ConformanceExchange(destination: .memory(limit: limit))
    }

    /// The limit of a body that goes to memory.
    static let limitCases: [Case] = [
        Case(
            "limit-reached", "A body that is as large as the limit is fine",
            into(5), reply: .ok("Content-Length: 5"), is: .response()),
        Case(
            "limit-reached-chunked", "The same in chunks",
            into(5), reply: .chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), is: .response()),
        Case(
            "limit-reached-until-close", "The same until the end of the connection",
            into(5), reply: .ok(), then: .close, is: .response()),
        Case(
            "limit-passed", "A body that is one byte larger than the limit is too large",
            into(4), reply: .ok("Content-Length: 5"), is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-chunked", "The same in chunks",
            into(4), reply: .chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-until-close", "The same until the end of the connection",
            into(4), reply: .ok(), then: .close, is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-before-the-end", "A body is too large as soon as the limit is passed, not at its end",
            into(4), reply: .chunked("5\r\nhello\r\n"), then: .stall, is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-by-a-length",
            "A length beyond the limit is enough when the limit is passed, whatever is to come",
            into(4), reply: .ok("Content-Length: 9000000000"), then: .stall, is: .failure(.bodyTooLarge)),
        Case(
            "limit-passed-by-an-error", "The limit holds for every status",
            into(4), reply: .message("HTTP/1.1 404 Not Found", "Content-Length: 5", body: "hello"),
            is: .failure(.bodyTooLarge)),
        Case(
            "limit-zero", "A limit of zero takes an empty body",
            into(0), reply: .ok("Content-Length: 0", body: ""), is: .response(body: "")),
        Case(
            "limit-zero-passed", "A limit of zero takes no byte",
            into(0), reply: .ok("Content-Length: 1", body: "a"), is: .failure(.bodyTooLarge)),
    ]
}
