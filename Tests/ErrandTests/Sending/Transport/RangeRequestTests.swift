internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Requests for the rest of a body (RFC 9110 §14)", .timeLimit(.minutes(60)), .paced)
struct RangeRequestTests {
    @Test(arguments: [
        ("bytes 0-0/1", 0, 0, 1), ("bytes 5-9/10", 5, 9, 10), ("BYTES 5-9/*", 5, 9, nil), ("bytes  5-9/10", 5, 9, 10),
        ("bytes 0-9223372036854775806/9223372036854775807", 0, Int64.max - 1, Int64.max),
    ])
    func `Content-Range names a range`(text: String, first: Int64, last: Int64, total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect((range.first, range.last) == (first, last))
        #expect(range.total == total)
        #expect(range.count == last - first + 1)
    }

    @Test(arguments: [
        "", "bytes", "bytes 5-9", "bytes */10", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "bytes 5-/10",
        "bytes 5-9/-1", "bytes +5-9/10", "bytes 5-9/10/11", "bytes 5-9-10/11", "lines 5-9/10", "bytes=5-9/10",
        "bytes 5-9/9223372036854775808", "bytes 5-9/10, bytes 5-9/10", "bytes 5-9/ten", "bytes ٥-٩/١٠",
    ])
    func `Content-Range names none`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    private static let day = "Tue, 24 Nov 2026"

    @Test(
        arguments: [
            (["ETag": "\"a\""], "\"a\""), (["ETag": "\"\""], "\"\""), (["ETag": "W/\"a\""], nil), (["ETag": "a"], nil),
            (["ETag": "\"a\"\""], nil), (["ETag": "\""], nil), ([:], nil),
            (["Last-Modified": "\(day) 10:00:00 GMT", "Date": "\(day) 10:00:01 GMT"], "\(day) 10:00:00 GMT"),
            (["Last-Modified": "\(day) 10:00:00 GMT", "Date": "\(day) 10:00:00 GMT"], nil),
            (["Last-Modified": "\(day) 10:00:00 GMT"], nil),
            (["Last-Modified": "yesterday", "Date": "\(day) 10:00:00 GMT"], nil),
            // A weak tag says that what the date says is not enough.
            (
                [
                    "ETag": "W/\"a\"", "Last-Modified": "\(day) 10:00:00 GMT", "Date": "\(day) 10:00:01 GMT",
                ], nil
            ),
        ] as [(HTTPFields, String?)])
    func `only a strong validator counts`(fields: HTTPFields, expected: String?) {
        #expect(BodyValidator(HTTPResponse.Head(status: 200, headers: fields))?.ifRange == expected)
    }

    @Test func `the rest is asked for if the body is the same`() throws {
        var request = HTTPRequest(url: try HTTPURL("http://a.test/"))
        try Self.asked().add(to: &request)
        #expect(request.headers["Range"] == "bytes=5-")
        #expect(request.headers["If-Range"] == "\"a\"")
    }

    private static func representation(_ path: String = "a") throws -> BodyRepresentation {
        let head = HTTPResponse.Head(status: 200, headers: ["ETag": "\"a\""])
        return try #require(BodyRepresentation(head, from: HTTPURL("http://a.test/\(path)")))
    }

    private static func asked(total: Int64? = 10) throws -> RangeRequest {
        RangeRequest(first: 5, end: nil, representation: try self.representation(), total: total)
    }

    private static func verdict(
        _ status: Int, _ fields: HTTPFields, _ asked: RangeRequest?, from path: String = "a"
    ) throws -> RangeRequest.Verdict {
        let head = HTTPResponse.Head(status: HTTPStatus(rawValue: status), headers: fields)
        return RangeRequest.verdict(on: head, from: try HTTPURL("http://a.test/\(path)"), askedFor: asked)
    }

