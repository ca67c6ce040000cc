internal import Errand
internal import Foundation
internal import Testing

@Suite("Public suffixes (RFC 6265 §5.3)", .timeLimit(.minutes(60)))
struct PublicSuffixTests {
    /// Where the answers come from.
    enum Source: CaseIterable, Sendable {
        case library, table

        /// The list, if it is there on this system.
        var list: (any PublicSuffixList)? {
            switch self {
            case .library: PublicSuffixLibrary()
            case .table: PublicSuffixTable()
            }
        }
    }

    private static let suffixes = [
        "com", "org", "net", "de", "uk", "localhost", "unlisted", "co.uk", "org.uk", "com.au", "co.jp", "ne.jp",
        "com.br", "co.kr", "co.nz", "govt.nz", "co.za", "com.cn", "com.tr", "gv.at", "test.ck", "c.mm", "github.io",
        "appspot.com", "s3.amazonaws.com",
    ]

    private static let others = [
        "example.com", "www.example.com", "example.co.uk", "www.example.co.uk", "example.de", "test.jp",
        "test.github.io", "b.test.ck", "example.unlisted", "x.localhost", "google.com", "t.co", "id.me", "com.example",
    ]

    @Test("knows where anyone can get a host", arguments: Source.allCases, Self.suffixes)
    func suffix(source: Source, domain: String) throws {
        guard let list = source.list else { return }
        #expect(list.contains(domain))
        let url = try HTTPURL("https://www.example.\(domain)/")
        #expect(throws: CookieRefusal.publicSuffix) {
            try Cookie(parsing: "a=b; Domain=\(domain)", for: url, at: Cookie.someDate, suffixes: list)
        }
    }

    @Test("knows what belongs to one", arguments: Source.allCases, Self.others)
    func noSuffix(source: Source, domain: String) throws {
        guard let list = source.list else { return }
        #expect(!list.contains(domain))
        let url = try HTTPURL("https://www.\(domain)/")
        let cookie = try Cookie(parsing: "a=b; Domain=.\(domain)", for: url, at: Cookie.someDate, suffixes: list)
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

    @Test("answers for odd names", arguments: Source.allCases)
    func odd(source: Source) {
        guard let list = source.list else { return }
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

    @Test("takes the library where it is there, and else the table")
    func system() {
        #expect(PublicSuffixes.system is PublicSuffixLibrary == (PublicSuffixLibrary() != nil))
        #expect(PublicSuffixes.system is PublicSuffixTable == (PublicSuffixLibrary() == nil))
    }

    @Test("is asked for the domain in lower case, without dots around it")
    func asked() throws {
        let list: FixtureSuffixes = ["shared.test"]
        let url = try HTTPURL("https://a.shared.test./")
        #expect(throws: CookieRefusal.publicSuffix) {
            try Cookie(parsing: "a=b; Domain=.Shared.Test.", for: url, at: Cookie.someDate, suffixes: list)
        }
        let cookie = try Cookie(
            parsing: "a=b; Domain=A.Shared.Test.", for: url, at: Cookie.someDate, suffixes: list)
        #expect(cookie.domain == "a.shared.test.")
    }
}
