internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Public suffixes (RFC 6265 §5.3)", .timeLimit(.minutes(60)), .paced)
struct PublicSuffixTests {
    /// The list, if it is there on this system.
    private static let list = PublicSuffixLibrary()

    private static let suffixes = [
        "com", "org", "net", "de", "uk", "localhost", "unlisted", "co.uk", "org.uk", "com.au", "co.jp", "ne.jp",
        "com.br", "co.kr", "co.nz", "govt.nz", "co.za", "com.cn", "com.tr", "gv.at", "test.ck", "c.mm", "github.io",
        "appspot.com", "s3.amazonaws.com",
    ]

    private static let others = [
        "example.com", "www.example.com", "example.co.uk", "www.example.co.uk", "example.de", "test.jp",
        "test.github.io", "b.test.ck", "example.unlisted", "x.localhost", "google.com", "t.co", "id.me", "com.example",
    ]

    @Test("knows where anyone can get a host", .enabled(if: PublicSuffixLibrary() != nil), arguments: Self.suffixes)
    func suffix(domain: String) throws {
        let list = try #require(Self.list)
        #expect(list.contains(domain))
        let url = try HTTPURL("https://www.example.\(domain)/")
        #expect(throws: CookieRefusal.publicSuffix) {
            try StoredCookie(parsing: "a=b; Domain=\(domain)", for: url, at: StoredCookie.someDate, suffixes: list)
        }
    }

    @Test("knows what belongs to one", .enabled(if: PublicSuffixLibrary() != nil), arguments: Self.others)
    func noSuffix(domain: String) throws {
        let list = try #require(Self.list)
        #expect(!list.contains(domain))
        let url = try HTTPURL("https://www.\(domain)/")
        let cookie = try StoredCookie(
            parsing: "a=b; Domain=.\(domain)", for: url, at: StoredCookie.someDate, suffixes: list)
        #expect(cookie.domain == domain && !cookie.isHostOnly)
    }

    @Test(
        "has a library that knows what only a full list can", .enabled(if: PublicSuffixLibrary() != nil),
        arguments: [
            ("kobe.jp", true), ("c.kobe.jp", true), ("city.kobe.jp", false), ("www.ck", false), ("ide.kyoto.jp", true),
            ("k12.ak.us", true), ("xn--55qx5d.cn", true), ("xn--85x722f.xn--55qx5d.cn", false),
        ])
    func library(domain: String, expected: Bool) throws {
        let list = try #require(PublicSuffixLibrary())
        #expect(list.contains(domain) == expected)
    }

    @Test("answers for odd names", .enabled(if: PublicSuffixLibrary() != nil))
    func odd() throws {
        let list = try #require(Self.list)
        let long = Array(repeating: "a", count: 127).joined(separator: ".")
        for domain in [long, String(repeating: "a", count: 254), "1.2.3.4", "[::1]", "a.b/c;d", "!", "*.ck", "a_b.-"] {
            _ = list.contains(domain)
        }
        #expect(!list.contains("1.2.3.4"))
        #expect(list.contains("[::1]"))
    }

    @Test("has no library where there is none, or where it is another one")
    func noLibrary() {
        #expect(PublicSuffixLibrary(named: "liberrand-not-there.so.1") == nil)
        #expect(PublicSuffixLibrary(named: "libc.so.6") == nil)
    }

    @Test("takes the library where it is there, and else nothing")
    func system() {
        #expect((PublicSuffixes.system == nil) == (PublicSuffixLibrary() == nil))
    }

    @Test(
        "shares nothing where the suffixes are not known: the cookie stays with its host",
        arguments: [
            ("example.com", "www.example.com"), ("kobe.jp", "city.kobe.jp"), ("c.kobe.jp", "a.c.kobe.jp"),
            ("k12.ak.us", "school.k12.ak.us"), ("github.io", "someone.github.io"), ("shop.test", "one.shop.test"),
            ("eu-west-1.compute.example.com", "vm.eu-west-1.compute.example.com"), ("b.c.d.e.f", "a.b.c.d.e.f"),
        ])
    func unknown(domain: String, host: String) throws {
        let url = try HTTPURL("https://\(host)/")
        let cookie = try StoredCookie(
            parsing: "a=b; Domain=\(domain)", for: url, at: StoredCookie.someDate, suffixes: nil)
        #expect(cookie.domain == host && cookie.isHostOnly)
        #expect(cookie.matches(url, at: StoredCookie.someDate))
        #expect(!cookie.matches(try HTTPURL("https://other.\(domain)/"), at: StoredCookie.someDate))
        #expect(!cookie.matches(try HTTPURL("https://\(domain)/"), at: StoredCookie.someDate))
    }

    @Test(
        "still refuses what is known where the suffixes are not",
        arguments: [
            ("com", "example.com", .publicSuffix), ("localhost", "x.localhost", .publicSuffix),
            ("other.com", "example.com", .foreignDomain), ("..example.com", "example.com", .invalidDomain),
        ] as [(String, String, CookieRefusal)])
    func known(domain: String, host: String, reason: CookieRefusal) throws {
        let url = try HTTPURL("https://\(host)/")
        #expect(throws: reason) {
            try StoredCookie(parsing: "a=b; Domain=\(domain)", for: url, at: StoredCookie.someDate, suffixes: nil)
        }
    }

    @Test("is asked for the domain in lower case, without dots around it")
    func asked() throws {
        let list: FixtureSuffixes = ["shared.test"]
        let url = try HTTPURL("https://a.shared.test./")
        #expect(throws: CookieRefusal.publicSuffix) {
            try StoredCookie(parsing: "a=b; Domain=.Shared.Test.", for: url, at: StoredCookie.someDate, suffixes: list)
        }
        let cookie = try StoredCookie(
            parsing: "a=b; Domain=A.Shared.Test.", for: url, at: StoredCookie.someDate, suffixes: list)
        #expect(cookie.domain == "a.shared.test.")
    }
}
