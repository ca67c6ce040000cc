internal import Errand
internal import Foundation

extension TransportConformance {
    /// The chunked transfer coding, RFC 9112 §7.1.
    static let chunkedCases: [Case] = wholeChunkedCases + brokenChunkedCases + doubtfulCodingCases

    private static let wholeChunkedCases: [Case] = [
        Case(
            "chunked", "Chunks are joined", reply: .chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), is: .response()),
        Case(
            "chunked-empty", "The last chunk may be the only one", reply: .chunked("0\r\n\r\n"), is: .response(body: "")
        ),
        Case(
            "chunked-any-case", "Neither the coding nor hexadecimal digits have a case, and sizes may begin with zeros",
            reply: .ok("transfer-encoding: CHUNKED", body: "00A\r\nhellohello\r\nb\r\n, you there\r\n000\r\n\r\n"),
            is: .response(body: "hellohello, you there")),
        Case(
            "chunked-many", "A thousand chunks of one byte are joined",
            reply: Data.chunked(String(repeating: "1\r\na\r\n", count: 1000) + "0\r\n\r\n"),
            is: .response(body: String(repeating: "a", count: 1000))),
        Case(
            "chunked-extensions", "Chunk extensions are ignored",
            reply: .chunked("5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n"), is: .response()),
        Case(
            "chunked-trailers", "Trailers belong neither to the body nor to the head",
            reply: .chunked("5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", "Trailer: X-Sum"),
            is: .response(where: "with the body hello and without X-Sum in its head") {
                $0.data == Data("hello".utf8) && !$0.headers.contains("X-Sum")
            }),
        Case(
            "trailers", "Trailers are those of the response, whatever they are named",
            needs: .receivesTrailers,
            reply: .chunked("5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Sum:  2 \r\nContent-Length: 9\r\n\r\n"),
            is: .response(where: "with X-Sum twice in its trailers, and a Content-Length there") {
                $0.data == Data("hello".utf8) && $0.trailers.values(for: "X-Sum") == ["1", "2"]
                    && $0.trailers["Content-Length"] == "9" && !$0.headers.contains("X-Sum")
            }),
        Case(
            "trailers-none", "A response without trailers has none", reply: .chunked("5\r\nhello\r\n0\r\n\r\n"),
            is: .response(where: "without trailers") { $0.data == Data("hello".utf8) && $0.trailers.isEmpty }),
        Case(
            "chunked-trailers-that-frame", "Trailers do not change the framing of the message",
            reply: .chunked("5\r\nhello\r\n0\r\nContent-Length: 3\r\nTransfer-Encoding: gzip\r\n\r\n"),
            is: .response().or(.failure(.invalidResponse))),
    ]

    private static let brokenChunkedCases: [Case] = [
        Case(
            "chunked-cut-in-a-chunk", "A body that is cut in a chunk is lost",
            reply: .chunked("5\r\nhe"), then: .close, is: .failure(.connectionLost)),
        Case(
            "chunked-cut-in-a-size", "A body that is cut in the size of a chunk is lost",
            reply: .chunked("5\r\nhello\r\n1"), then: .close, is: .failure(.connectionLost)),
        Case(
            "chunked-cut-before-the-last", "A body without the last chunk is lost",
            reply: .chunked("5\r\nhello\r\n"), then: .close, is: .failure(.connectionLost)),
        Case(
            "chunked-cut-in-the-trailers", "A body that is cut after the last chunk is complete, or is lost",
            reply: .chunked("5\r\nhello\r\n0\r\n"), then: .close, is: .response().or(.failure(.connectionLost))),
        Case(
            "chunked-size-no-number", "A size that is not a number is an invalid response",
            reply: .chunked("zz\r\nhello\r\n0\r\n\r\n"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "chunked-size-missing", "A size without a digit is an invalid response",
            reply: .chunked("\r\nhello\r\n0\r\n\r\n"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "chunked-size-negative", "A negative size is an invalid response",
            reply: .chunked("-5\r\nhello\r\n0\r\n\r\n"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "chunked-size-largest", "The largest size of 63 bits is an error before memory is allocated for it",
            reply: .chunked("7fffffffffffffff\r\nhello"), then: .close,
            is: .failure(.connectionLost, .bodyTooLarge, .invalidResponse)),
        Case(
            "chunked-size-64-bits", "A size that is negative as a signed number is an error",
            reply: .chunked("fffffffffffffffb\r\nhello"), then: .close,
            is: .failure(.connectionLost, .bodyTooLarge, .invalidResponse)),
        Case(
            "chunked-size-beyond-64-bits", "A size that overflows is an error",
            reply: .chunked("ffffffffffffffffffff5\r\nhello\r\n0\r\n\r\n"), then: .close,
            is: .failure(.invalidResponse, .bodyTooLarge)),
        Case(
            "chunked-size-too-small", "A chunk that is longer than its size is an invalid response",
            reply: .chunked("3\r\nhello\r\n0\r\n\r\n"), then: .close, is: .failure(.invalidResponse)),
    ]

    private static let doubtfulCodingCases: [Case] = [
        Case(
            "chunked-and-length", "Chunks override a length, or both together are an error (RFC 9112 §6.3)",
            reply: .chunked("5\r\nhello\r\n0\r\n\r\n", "Content-Length: 3"),
            is: .response().or(.failure(.invalidResponse))),
        Case(
            "length-and-chunked", "Chunks override a length that comes first, or both together are an error",
            reply: .ok("Content-Length: 3", "Transfer-Encoding: chunked", body: "5\r\nhello\r\n0\r\n\r\n"),
            is: .response().or(.failure(.invalidResponse))),
        Case(
            "chunked-1-0", "Chunks with HTTP/1.0 are joined, or are an error, but never delivered undecoded",
            reply: .message("HTTP/1.0 200 OK", "Transfer-Encoding: chunked", body: "5\r\nhello\r\n0\r\n\r\n"),
            then: .close, is: .response().or(.failure(.invalidResponse))),
        Case(
            "transfer-coding-unknown", "An unknown transfer coding is an invalid response",
            reply: .ok("Transfer-Encoding: odd"), then: .close, is: .failure(.invalidResponse)),
    ]
}
