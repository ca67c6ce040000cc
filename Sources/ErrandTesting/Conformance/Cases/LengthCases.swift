internal import Errand
internal import Foundation

extension TransportConformance {
    /// Bodies whose end is determined by a length or by the end of the connection, RFC 9112 §6.
    static let lengthCases: [Case] = lengthFieldCases + wrongLengthFieldCases + closeDelimitedCases

    private static let lengthFieldCases: [Case] = [
        Case("length", "A body has the length that is given", reply: .ok("Content-Length: 5"), is: .response()),
        Case(
            "length-zero", "A body may be empty",
            reply: .ok("Content-Length: 0", body: ""), is: .response(body: "")),
        Case(
            "length-leading-zeros", "A length may begin with zeros",
            reply: .ok("Content-Length: 0005"), is: .response()),
        Case(
            "length-too-long", "A connection that is closed before the length is reached is lost",
            reply: .ok("Content-Length: 10"), then: .close, is: .failure(.connectionLost)),
        Case(
            "length-too-short", "Bytes after the length belong to no body and to no other response, or are an error",
            reply: .ok("Content-Length: 3"), is: .response(body: "hel").or(.failure(.invalidResponse))),
        Case(
            "length-hides-a-response", "A response that follows a body is not delivered for the next request",
            reply: Data.ok("Content-Length: 5") + Data.ok("Content-Length: 4", body: "evil"),
            is: .response().or(.failure(.invalidResponse))),
        Case(
            "length-twice", "The same length given twice is that length, or an error",
            reply: .ok("Content-Length: 5", "Content-Length: 5"), is: .response().or(.failure(.invalidResponse))),
        Case(
            "length-twice-in-a-list", "The same length given twice in a list is that length, or an error",
            reply: .ok("Content-Length: 5, 5"), then: .close, is: .response().or(.failure(.invalidResponse))),
        Case(
            "length-conflicting", "Two lengths that differ are an invalid response, the shorter first",
            reply: .ok("Content-Length: 3", "Content-Length: 5"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-conflicting-downwards", "Two lengths that differ are an invalid response, the longer first",
            reply: .ok("Content-Length: 5", "Content-Length: 3"), then: .close, is: .failure(.invalidResponse)),
    ]

    private static let wrongLengthFieldCases: [Case] = [
        Case(
            "length-conflicting-in-a-list", "A list of lengths that differ is an invalid response",
            reply: .ok("Content-Length: 5, 6"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-negative", "A negative length is an invalid response",
            reply: .ok("Content-Length: -5"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-with-a-plus", "A length with a sign is an invalid response",
            reply: .ok("Content-Length: +5"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-no-number", "A length that is not a number is an invalid response",
            reply: .ok("Content-Length: five"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-number-and-more", "A length with trailing characters is an invalid response",
            reply: .ok("Content-Length: 5x"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-hexadecimal", "A length that is not decimal is an invalid response",
            reply: .ok("Content-Length: 0x5"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-empty", "A length without a digit is an invalid response",
            reply: .ok("Content-Length:"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "length-largest", "The largest length of 64 bits is an error before memory is allocated for it",
            reply: .ok("Content-Length: 9223372036854775807"), then: .close,
            is: .failure(.bodyTooLarge, .connectionLost)),
        Case(
            "length-beyond-64-bits", "A length that overflows is an error",
            reply: .ok("Content-Length: 99999999999999999999"), then: .close,
            is: .failure(.invalidResponse, .bodyTooLarge, .connectionLost)),
    ]

    private static let closeDelimitedCases: [Case] = [
        Case(
            "until-close", "A body without a length ends with the connection",
            reply: .ok(), then: .close, is: .response()),
        Case(
            "until-close-empty", "A body without a length may be empty",
            reply: .ok(body: ""), then: .close, is: .response(body: "")),
        Case(
            "until-close-1-0", "A body without a length ends with the connection with HTTP/1.0",
            reply: .message("HTTP/1.0 200 OK", body: "hello"), then: .close, is: .response()),
        Case(
            "length-1-0", "A length counts with HTTP/1.0 too",
            reply: .message("HTTP/1.0 200 OK", "Content-Length: 5", body: "hello"), then: .close, is: .response()),
        Case(
            "length-cut-1-0", "A length that is not reached is an error with HTTP/1.0 too",
            reply: .message("HTTP/1.0 200 OK", "Content-Length: 10", body: "hello"), then: .close,
            is: .failure(.connectionLost)),
        Case(
            "until-reset", "A body without a length that ends with a reset is incomplete: the connection is lost",
            reply: .ok(), then: .reset, is: .failure(.connectionLost)),
    ]
}
