internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: validation (RFC 9111 §4.3)", .timeLimit(.minutes(60)), .paced)
struct HTTPValidationTests {
    @Test(arguments: [
        ("ETag: \"a\"", [], "If-None-Match: \"a\""), ("ETag: W/\"a\"", [], "If-None-Match: W/\"a\""),
        ("ETag: a", [], "If-None-Match: a"), ("Last-Modified: @-5", [], "If-Modified-Since: @-5"),
        ("ETag: \"a\" | Last-Modified: @-5", [], "If-None-Match: \"a\" | If-Modified-Since: @-5"),
        ("ETag: \"a\"", ["\"b\"", "\"a\"", "\"c\""], "If-None-Match: \"a\", \"b\", \"c\""),
        ("Last-Modified: @-5", ["\"b\""], "If-Modified-Since: @-5"), ("A: 1", [], ""),
    ])
    func `§4.3.1 what is asked by`(stored: String, tags: [String], fields: String) {
        #expect(
            HTTPValidation.fields(for: HTTPCaseText.fields(stored), tags: tags) == HTTPCaseText.fields(fields))
    }

    @Test func `§4.3.1 what is asked by where only others are stored`() {
        #expect(HTTPValidation.fields(for: nil, tags: ["\"a\"", "\"b\""]) == ["If-None-Match": "\"a\", \"b\""])
        #expect(HTTPValidation.fields(for: nil, tags: []).isEmpty)
    }

    private static let two: [(tag: String?, modified: String?)] = [("\"a\"", "yesterday"), ("W/\"b\"", "today")]

    @Test(
        arguments: [
            ("ETag: \"a\"", 0), ("ETag: W/\"a\"", 0), ("ETag: W/\"b\"", 1), ("ETag: \"b\"", nil), ("ETag: \"c\"", nil),
            ("Last-Modified: today", 1), ("Last-Modified: tomorrow", nil), ("", nil),
            ("ETag: \"c\" | Last-Modified: today", nil),
        ] as [(String, Int?)])
    func `§4.3.4 which of two a 304 is about`(head: String, position: Int?) {
        for isAsked in [false, true] {
            let found = HTTPValidation.position(
                selectedBy: HTTPCaseText.head(head, 304), among: Self.two, isAsked: isAsked)
            #expect(found == position)
        }
    }

    @Test(
        arguments: [
            ("", "\"a\"", 0), ("ETag: \"a\"", "\"a\"", 0), ("ETag: \"b\"", "\"a\"", nil), ("ETag: W/\"a\"", "\"a\"", 0),
            ("ETag: \"a\"", "W/\"a\"", 0), ("ETag: W/\"a\"", "W/\"a\"", 0), ("ETag: \"b\"", "W/\"a\"", nil),
            ("Last-Modified: @0", nil, 0),
        ] as [(String, String?, Int?)])
    func `§4.3.4 whether a 304 is about the only one`(head: String, tag: String?, position: Int?) {
        let found = HTTPValidation.position(
            selectedBy: HTTPCaseText.head(head, 304), among: [(tag, nil)], isAsked: true)
        #expect(found == position)
    }

    @Test func `§4.3.4 a strong tag is not its weak twin where the condition is the caller's, or one of two is stored`()
    {
        let head = HTTPCaseText.head("ETag: \"b\"", 304)
        #expect(HTTPValidation.position(selectedBy: head, among: [("W/\"b\"", nil)], isAsked: false) == nil)
        #expect(HTTPValidation.position(selectedBy: head, among: Self.two, isAsked: true) == nil)
    }

    static let twins: [HTTPScript] = [
        HTTPScript(
            "a 304 with the strong twin of a weak tag", .asks("Cache-Control: max-age=60 | ETag: W/\"a\""),
            .gets(
                .revalidated, after: 61, answer: "Cache-Control: max-age=60 | ETag: \"a\"", of: 1,
                sent: "If-None-Match: W/\"a\"", shown: "ETag: W/\"a\""),
            .gets(after: 30, of: 1, shown: "ETag: W/\"a\"")),
        HTTPScript(
            "a 304 with the weak twin of a strong tag", .asks("Cache-Control: max-age=60 | ETag: \"a\""),
            .gets(
                .revalidated, after: 61, answer: "Cache-Control: max-age=60 | ETag: W/\"a\"", of: 1,
                sent: "If-None-Match: \"a\"", shown: "ETag: \"a\""),
            .gets(after: 30, of: 1, shown: "ETag: \"a\"")),
        HTTPScript(
            "a HEAD with the twin of a tag", .asks("Cache-Control: max-age=60 | ETag: W/\"a\""),
            .asks("Cache-Control: max-age=60 | ETag: \"a\"", method: "HEAD", after: 61),
            .gets(after: 30, of: 1, shown: "ETag: W/\"a\"")),
    ]

    @Test(arguments: Self.twins)
    func `§4.3.3 what the server compares weakly is renewed with one request, and keeps its tag`(
        script: HTTPScript
    ) async throws {
        try await HTTPScriptPlayer().play(script)
    }

    @Test(arguments: [
        ("ETag: \"a\"", "If-None-Match: \"a\"", true), ("ETag: \"a\"", "If-None-Match: W/\"a\"", true),
        ("ETag: W/\"a\"", "If-None-Match: W/\"a\"", true), ("ETag: W/\"a\"", "If-None-Match: \"a\"", true),
        ("ETag: \"a\"", "If-None-Match: \"b\"", false), ("ETag: \"a\"", "If-None-Match: \"b\", \"a\"", true),
        ("ETag: \"a\"", "If-None-Match: \"a\", \"b\", \"c\"", true),
        ("ETag: \"a\"", "If-None-Match: \"b\",\"a\",\"c\"", true),
        ("ETag: \"a,b\"", "If-None-Match: \"a,b\"", true), ("ETag: \"a\"", "If-None-Match: \"a,b\"", false),
        ("ETag: \"a\"", "If-None-Match: *", true), ("A: 1", "If-None-Match: *", true),
        ("A: 1", "If-None-Match: \"a\"", false),
        ("ETag: \"a\"", "If-None-Match: w/\"a\"", false), ("ETag: \"a\"", "If-None-Match: a", false),
        ("ETag: \"a\" | Last-Modified: @-50", "If-None-Match: \"a\" | If-Modified-Since: @-90", true),
        ("ETag: \"a\" | Last-Modified: @-50", "If-None-Match: \"b\" | If-Modified-Since: @-10", false),
        ("Last-Modified: @-50", "If-Modified-Since: @-50", true),
        ("Last-Modified: @-50", "If-Modified-Since: @-40", true),
        ("Last-Modified: @-50", "If-Modified-Since: @-60", false), ("Date: @-50", "If-Modified-Since: @-40", true),
        ("Date: @-50", "If-Modified-Since: @-60", false), ("A: 1", "If-Modified-Since: @-60", false),
        ("Last-Modified: @-50", "If-Modified-Since: Sunday, 31-Dec-00 23:59:30 GMT", true),
    ])
    func `§4.3.2 a condition of the caller's`(stored: String, request: String, isNotModified: Bool) {
        #expect(
            HTTPValidation.isNotModified(
                HTTPCaseText.head(stored), for: HTTPCaseText.fields(request), respondedAt: HTTPCaseText.epoch)
                == isNotModified)
    }

    @Test(arguments: ["", "If-Modified-Since: once", "If-Match: \"a\""])
    func `§4.3.2 no condition that a cache looks at`(request: String) {
        #expect(
            HTTPValidation.isNotModified(
                HTTPCaseText.head("ETag: \"a\""), for: HTTPCaseText.fields(request), respondedAt: HTTPCaseText.epoch)
                == nil)
    }

    @Test(arguments: [
        ("ETag: \"a\"", "ETag: \"a\"", true), ("ETag: \"a\"", "ETag: \"b\"", false), ("ETag: \"a\"", "", true),
        ("", "ETag: \"a\"", false), ("Last-Modified: @0", "Last-Modified: @0", true),
        ("Last-Modified: @0", "Last-Modified: @9", false),
        ("ETag: \"a\" | Last-Modified: @0", "ETag: \"a\" | Last-Modified: @9", false),
        ("Content-Length: 3", "Content-Length: 3", true), ("Content-Length: 3", "Content-Length: 4", false),
        ("", "Content-Length: 3", true), ("", "Content-Length: 4", false),
        ("ETag: W/\"a\"", "ETag: \"a\"", true), ("ETag: \"a\"", "ETag: W/\"a\"", true),
        ("ETag: W/\"a\" | Last-Modified: @0", "ETag: \"a\" | Last-Modified: @9", false),
    ])
    func `§4.3.5 whether a HEAD is about what is stored`(stored: String, head: String, agrees: Bool) {
        let response = HTTPResponse(head: HTTPCaseText.head(stored), body: .bytes(Data("abc".utf8)))
        #expect(HTTPValidation.agrees(response, withHead: HTTPCaseText.head(head)) == agrees)
    }

    private static let here = "https://api.test/a"

    @Test(arguments: [
        ("POST", 200, "", [here]), ("PUT", 204, "", [here]), ("DELETE", 200, "", [here]), ("PATCH", 201, "", [here]),
        ("M-SEARCH", 200, "", [here]), ("post", 200, "", [here]), ("POST", 302, "", [here]), ("POST", 399, "", [here]),
        ("POST", 400, "", []), ("POST", 404, "", []), ("POST", 500, "", []), ("GET", 200, "", []),
        ("HEAD", 200, "", []),
        ("OPTIONS", 200, "", []), ("TRACE", 200, "", []), ("QUERY", 200, "", []),
        ("POST", 201, "Location: /b", [here, "https://api.test/b"]),
        ("POST", 201, "Location: b?c=d", [here, "https://api.test/b?c=d"]),
        ("POST", 200, "Content-Location: /c", [here, "https://api.test/c"]),
        ("POST", 201, "Location: /b | Content-Location: /c", [here, "https://api.test/b", "https://api.test/c"]),
        ("POST", 201, "Location: https://api.test/b", [here, "https://api.test/b"]),
        ("POST", 201, "Location: https://other.test/b", [here]), ("POST", 201, "Location: http://api.test/b", [here]),
        ("POST", 201, "Location: https://api.test:8443/b", [here]), ("POST", 201, "Location: mailto:a@b", [here]),
        ("POST", 500, "Location: /b", []), ("GET", 200, "Location: /b", []),
    ])
    func `§4.4 what is invalidated`(method: String, status: Int, head: String, urls: [String]) throws {
        let request = try HTTPCaseText.request(method: method)
        #expect(HTTPValidation.invalidated(by: HTTPCaseText.head(head, status), to: request).map(\.string) == urls)
    }
}

