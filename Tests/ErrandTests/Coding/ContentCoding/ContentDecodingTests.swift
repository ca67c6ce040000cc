internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    @Suite("Taking codings off content, in bounded turns", .timeLimit(.minutes(60)), .paced)
    struct ContentDecodingTests {
        /// What decoding a body came to.
        private struct Course {
            var turns = 0
            var received = 0
            /// The most that one turn brought.
            var mostInOneTurn = 0
        }

        /// Decodes content that comes in pieces, of 16 KiB as those of a transport.
        private static func decode(
            _ content: Data, _ codings: [String], in size: Int = 16 << 10
        ) throws -> Course {
            let decoding = try ContentDecoding(codings)
            var course = Course()
            for start in stride(from: 0, to: content.count, by: size) {
                let piece = Data(content.dropFirst(start).prefix(size))
                var progress = DecodingProgress.interrupted
                while progress == .interrupted {
                    let before = course.received
                    progress = try unsafe piece.withUnsafeBytes { bytes throws(ErrandError) in
                        unsafe try decoding.write(bytes) { decoded throws(ErrandError) in
                            course.received += decoded.count
                            return true
                        }
                    }
                    course.turns += 1
                    course.mostInOneTurn = max(course.mostInOneTurn, course.received - before)
                }
            }
            try decoding.finish()
            return course
        }

        private static func gzip(_ data: Data) throws -> Data {
            try GzipEncoder(level: 9).encode(data, isLast: true)
        }

        /// A member that decodes to nothing (RFC 1952 §2.3).
        private static let emptyMember = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        /// A frame that decodes to nothing (RFC 8878 §3.1.1).
        private static let emptyFrame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38, 0x01, 0, 0])
        /// 4 MiB of such members and of such frames, in a few bytes of Brotli.
        private static let membersInBrotli = Data(base64Encoded: "m/v/PwAEJnJtSWIHhKcHoxxWCNUeKIve/zw=") ?? Data()
        private static let framesInBrotli =
            Data(
                base64Encoded: "m/j/PwA8DnBzPHBVS1ujsNTaDPsiLNaDO8rF4dcY9qwLgKiN/ggIgAAIgAAIgAAIgARAeSkAnPgtmKr3Py0="
            ) ?? Data()

        @Test(
            arguments: [
                ("gzip", "br", Self.membersInBrotli), ("zstd", "br", Self.framesInBrotli),
                ("deflate", "zstd", PackedZeros.zstd(blocks: 1000)),
                ("br", "deflate", PackedZeros.deflate(matches: 99_999)),
            ])
        func `content that makes far more under a second coding than came is refused or broken`(
            _ inner: String, _ outer: String, _ content: Data
        ) throws {
            let error = #expect(throws: ErrandError.self) { try Self.decode(content, [inner, outer]) }
            #expect(error?.code == .invalidResponse)
        }

        @Test(arguments: [("gzip", Self.membersInBrotli), ("zstd", Self.framesInBrotli)])
        func `what decodes to nothing under a second coding ends after bytes that follow from what came`(
            _ inner: String, _ content: Data
        ) throws {
            let decoding = try ContentDecoding([inner, "br"])
            var turns = 0
            let error = #expect(throws: ErrandError.self) {
                let write = {
                    try unsafe content.withUnsafeBytes { bytes throws(ErrandError) in
                        unsafe try decoding.write(bytes) { _ in true }
                    }
                }
                while try write() == .interrupted { turns += 1 }
            }
            #expect(error?.message == "the body has far more bytes between its codings than were received")
            // 1 MiB of them; a turn does 256 KiB, of which a call of a decoder counts for 128 bytes.
            #expect((5...80).contains(turns), "\(turns)")
        }

        @Test func `members and frames that decode to nothing are an empty body, in turns`() throws {
            for (part, coding) in [(Self.emptyMember, "gzip"), (Self.emptyFrame, "zstd")] {
                let content = Data([Data](repeating: part, count: 10_000).joined())
                let course = try Self.decode(content, [coding], in: content.count)
                #expect(course.received == 0)
                // Each costs as much as 128 bytes and its own.
                #expect((5...6).contains(course.turns), "\(course.turns)")
            }
        }

        @Test(arguments: [
            ("deflate", PackedZeros.deflate(matches: 60_000), 1 + 60_000 * 258),
            ("zstd", PackedZeros.zstd(blocks: 100), 100 << 17),
        ])
        func `what is packed well comes in turns of a few hundred kilobytes`(
            _ coding: String, _ content: Data, _ count: Int
        ) throws {
            let course = try Self.decode(content, [coding])
            #expect(course.received == count)
            #expect(course.mostInOneTurn <= DecodingTurn.limit + (16 << 10))
            #expect(course.turns > count / (DecodingTurn.limit + (16 << 10)))
        }

        @Test func `text that was packed twice is decoded, however well it is packed`() throws {
            let text = Data([Data](repeating: Data("a line of a log\n".utf8), count: 200_000).joined())
            let twice = try Self.gzip(Self.gzip(text))
            #expect(try Self.decode(twice, ["gzip", "gzip"]).received == text.count)
        }

        @Test func `more than two codings are refused before anything is decoded`() {
            let error = #expect(throws: ErrandError.self) { try ContentDecoding(["gzip", "gzip", "gzip"]) }
            #expect(error?.message == "the body has 3 codings, and 2 are allowed")
        }

        @Test func `an older format that the library of Zstandard may know is refused`() {
            let error = #expect(throws: ErrandError.self) {
                try Self.decode(Data([0x27, 0xB5, 0x2F, 0xFD, 0x00, 0x70, 0xC0, 0, 0]), ["zstd"])
            }
            #expect(error?.message == "the zstd body cannot be decoded: it does not start with a valid header")
        }
    }
#endif
