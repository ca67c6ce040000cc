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
        #expect(BodyValidator(HTTPResponseHead(status: 200, headers: fields))?.ifRange == expected)
    }

    @Test func `the rest is asked for if the body is the same`() throws {
        var request = HTTPRequest(url: try HTTPURL("http://a.test/"))
        try Self.asked().add(to: &request)
        #expect(request.headers["Range"] == "bytes=5-")
        #expect(request.headers["If-Range"] == "\"a\"")
    }

    private static func asked(total: Int64? = 10) throws -> RangeRequest {
        let validator = try #require(BodyValidator(HTTPResponseHead(status: 200, headers: ["ETag": "\"a\""])))
        return RangeRequest(first: 5, validator: validator, total: total)
    }

    @Test func `a whole body can be kept only where it is what a range is of`() throws {
        func verdict(_ fields: HTTPFields) -> RangeRequest.Verdict {
            RangeRequest.verdict(on: HTTPResponseHead(status: 200, headers: fields), askedFor: nil)
        }
        let validator = try Self.asked().validator
        #expect(verdict(["ETag": "\"a\"", "Content-Length": "7"]) == .whole(validator, total: 7))
        #expect(verdict(["ETag": "\"a\""]) == .whole(validator, total: nil))
        #expect(verdict(["ETag": "\"a\"", "Content-Encoding": "identity"]) == .whole(validator, total: nil))
        #expect(
            verdict(["ETag": "\"a\"", "Content-Encoding": "gzip", "Content-Length": "7"]) == .whole(nil, total: nil))
        #expect(verdict(["ETag": "\"a\"", "Accept-Ranges": "none"]) == .whole(nil, total: nil))
    }

    @Test(arguments: [204, 301, 304, 401, 404, 416, 500])
    func `other responses are none with the body`(status: Int) {
        #expect(
            RangeRequest.verdict(on: HTTPResponseHead(status: HTTPStatus(rawValue: status)), askedFor: nil) == .other)
    }

    @Test func `where the length was not known, the part tells it`() throws {
        let head = HTTPResponseHead(status: 206, headers: ["Content-Range": "bytes 5-9/10"])
        let range = try #require(ContentRange("bytes 5-9/10"))
        #expect(try RangeRequest.verdict(on: head, askedFor: Self.asked(total: nil)) == .part(range))
        #expect(try RangeRequest.verdict(on: head, askedFor: Self.asked(total: 11)) == .contradiction)
    }
}
