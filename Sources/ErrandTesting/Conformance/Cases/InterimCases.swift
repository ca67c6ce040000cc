internal import Errand
internal import Foundation

extension TransportConformance {
    /// Interim responses, RFC 9110 §15.2.
    static let interimCases: [Case] = [
        Case(
            "interim-100", "An unexpected 100 is not the response",
            reply: Data.message("HTTP/1.1 100 Continue") + Data.ok("Content-Length: 5"), is: .response()),
        Case(
            "interim-102", "A 102 is not the response",
            reply: Data.message("HTTP/1.1 102 Processing") + Data.ok("Content-Length: 5"), is: .response()),
        Case(
            "interim-103", "A 103 is not the response, and its fields are not those of the response",
            reply: Data.message("HTTP/1.1 103 Early Hints", "X-Hint: 1", "Content-Length: 9")
                + Data.ok("Content-Length: 5"),
            is: .response(where: "with the body hello and without X-Hint") {
                $0.data == Data("hello".utf8) && !$0.headers.contains("X-Hint")
            }),
        Case(
            "interim-many", "Fifty interim responses are skipped",
            reply: (0..<50).reduce(Data()) { data, _ in data + Data.message("HTTP/1.1 103 Early Hints", "Link: </a>") }
                + Data.ok("Content-Length: 5"),
            is: .response()),
        Case(
            "interim-only", "A connection that is closed after an interim response is an error",
            reply: .message("HTTP/1.1 100 Continue"), then: .close, is: .brokenHead),
        Case(
            "interim-cut", "A response that is cut after an interim one is an error",
            reply: Data.message("HTTP/1.1 103 Early Hints", "Link: </a>") + Data("HTTP/1.1 200 OK\r\nCont".utf8),
            then: .close, is: .brokenHead),
        Case(
            "switching-protocols", "An unexpected 101 is an error, or the response",
            reply: .message("HTTP/1.1 101 Switching Protocols", "Upgrade: odd", "Connection: upgrade"), then: .close,
            is: ConformanceExpectation.failure(.invalidResponse, .connectionLost, .unsupported)
                .or(.response(where: "with status 101") { $0.status == 101 })),
    ]
}
