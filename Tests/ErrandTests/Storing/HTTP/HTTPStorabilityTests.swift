internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: what is stored (RFC 9111 §3)", .timeLimit(.minutes(60)), .paced)
struct HTTPStorabilityTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let title: String
        let head: String
        let status: Int
        let request: String
        let method: String
        let isStored: Bool

        init(
            _ title: String, _ head: String, status: Int = 200, request: String = "", method: String = "GET",
            _ isStored: Bool
        ) {
            (self.title, self.head, self.status) = (title, head, status)
            (self.request, self.method, self.isStored) = (request, method, isStored)
        }

        var testDescription: String { self.title }
    }

    static let examples: [Example] =
        [
            Example("§3 max-age", "Cache-Control: max-age=60", true),
            Example("§3 max-age=0 with a validator", "Cache-Control: max-age=0 | ETag: \"a\"", true),
            Example("§3 Expires", "Expires: @60", true),
            Example("§3 Last-Modified", "Last-Modified: @-60", true),
            Example("§3 a tag", "ETag: \"a\"", true),
            Example("§3 neither freshness nor validator", "Content-Type: text/plain", false),
            Example("§3 no-cache with a validator", "Cache-Control: no-cache | ETag: \"a\"", true),
            Example("§3 no-cache without one", "Cache-Control: no-cache, max-age=60", false),
            Example("§5.2.2.5 no-store", "Cache-Control: no-store", false),
            Example(
                "§5.2 many directives", "Cache-Control: max-age=60" + String(repeating: ", a", count: 255), true),
            Example(
                "§5.2 more directives than are read",
                "Cache-Control: max-age=60" + String(repeating: ", a", count: 256), false),
            Example("§5.2.2.5 no-store beside max-age", "Cache-Control: max-age=60, no-store | Expires: @60", false),
            Example("§5.2.2.7 private", "Cache-Control: private, max-age=60", true),
            Example("§5.2.2.7 private with fields", "Cache-Control: private=\"a\", max-age=60", true),
            Example("§5.2.2.9 public", "Cache-Control: public | ETag: \"a\"", status: 599, true),
            Example(
                "§5.2.2.10 s-maxage does not make it storable", "Cache-Control: s-maxage=60 | ETag: \"a\"", status: 599,
                false),
            Example("§5.2.2.3 must-understand", "Cache-Control: must-understand, max-age=60", true),
            Example(
                "§5.2.2.3 must-understand outweighs no-store", "Cache-Control: max-age=60, no-store, must-understand",
                true),
            Example(
                "§5.2.2.3 a status that is not known", "Cache-Control: max-age=60, must-understand", status: 599, false),
            Example(
                "§5.2.2.3 nor with no-store", "Cache-Control: max-age=60, no-store, must-understand", status: 599, false
            ),
            Example(
                "§5.2.1.5 no-store of the request", "Cache-Control: max-age=60", request: "Cache-Control: no-store",
                false),
            Example(
                "§5.2.1.4 no-cache of the request", "Cache-Control: max-age=60", request: "Cache-Control: no-cache",
                true),
            Example(
                "§3.5 Authorization, for a private cache", "Cache-Control: max-age=60",
                request: "Authorization: Basic YQ==", true),
            Example("§4.1 Vary: *", "Cache-Control: max-age=60 | Vary: *", false),
            Example("§4.1 Vary: * among others", "Cache-Control: max-age=60 | Vary: Accept, *", false),
            Example("§4.1 Vary", "Cache-Control: max-age=60 | Vary: Accept", true),
            Example("§3.3 206", "Cache-Control: max-age=60", status: 206, request: "Range: bytes=0-1", false),
            Example("§3.3 200 to a range request", "Cache-Control: max-age=60", request: "Range: bytes=0-1", true),
            Example("§3.3 416", "Cache-Control: max-age=60", status: 416, request: "Range: bytes=0-1", false),
            Example("§3 304", "Cache-Control: max-age=60", status: 304, request: "If-None-Match: \"a\"", false),
            Example("§3 412", "Cache-Control: max-age=60", status: 412, request: "If-None-Match: *", false),
            Example("§3 200 to a condition", "Cache-Control: max-age=60", request: "If-None-Match: \"a\"", true),
            Example("§3 an interim response", "Cache-Control: max-age=60", status: 103, false),
            Example("§3 POST", "Cache-Control: max-age=60", method: "POST", false),
            Example("§3 PUT", "Cache-Control: max-age=60", method: "PUT", false),
            Example("§3 HEAD", "Cache-Control: max-age=60", method: "HEAD", false),
            Example("§3 a method of its own", "Cache-Control: max-age=60", method: "REPORT", false),
            Example("RFC 6585 §7.2: 428", "Cache-Control: max-age=60", status: 428, false),
            Example("RFC 6585 §7.2: 429", "Cache-Control: max-age=60", status: 429, false),
            Example("RFC 6585 §7.2: 431", "Cache-Control: max-age=60", status: 431, false),
            Example("RFC 6585 §7.2: 511", "Cache-Control: max-age=60", status: 511, false),
            Example("§3 Set-Cookie does not forbid it", "Cache-Control: max-age=60 | Set-Cookie: a=b", true),
            Example("§5.4 Pragma of a response says nothing", "Cache-Control: max-age=60 | Pragma: no-cache", true),
        ]
        + [
            200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 499, 500, 501, 502,
            503,
            504, 599,
        ].map {
            Example("§3 \($0) with explicit freshness", "Cache-Control: max-age=60", status: $0, true)
        }
        + [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map {
            Example("§4.2.2 \($0) without", "Last-Modified: @-60", status: $0, true)
        }
        + [201, 202, 299, 302, 303, 307, 400, 401, 403, 500, 502, 503, 504, 599].map {
            Example("§4.2.2 not \($0) without", "Last-Modified: @-60", status: $0, false)
        }

    @Test(arguments: Self.examples)
    func `which responses are stored`(example: Example) throws {
        let refusal = HTTPStorability.refusal(
            of: HTTPCaseText.head(example.head, example.status),
            to: try HTTPCaseText.request(example.request, method: example.method))
        #expect((refusal == nil) == example.isStored, "\(refusal.map(\.description) ?? "stored")")
    }

    @Test func `what is neither fresh nor validated is kept where the app wants it for errors`() throws {
        let (head, request) = (HTTPCaseText.head("Content-Type: text/plain"), try HTTPCaseText.request())
        #expect(HTTPStorability.refusal(of: head, to: request, keepsForErrors: true) == nil)
        let never = HTTPCaseText.head("Cache-Control: no-cache")
        #expect(HTTPStorability.refusal(of: never, to: request, keepsForErrors: true) != nil)
    }

    // MARK: - Fields

    @Test(arguments: [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Set-Cookie",
    ])
    func `§3.1 fields that are not stored`(name: String) {
        #expect(!HTTPStorability.storedFields([name: "x", "A": "1"]).contains(name))
    }

    @Test(arguments: [
        "Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo", "Cache-Control", "Content-Encoding",
        "Content-Length", "Content-Location", "Content-MD5", "Content-Range", "Content-Security-Policy", "Content-Type",
        "Clear-Site-Data", "ETag", "Expires", "Public-Key-Pins", "X-Frame-Options", "X-XSS-Protection", "Age", "Date",
        "WWW-Authenticate", "Warning",
    ])
    func `§3.1 fields that are stored`(name: String) {
        #expect(HTTPStorability.storedFields([name: "x"])[name] == "x")
    }

    @Test func `§3.1 fields that Connection names`() {
        let stored = HTTPStorability.storedFields(
            HTTPCaseText.fields("Connection: a, B | a: 1 | b: 2 | c: 3 | Connection: d | D: 4"))
        #expect(stored == ["c": "3"])
    }

    @Test func `§5.2.2.4 fields that no-cache names`() {
        let stored = HTTPStorability.storedFields(
            HTTPCaseText.fields("Cache-Control: no-cache=\"a, b\" | a: 1 | B: 2 | c: 3"))
        #expect(!stored.contains("a") && !stored.contains("b") && stored["c"] == "3")
    }

    // MARK: - Updates (§3.2)

    @Test(arguments: [
        ("A: 1 | B: 2", "A: 3", "B: 2 | A: 3"), ("A: 1", "", "A: 1"), ("A: 1 | A: 2", "A: 3", "A: 3"),
        ("A: 1", "A: 2 | A: 3", "A: 2 | A: 3"), ("A: 1", "a: 2", "a: 2"),
        ("Content-Length: 5", "Content-Length: 0", "Content-Length: 5"),
        ("Content-Encoding: gzip", "Content-Encoding: br", "Content-Encoding: gzip"),
        ("Content-Range: bytes 0-1/2", "Content-Range: x", "Content-Range: bytes 0-1/2"),
        ("Content-Type: text/plain", "Content-Type: text/html", "Content-Type: text/html"),
        ("Content-MD5: a", "Content-MD5: b", "Content-MD5: b"),
        ("Cache-Control: max-age=1", "Cache-Control: max-age=9", "Cache-Control: max-age=9"),
        ("Cache-Control: max-age=1", "ETag: \"a\"", "Cache-Control: max-age=1 | ETag: \"a\""),
        ("ETag: \"a\"", "ETag: \"a\"", "ETag: \"a\""), ("A: 1", "Connection: close | Keep-Alive: 5", "A: 1"),
        ("A: 1", "Connection: A | A: 2", "A: 1"), ("A: 1", "Set-Cookie: a=b", "A: 1"),
        ("Age: 50 | Date: @0", "Date: @90", "Date: @90"), ("Age: 50 | Date: @0", "Age: 3", "Age: 3"),
        ("Vary: A", "Vary: B", "Vary: B"), ("Expires: @1", "Expires: @9", "Expires: @9"),
    ])
    func `§3.2 a response without content updates fields`(stored: String, newer: String, updated: String) {
        let fields = HTTPStorability.updatedFields(HTTPCaseText.fields(stored), with: HTTPCaseText.fields(newer))
        #expect(fields == HTTPCaseText.fields(updated))
    }
}
