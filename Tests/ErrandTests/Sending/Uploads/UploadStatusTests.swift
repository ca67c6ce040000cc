internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("What responses say about uploads", .timeLimit(.minutes(60)), .paced)
struct UploadStatusTests {
    private static func status(_ fields: HTTPFields) -> UploadStatus {
        UploadStatus(HTTPResponse.Head(status: 204, headers: fields))
    }

    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("999999999999999", 999_999_999_999_999), (" 5 ", 5), ("5;a=1", 5), ("", nil),
            ("-1", nil),
            ("+1", nil), ("1.5", nil), ("0x1", nil), ("1, 2", nil), ("9999999999999999", nil), ("٥", nil),
            ("\"5\"", nil),
        ] as [(String, Int64?)])
    func `numbers are those of structured fields`(text: String, number: Int64?) {
        #expect(Self.status(["Upload-Offset": text]).offset == number)
        #expect(Self.status(["Upload-Length": text]).length == number)
    }

    @Test(arguments: [("?1", true), ("?0", false), ("?1; a", true), ("1", nil), ("true", nil), ("", nil), ("?2", nil)])
    func `so is whether they are complete`(text: String, isComplete: Bool?) {
        #expect(Self.status(["Upload-Complete": text]).isComplete == isComplete)
        #expect(Self.status(["Upload-Incomplete": text]).isComplete == isComplete.map { !$0 })
    }

    @Test(
        arguments: [
            ("max-append-size=7", 7), ("max-size=1, max-append-size=7;a, max-age=2", 7), ("max-append-size=0", nil),
            ("max-append-size", nil), ("min-append-size=7", nil), ("", nil), ("max-append-size=-7", nil),
            ("max-append-size=9, max-append-size=7", 7), ("x=\"max-append-size=7\"", nil), ("max-append-size=7,", nil),
            ("a=\"b,max-append-size=7\"", nil),
        ] as [(String, Int64?)])
    func `so is the most that they take at once`(text: String, limit: Int64?) {
        #expect(Self.status(["Upload-Limit": text]).appendLimit == limit)
    }

    @Test func `nothing is said by nothing`() {
        let status = Self.status([:])
        #expect(status.offset == nil)
        #expect(status.length == nil)
        #expect(status.isComplete == nil)
        #expect(status.appendLimit == nil)
    }
}