    @Test func `a whole body can be kept only where it is what a range is of`() throws {
        func verdict(_ fields: HTTPFields) throws -> RangeRequest.Verdict { try Self.verdict(200, fields, nil) }
        let representation = try Self.representation()
        #expect(try verdict(["ETag": "\"a\"", "Content-Length": "7"]) == .whole(representation, total: 7))
        #expect(try verdict(["ETag": "\"a\""]) == .whole(representation, total: nil))
        #expect(try verdict(["ETag": "\"a\"", "Content-Encoding": "identity"]) == .whole(representation, total: nil))
        #expect(
            try verdict(["ETag": "\"a\"", "Content-Encoding": "gzip", "Content-Length": "7"]) == .whole(nil, total: nil)
        )
        #expect(try verdict(["ETag": "\"a\"", "Accept-Ranges": "none"]) == .whole(nil, total: nil))
    }

    @Test(arguments: [204, 301, 304, 401, 404, 416, 500])
    func `other responses are none with the body`(status: Int) throws {
        #expect(try Self.verdict(status, [:], nil) == .other)
    }

    private static let part: HTTPFields = ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]

    @Test func `where the length was not known, the part tells it, and it need not where it was`() throws {
        let range = try #require(ContentRange("bytes 5-9/10"))
        #expect(try Self.verdict(206, Self.part, Self.asked(total: nil)) == .part(range))
        #expect(try Self.verdict(206, Self.part, Self.asked()) == .part(range))
        #expect(try Self.verdict(206, Self.part, Self.asked(total: 11)) == .contradiction)
        #expect(try Self.verdict(206, Self.part, nil) == .contradiction)
        let open: HTTPFields = ["ETag": "\"a\"", "Content-Range": "bytes 5-9/*"]
        let unknown = try #require(ContentRange("bytes 5-9/*"))
        #expect(try Self.verdict(206, open, Self.asked(total: nil)) == .part(unknown))
        #expect(try Self.verdict(206, open, Self.asked()) == .part(unknown))
        #expect(try Self.verdict(206, open, Self.asked(total: 9)) == .contradiction)
    }

    private static func unsatisfied(
        _ range: String, _ total: Int64? = nil, tag: String? = nil, from path: String = "a"
    ) throws -> RangeRequest.Verdict {
        var fields: HTTPFields = ["Content-Range": range]
        fields["ETag"] = tag
        return try Self.verdict(416, fields, Self.asked(total: total), from: path)
    }

    @Test func `nothing is missing where the server has as many bytes as are there`() throws {
        #expect(try Self.unsatisfied("bytes */5") == .complete(5))
        #expect(try Self.unsatisfied("BYTES  */5", 5, tag: "\"a\"") == .complete(5))
        let others = [
            "bytes */4", "bytes */6", "bytes */-5", "bytes */+5", "bytes */", "bytes *", "lines */5", "*/5", "",
        ]
        for range in others { #expect(try Self.unsatisfied(range) == .contradiction, "\(range)") }
        #expect(try Self.unsatisfied("bytes */5", 10) == .contradiction)
        #expect(try Self.unsatisfied("bytes */5", tag: "\"b\"") == .contradiction)
        #expect(try Self.unsatisfied("bytes */5", tag: "W/\"a\"") == .contradiction)
        #expect(try Self.unsatisfied("bytes */5", from: "b") == .contradiction)
        #expect(try Self.verdict(416, ["Content-Range": "bytes */5"], nil) == .other)
    }

    @Test func `a part of another resource is none, whatever its tag; a signature makes no other resource`() throws {
        #expect(try Self.verdict(206, Self.part, Self.asked(), from: "b") == .contradiction)
        #expect(try Self.verdict(206, Self.part, Self.asked(), from: "a?b") == .contradiction)
        let first = BodyRepresentation(
            try Self.representation().validator, from: try HTTPURL("http://a.test/a?id=1&signature=1"))
        let again = RangeRequest(first: 5, end: nil, representation: first, total: 10)
        #expect(try Self.verdict(206, Self.part, again, from: "a?id=1&signature=2") != .contradiction)
        #expect(try Self.verdict(206, Self.part, again, from: "a?id=2&signature=1") == .contradiction)
    }

    @Test(arguments: [
        ("id=1", "id=1"), ("signature=1", ""), ("a&Signature=1&b&expires=2", "a&b"), ("expires=2", "expires=2"),
        ("X-Amz-Date=1&X-Goog-Signature=2&X-Goog-Date=3", "X-Amz-Date=1"), ("sv=1&id=2", "sv=1&id=2"),
        ("sig=%3D&sv=1&id=2&", "id=2&"), ("", ""), ("xsignature=1", "xsignature=1"), ("hdnts=1~2&a", "a"),
    ])
    func `a query without its signature`(query: String, unsigned: String) {
        #expect(SignedQuery.unsigned(query) == unsigned)
    }

    @Test func `a part has to repeat a tag, and need not repeat a date`() throws {
        let range: HTTPFields = ["Content-Range": "bytes 5-9/10"]
        #expect(try Self.verdict(206, range, Self.asked()) == .contradiction)
        let date = "\(Self.day) 10:00:00 GMT"
        let head = HTTPResponse.Head(
            status: 200, headers: ["Last-Modified": date, "Date": "\(Self.day) 10:00:02 GMT"])
        let dated = try #require(BodyRepresentation(head, from: HTTPURL("http://a.test/a")))
        let asked = RangeRequest(first: 5, end: nil, representation: dated, total: 10)
        #expect(try Self.verdict(206, range, asked) != .contradiction)
        let other: HTTPFields = ["Content-Range": "bytes 5-9/10", "Last-Modified": "\(Self.day) 10:00:01 GMT"]
        #expect(try Self.verdict(206, other, asked) == .contradiction)
    }

    @Test(arguments: [
        "X-Amz-Algorithm=1&X-Amz-Content-Sha256=2&X-Amz-Credential=3&X-Amz-Date=4&X-Amz-Expires=5"
            + "&X-Amz-Security-Token=6&X-Amz-SignedHeaders=7&X-Amz-Signature=8",
        "AWSAccessKeyId=1&Expires=2&Signature=3&x-amz-security-token=4",
        "Expires=1&Policy=2&Key-Pair-Id=3&Signature=4",
        "GoogleAccessId=1&Expires=2&Signature=3",
        "X-Goog-Algorithm=1&X-Goog-Credential=2&X-Goog-Date=3&X-Goog-Expires=4&X-Goog-SignedHeaders=5"
            + "&X-Goog-Signature=6",
        "sp=1&st=2&se=3&spr=4&sv=5&sr=6&sig=7&jwt=8",
        "skoid=1&sktid=2&skt=3&ske=4&sks=5&skv=6&si=7&sip=8&srt=9&ss=10&sig=11",
        "OSSAccessKeyId=1&Expires=2&Signature=3&security-token=4",
        "x-oss-signature-version=1&x-oss-credential=2&x-oss-date=3&x-oss-expires=4&x-oss-security-token=5"
            + "&x-oss-additional-headers=6&x-oss-signature=7",
        "q-sign-algorithm=1&q-ak=2&q-sign-time=3&q-key-time=4&q-header-list=5&q-url-param-list=6&q-signature=7",
    ])
    func `all parameters of the signature of a store are left out`(query: String) {
        #expect(SignedQuery.unsigned("id=1&\(query)&part=2") == "id=1&part=2")
    }
}
