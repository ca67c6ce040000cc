internal import Errand
internal import Foundation

extension TransportConformance {
    private static let head = ConformanceExchange(method: .head)

    /// Responses that have no content whatever their fields say, RFC 9112 §6.3.
    static let bodilessCases: [Case] = [
        Case(
            "status-204", "A 204 has no content",
            reply: .message("HTTP/1.1 204 No Content"), is: .response(204, body: "")),
        Case(
            "status-204-with-length", "A 204 has no content although a length is given",
            reply: .message("HTTP/1.1 204 No Content", "Content-Length: 5"), is: .response(204, body: "")),
        Case(
            "status-204-chunked", "A 204 has no content although a transfer coding is given",
            reply: .message("HTTP/1.1 204 No Content", "Transfer-Encoding: chunked"), is: .response(204, body: "")),
        Case(
            "status-204-with-content", "Bytes that follow a 204 belong to no response, or are an error",
            reply: .message("HTTP/1.1 204 No Content", "Content-Length: 5", body: "hello"),
            is: .response(204, body: "").or(.failure(.invalidResponse))),
        Case(
            "status-304-with-length", "A 304 has no content although a length is given",
            reply: .message("HTTP/1.1 304 Not Modified", "Content-Length: 5", "ETag: \"a\""),
            is: .response(304, fields: ["ETag": "\"a\""], body: "")),
        Case(
            "status-304-chunked", "A 304 has no content although a transfer coding is given",
            reply: .message("HTTP/1.1 304 Not Modified", "Transfer-Encoding: chunked"), is: .response(304, body: "")),
        Case(
            "head-with-length", "A response to HEAD has no content although a length is given", head,
            reply: .ok("Content-Length: 5", body: ""), is: .response(fields: ["Content-Length": "5"], body: "")),
        Case(
            "head-beyond-the-limit", "The length in a response to HEAD may be larger than any limit",
            ConformanceExchange(method: .head, destination: .memory(limit: 10)),
            reply: .ok("Content-Length: 9000000000", body: ""),
            is: .response(fields: ["Content-Length": "9000000000"], body: "")),
        Case(
            "head-chunked", "A response to HEAD has no content although a transfer coding is given", head,
            reply: .ok("Transfer-Encoding: chunked", body: ""), is: .response(body: "")),
        Case(
            "head-without-length", "A response to HEAD ends with its head, not with the connection", head,
            reply: .ok("X-A: 1", body: ""), is: .response(fields: ["X-A": "1"], body: "")),
        Case(
            "head-error", "A response to HEAD has no content whatever its status", head,
            reply: .message("HTTP/1.1 404 Not Found", "Content-Length: 5"), is: .response(404, body: "")),
    ]
}