@Suite("HTTP caching: ranges of what is stored (RFC 9110 §14)", .timeLimit(.minutes(60)), .paced)
struct StoredRangeTests {
    @Test(arguments: [
        ("bytes=0-1", "01"), ("bytes=1-", "123456789"), ("bytes=-1", "9"), ("bytes=-20", "0123456789"),
        ("bytes=9-9", "9"),
        ("bytes=5-99", "56789"), ("Bytes=0-0", "0"), ("bytes= 2-3", "23"), ("bytes=0-", "0123456789"),
    ])
    func `§14.2 one range`(range: String, text: String) throws {
        let response = try #require(Self.stored().answering(["Range": range]))
        #expect(response.status == .partialContent)
        #expect(String(decoding: response.data, as: UTF8.self) == text)
        #expect(response.headers["Content-Length"] == "\(text.utf8.count)")
        let first = try #require("0123456789".firstRange(of: text)).lowerBound.utf16Offset(in: "0123456789")
        #expect(response.headers["Content-Range"] == "bytes \(first)-\(first + text.utf8.count - 1)/10")
    }

    @Test(arguments: [
        "bytes=10-", "bytes=-0", "bytes=0-1,3-4", "bytes=3-2", "bytes=a-b", "bytes=", "bytes", "bytes=-", "lines=0-1",
        "bytes=0--1", "bytes=+1-2", "bytes=99999999999999999999-",
    ])
    func `§14.2 what only the server answers`(range: String) {
        #expect(Self.stored().answering(["Range": range]) == nil)
    }

