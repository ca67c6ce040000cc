internal import Errand
internal import Foundation

extension TransportConformance {
    private static let asking = ConformanceExchange(headers: ["Accept-Encoding": "gzip"])
    private static let hello = ConformanceGzip.stored(Data("hello".utf8))

    private static func gzip(_ content: Data, length: Int? = nil) -> Data {
        .ok("Content-Encoding: gzip", "Content-Length: \(length ?? content.count)", body: "") + content
    }

    /// Content codings, RFC 9110 §8.4, and the limit on decoded content.
    static let codingCases: [Case] = [
        Case(
            "gzip", "Compressed content is decoded", needs: .decodesContent, asking, reply: gzip(hello), is: .response()
        ),
        Case(
            "gzip-well-packed", "Content with a high compression ratio is decoded", needs: .decodesContent, asking,
            reply: gzip(ConformanceGzip.repeating(97, matches: 100)),
            is: .response(body: String(repeating: "a", count: 25_801))),
        Case(
            "gzip-chunked", "Compressed content in chunks is decoded", needs: .decodesContent, asking,
            reply: .ok(
                "Content-Encoding: gzip", "Transfer-Encoding: chunked", body: String(hello.count, radix: 16) + "\r\n")
                + hello + Data("\r\n0\r\n\r\n".utf8),
            is: .response()),
        Case(
            "gzip-empty", "Empty content needs no decoding", needs: .decodesContent, asking, reply: gzip(Data()),
            is: .response(body: "")),
        Case(
            "gzip-head", "A response to HEAD has no content to decode", needs: .decodesContent,
            ConformanceExchange(method: .head, headers: ["Accept-Encoding": "gzip"]),
            reply: .ok("Content-Encoding: gzip", "Content-Length: 28", body: ""), is: .response(body: "")),
        Case(
            "gzip-bad", "Content that is not in its declared coding is invalid", needs: .decodesContent, asking,
            reply: gzip(Data("hello".utf8)), is: .failure(.invalidResponse)),
        Case(
            "gzip-checksum-wrong", "Compressed content with a wrong checksum is invalid", needs: .decodesContent,
            asking,
            reply: gzip(hello.dropLast(8) + Data(repeating: 0, count: 4) + hello.suffix(4)),
            is: .failure(.invalidResponse)),
        Case(
            "gzip-cut", "Compressed content that is cut with the connection is lost", needs: .decodesContent, asking,
            reply: gzip(hello.dropLast(10), length: hello.count), then: .close,
            is: .failure(.connectionLost, .invalidResponse)),
        Case(
            "gzip-fits-the-limit", "The limit applies to decoded content: content that just fits is accepted",
            needs: .decodesContent,
            ConformanceExchange(headers: ["Accept-Encoding": "gzip"], destination: .memory(limit: 25_801)),
            reply: gzip(ConformanceGzip.repeating(97, matches: 100)),
            is: .response(body: String(repeating: "a", count: 25_801))),
        Case(
            "gzip-bomb", "Small compressed content that exceeds the limit when decoded is too large",
            needs: .decodesContent,
            ConformanceExchange(headers: ["Accept-Encoding": "gzip"], destination: .memory(limit: 1 << 20)),
            reply: gzip(ConformanceGzip.repeating(97, matches: 50_000, isChecked: false)), is: .failure(.bodyTooLarge)),
        Case(
            "gzip-bomb-without-end", "Decoded content that exceeds the limit is too large before its end has arrived",
            needs: .decodesContent,
            ConformanceExchange(headers: ["Accept-Encoding": "gzip"], destination: .memory(limit: 1 << 20)),
            reply: gzip(ConformanceGzip.repeating(97, matches: 50_000, isChecked: false), length: 1 << 19),
            then: .stall, is: .failure(.bodyTooLarge)),
        Case(
            "gzip-undecoded", "Compressed content is delivered as it is if the transport does not decode it",
            lacks: .decodesContent, asking, reply: gzip(hello), is: .response(body: hello)),
        Case(
            "coding-unknown", "Content in an unknown coding is delivered as it is, or is an error",
            reply: .ok("Content-Encoding: odd", "Content-Length: 5"), is: .response().or(.failure(.invalidResponse))),
        Case(
            "coding-identity", "Content in the identity coding is delivered as it is",
            reply: .ok("Content-Encoding: identity", "Content-Length: 5"), is: .response()),
    ]
}
