internal import Errand
internal import Foundation

extension TransportConformance {
    /// The status line of a response, RFC 9112 §4.
    static let statusLineCases: [Case] = [
        Case(
            "not-http", "Bytes that are not HTTP are an invalid response",
            reply: Data("SSH-2.0-server\r\n".utf8), then: .close, is: .failure(.invalidResponse)),
        Case(
            "not-http-at-all", "A body without a head, as HTTP/0.9 had it, is an invalid response",
            reply: Data("<html>hello</html>".utf8), then: .close, is: .failure(.invalidResponse)),
        Case(
            "empty-reply",
            "A connection that is closed before the first byte is lost, and the request is not sent again",
            reply: Data(), then: .close, is: .failure(.connectionLost)),
        Case(
            "status-line-cut", "A status line that is cut is an error",
            reply: Data("HTTP/1.1 20".utf8), then: .close, is: .brokenHead),
        Case(
            "status-line-cut-at-its-end", "A status line without the end of its line is an error",
            reply: Data("HTTP/1.1 200 OK".utf8), then: .close, is: .brokenHead),
        Case(
            "status-line-only", "A status line without the empty line that ends a head is an error",
            reply: Data("HTTP/1.1 200 OK\r\n".utf8), then: .close, is: .brokenHead),
        Case(
            "reason-missing", "A status line may end with the code",
            reply: .message("HTTP/1.1 200", "Content-Length: 5", body: "hello"), is: .response()),
        Case(
            "reason-empty", "A reason may be empty",
            reply: .message("HTTP/1.1 200 ", "Content-Length: 5", body: "hello"), is: .response()),
        Case(
            "reason-any-bytes", "A reason may have bytes beyond ASCII",
            reply: Data("HTTP/1.1 200 caf".utf8) + [0xE9] + Data("\r\nContent-Length: 5\r\n\r\nhello".utf8),
            is: .response()),
        Case(
            "status-unregistered", "An unregistered status is delivered",
            reply: .message("HTTP/1.1 299 Odd", "Content-Length: 5", body: "hello"), is: .response(299)),
        Case(
            "status-highest", "The highest status is delivered",
            reply: .message("HTTP/1.1 599 Odd", "Content-Length: 5", body: "hello"), is: .response(599)),
        Case(
            "status-error", "An error status is not an error of the transport",
            reply: .message("HTTP/1.1 500 Oh", "Content-Length: 5", body: "hello"), is: .response(500)),
        Case(
            "status-beyond-599", "A status beyond 599 is delivered as it is, or is an error",
            reply: .message("HTTP/1.1 999 Odd", "Content-Length: 5", body: "hello"),
            is: .response(999).or(.failure(.invalidResponse))),
        Case(
            "status-two-digits", "A status of two digits is an invalid response",
            reply: .message("HTTP/1.1 99 Low", "Content-Length: 5", body: "hello"), then: .close,
            is: .failure(.invalidResponse)),
        Case(
            "status-four-digits", "A status of four digits is an invalid response",
            reply: .message("HTTP/1.1 2000 Much", "Content-Length: 5", body: "hello"), then: .close,
            is: .failure(.invalidResponse)),
        Case(
            "status-no-number", "A status that is not a number is an invalid response",
            reply: .message("HTTP/1.1 2x0 OK", "Content-Length: 5", body: "hello"), then: .close,
            is: .failure(.invalidResponse)),
        Case(
            "status-negative", "A status with a sign is an invalid response",
            reply: .message("HTTP/1.1 -200 OK", "Content-Length: 5", body: "hello"), then: .close,
            is: .failure(.invalidResponse)),
        Case(
            "version-unknown", "A major version that does not exist is an invalid response",
            reply: .message("HTTP/3.7 200 OK", "Content-Length: 5", body: "hello"), then: .close,
            is: .failure(.invalidResponse)),
    ]
}
