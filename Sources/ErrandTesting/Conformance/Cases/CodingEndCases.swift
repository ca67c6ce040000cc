internal import Errand
internal import Foundation

extension TransportConformance {
    private static let hello = ConformanceGzip.stored(Data("hello".utf8))

    private static func asking(
        for destination: ExchangeContext.BodyDestination = .memory(limit: 1 << 20)
    ) -> ConformanceExchange {
        ConformanceExchange(headers: ["Accept-Encoding": "gzip"], destination: destination)
    }

    /// Returns a message that is complete according to its length.
    private static func message(_ content: Data, _ coding: String = "gzip") -> Data {
        .ok("Content-Encoding: \(coding)", "Content-Length: \(content.count)", body: "") + content
    }

    /// Content that is longer or shorter than its coding says, in complete messages.
    static let codingEndCases: [Case] = [
        Case(
            "gzip-cut-within-its-length", "Compressed content that ends early is invalid, though its length is right",
            needs: .decodesContent, asking(), reply: message(hello.dropLast(10)), is: .failure(.invalidResponse)),
        Case(
            "gzip-cut-in-its-trailer", "Compressed content without the last byte of its trailer is invalid",
            needs: .decodesContent, asking(), reply: message(hello.dropLast()), is: .failure(.invalidResponse)),
        Case(
            "gzip-cut-before-a-chunk", "Compressed content that ends early in complete chunks is invalid",
            needs: .decodesContent,
            asking(),
            reply: .chunked("f\r\n", "Content-Encoding: gzip") + hello.prefix(15) + Data("\r\n0\r\n\r\n".utf8),
            is: .failure(.invalidResponse)),
        Case(
            "gzip-cut-before-the-close", "Compressed content that ends early with the connection is invalid",
            needs: .decodesContent,
            asking(), reply: .ok("Content-Encoding: gzip", body: "") + hello.dropLast(3), then: .close,
            is: .failure(.invalidResponse)),
        Case(
            "gzip-and-more", "Bytes after the end of compressed content are invalid", needs: .decodesContent, asking(),
            reply: message(hello + Data("more".utf8)), is: .failure(.invalidResponse)),
        Case(
            "gzip-and-zeros", "Zeros after the end of compressed content are invalid", needs: .decodesContent, asking(),
            reply: message(hello + Data(repeating: 0, count: 512)), is: .failure(.invalidResponse)),
        Case(
            "gzip-length-wrong", "Compressed content whose trailer has another length is invalid",
            needs: .decodesContent, asking(), reply: message(hello.dropLast(4) + Data([4, 0, 0, 0])),
            is: .failure(.invalidResponse)),
        Case(
            "gzip-members", "Several members are joined (RFC 1952 §2.2), or are an error",
            needs: .decodesContent, asking(), reply: message(hello + hello),
            is: ConformanceExpectation.response(body: "hellohello").or(.failure())),
        Case(
            "file-gzip-cut", "Compressed content that ends early leaves no file",
            needs: [.receivesFiles, .decodesContent]
        ) { scene throws(ConformanceFailure) in
            scene.answer(LoopbackReply(.bytes(message(hello.dropLast(3)))))
            try await scene.expectNoFile(.failure(.invalidResponse))
        },
        Case(
            "stream-gzip-cut", "A stream of compressed content that ends early delivers its beginning, and then fails",
            needs: [.receivesStreams, .decodesContent]
        ) { scene throws(ConformanceFailure) in
            scene.answer(LoopbackReply(.bytes(message(hello.dropLast(3)))))
            var reader = ConformanceReader(try await scene.stream(of: asking(for: .stream(buffer: 1 << 16))))
            try await scene.expect("hello", next: 5, from: &reader)
            try await scene.expectFailure(.invalidResponse, of: &reader)
        },
        cut("deflate", Data([0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15])),
        cut("br", Data([0x0B, 0x02, 0x80]) + Data("hello".utf8) + Data([0x03])),
        cut("zstd", Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 0x29, 0, 0]) + Data("hello".utf8)),
    ]

    private static func cut(_ coding: String, _ content: Data) -> Case {
        let packed = Data(content.dropLast())
        return Case(
            "\(coding)-cut", "Content with the coding \(coding) that ends early is invalid, or is delivered as it is",
            needs: .decodesContent, ConformanceExchange(headers: ["Accept-Encoding": coding]),
            reply: message(packed, coding),
            is: ConformanceExpectation.response(body: packed).or(.failure(.invalidResponse)))
    }
}