    @Test(arguments: [
        ("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), ("@-50", false), ("a", false),
    ])
    func `§13.1.5 If-Range`(condition: String, isPart: Bool) throws {
        let fields = HTTPCaseText.fields("Range: bytes=0-1 | If-Range: \(condition)")
        let response = try #require(Self.stored().answering(fields))
        #expect((response.status == .partialContent) == isPart)
        #expect(response.data.count == (isPart ? 2 : 10))
    }

    @Test(arguments: [("@-50", true), ("@-51", false), ("@0", false)])
    func `§8.8.2.2 a date is a validator where there is no tag, if it is strong`(date: String, isPart: Bool) throws {
        let fields = HTTPCaseText.fields("Range: bytes=0-1 | If-Range: \(date)")
        let modified = date == "@0" ? date : "@-50"
        let stored = HTTPResponse(
            head: HTTPCaseText.head("Date: @0 | Last-Modified: \(modified)"), body: .bytes(Data("0123456789".utf8)))
        #expect(try #require(stored.answering(fields)).status == (isPart ? .partialContent : .ok))
    }

    @Test func `§14.2 not of a content that was decoded`() {
        #expect(Self.stored("Content-Encoding: gzip").answering(["Range": "bytes=0-1"]) == nil)
    }

    @Test func `all of it without a range`() throws {
        #expect(try #require(Self.stored().answering([:])).data.count == 10)
    }

    private static func stored(
        _ head: String = "ETag: \"a\" | Date: @0 | Last-Modified: @-50"
    ) -> HTTPResponse {
        HTTPResponse(head: HTTPCaseText.head(head), body: .bytes(Data("0123456789".utf8)))
    }
}

@Suite("HTTP caching: Cache-Status (RFC 9211)", .timeLimit(.minutes(60)), .paced)
struct CacheStatusTests {
    @Test(arguments: [
        (ResponseSource.CacheStatus(), "Errand; hit"),
        (ResponseSource.CacheStatus(timeToLive: .seconds(60)), "Errand; hit; ttl=60"),
        (ResponseSource.CacheStatus(timeToLive: .milliseconds(-500)), "Errand; hit; ttl=-1"),
        (ResponseSource.CacheStatus(forward: .uriMiss), "Errand; fwd=uri-miss"),
        (ResponseSource.CacheStatus(forward: .varyMiss), "Errand; fwd=vary-miss"),
        (ResponseSource.CacheStatus(forward: .bypass), "Errand; fwd=bypass"),
        (ResponseSource.CacheStatus(forward: .method), "Errand; fwd=method"),
        (ResponseSource.CacheStatus(forward: .partial), "Errand; fwd=partial"),
        (ResponseSource.CacheStatus(forward: .request), "Errand; fwd=request"),
        (
            ResponseSource.CacheStatus(forward: .uriMiss, forwardStatus: 200, isStored: true),
            "Errand; fwd=uri-miss; fwd-status=200; stored"
        ),
        (
            ResponseSource.CacheStatus(forward: .stale, forwardStatus: 304, detail: "revalidated"),
            "Errand; fwd=stale; fwd-status=304; detail=revalidated"
        ),
        (ResponseSource.CacheStatus(detail: "a \"b\""), "Errand; hit; detail=\"a \\\"b\\\"\""),
        (ResponseSource.CacheStatus(detail: "9"), "Errand; hit; detail=\"9\""),
    ])
    func `§2 as a member of a list`(status: ResponseSource.CacheStatus, text: String) {
        #expect(status.description == text)
        #expect(status.isHit == !text.contains("fwd"))
    }
}
