internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Cookies as values", .timeLimit(.minutes(60)), .paced)
struct CookieTests {
    private let full = "id=secret; Domain=example.com; Path=/x; Max-Age=60; Secure; HttpOnly; SameSite=None"

    @Test("can be made by an app")
    func made() throws {
        let cookie = try StoredCookie(
            name: " id ", value: "\tsecret ", domain: "Example.COM", isHostOnly: false, path: "/x",
            expires: StoredCookie.someDate + 60, isSecure: true, isHTTPOnly: true, sameSite: StoredCookie.SameSite.none,
            creationDate: StoredCookie.someDate)
        #expect(try cookie == StoredCookie.received(self.full, from: "https://www.example.com/"))
        let short = try StoredCookie(name: "a", value: "", domain: "h.test", creationDate: StoredCookie.someDate)
        #expect(try short == StoredCookie.received("a=", from: "http://h.test/"))
    }

    @Test(
        "cannot be made if it could not be sent",
        arguments: [
            ("", "v", "h.test", "/"), (" ", "v", "h.test", "/"), ("a=b", "v", "h.test", "/"),
            ("a;b", "v", "h.test", "/"),
            ("a\r\nX: y", "v", "h.test", "/"), ("a", "v; b=c", "h.test", "/"), ("a", "v\r\nX: y", "h.test", "/"),
            ("a", "\0", "h.test", "/"), ("a", String(repeating: "v", count: 4096), "h.test", "/"),
            ("a", "v", "", "/"), ("a", "v", ".h.test", "/"), ("a", "v", "é.test", "/"), ("a", "v", "h.test\n", "/"),
            ("a", "v", "\u{212A}.test", "/"), ("a", "v", "h.test", ""), ("a", "v", "h.test", "x"),
            ("__Secure-a", "v", "h.test", "/"), ("__Host-a", "v", "h.test", "/"),
        ])
    func notMade(name: String, value: String, domain: String, path: String) {
        #expect {
            try StoredCookie(name: name, value: value, domain: domain, path: path, creationDate: StoredCookie.someDate)
        } throws: { error in
            guard let error = error as? ErrandError else { return false }
            return error.code == .invalidRequest && (value.isEmpty || value == "v" || !error.message.contains(value))
        }
    }

    @Test("goes through coders unchanged")
    func coding() throws {
        let cookies = try [
            self.full, "a=b", "a=b; Max-Age=0", "a=b; Max-Age=99999999999999", "\"q\"=é\t🙂; SameSite=strict",
        ].map { try StoredCookie.received($0, from: "https://www.example.com/a/b") }
        let json = try JSONEncoder().encode(cookies)
        #expect(try JSONDecoder().decode([StoredCookie].self, from: json) == cookies)
        let list = try PropertyListEncoder().encode(cookies)
        #expect(try PropertyListDecoder().decode([StoredCookie].self, from: list) == cookies)
    }

    @Test(
        "is not read from data in which it was made dangerous",
        arguments: [
            (#""secret""#, #""secret\r\nX: y""#), (#""id""#, #""""#), (#""id""#, #""a=b""#),
            (#""example.com""#, #"".example.com""#), (#""id""#, #""__Host-id""#), (#""none""#, #""other""#),
            (#""isSecure":true"#, #""isSecure":1"#),
        ])
    func damaged(part: String, other: String) throws {
        let cookie = try StoredCookie.received(self.full, from: "https://www.example.com/")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let json = String(decoding: try encoder.encode(cookie), as: UTF8.self)
        #expect(json.contains(part))
        let damaged = Data(json.replacing(part, with: other).utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(StoredCookie.self, from: damaged) }
    }

    @Test("does not tell its value to a log")
    func description() throws {
        let cookie = try StoredCookie.received(self.full, from: "https://www.example.com/")
        #expect("\(cookie)" == "id for *.example.com/x")
        #expect(try "\(StoredCookie.received("a=b", from: "http://h.test/"))" == "a for h.test/")
    }

    @Test("ends at its date")
    func end() throws {
        let cookie = try StoredCookie.received("a=b; Max-Age=60", from: "http://h.test/")
        #expect(!cookie.isExpired(at: StoredCookie.someDate + 59.9))
        #expect(cookie.isExpired(at: StoredCookie.someDate + 60))
        #expect(try !StoredCookie.received("a=b", from: "http://h.test/").isExpired(at: .distantFuture))
    }

    @Test(
        "goes with the requests that it is for",
        arguments: [
            ("a=b", "http://h.test/dir/x", true), ("a=b", "https://h.test/dir", true), ("a=b", "http://h.test/", false),
            ("a=b", "http://w.h.test/dir/", false), ("a=b; Domain=h.test", "http://w.h.test/dir/", true),
            ("a=b; Domain=h.test", "http://h.test/dir/", true), ("a=b; Domain=h.test", "http://xh.test/dir/", false),
            ("a=b; Secure", "http://h.test/dir/", false), ("a=b; Secure", "https://h.test/dir/", true),
            ("a=b; Max-Age=0", "http://h.test/dir/", false),
            ("a=b; HttpOnly; SameSite=Strict", "http://h.test/dir/", true),
        ])
    func matching(text: String, url: String, expected: Bool) throws {
        let cookie = try StoredCookie.received(text, from: "https://h.test/dir/page")
        #expect(try cookie.matches(HTTPURL(url), at: StoredCookie.someDate) == expected)
    }

    @Test(
        "replaces a cookie of the same name, domain and path only",
        arguments: [
            ("a=2; Secure; Max-Age=5", true), ("a=2; Domain=h.test", true), ("A=2", false), ("a=2; Path=/x", false),
            ("a\u{301}=2", false), ("b=1", false),
        ])
    func replacing(text: String, expected: Bool) throws {
        let cookie = try StoredCookie.received("a=1", from: "https://h.test/")
        #expect(try StoredCookie.received(text, from: "https://h.test/").replaces(cookie) == expected)
    }

    @Test("tells names apart that only look the same")
    func equivalentNames() throws {
        let one = try StoredCookie.received("\u{E9}=1", from: "https://h.test/")
        #expect(try !StoredCookie.received("e\u{301}=1", from: "https://h.test/").replaces(one))
    }
}
