internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Where cookies belong (RFC 6265 §5.1.3, §5.1.4, §5.3)", .timeLimit(.minutes(60)), .paced)
struct CookieScopeTests {
    // MARK: - Domains

    @Test(
        "tells hosts in a domain from others",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "www.example.com", true),
            ("example.com", "a.b.example.com", true), ("www.example.com", "example.com", false),
            ("example.com", "badexample.com", false), ("example.com", "example.com.evil.net", false),
            ("example.com", "example.org", false), ("com", "example.com", true), ("", "example.com", false),
            (".example.com", "www.example.com", false), ("example.com.", "www.example.com", false),
            ("example.com", "www.example.com.", false), ("example.com.", "www.example.com.", true),
            ("127.0.0.1", "127.0.0.1", true), ("0.0.1", "127.0.0.1", false), ("1", "127.0.0.1", false),
            ("0.1", "127.0.0.0x1", false), ("0x1", "127.0x1", false), ("1.", "127.0.0.1.", false),
            ("[::1]", "[::1]", true), ("0.0.1]", "[::127.0.0.1]", false), ("1]", "[::1]", false),
        ])
    func domainMatch(domain: String, host: String, expected: Bool) {
        #expect(StoredCookie.domain(domain, covers: host) == expected)
    }

    @Test(
        "belongs to the domain that it names, if the host is in it",
        arguments: [
            ("example.com", "www.example.com", "example.com", false),
            (".example.com", "www.example.com", "example.com", false),
            ("WWW.Example.Com", "www.example.com", "www.example.com", false),
            ("example.com.", "www.example.com.", "example.com.", false),
            ("", "www.example.com", "www.example.com", true), (".", "www.example.com", "www.example.com", true),
            ("x.org; Domain=", "www.example.com", "www.example.com", true),
            ("x.org; Domain=example.com", "www.example.com", "example.com", false),
            // What is a public suffix itself can have cookies for itself.
            ("localhost", "localhost", "localhost", true), ("co.uk", "co.uk", "co.uk", true),
            (".github.io", "github.io", "github.io", true), ("com.", "com.", "com.", true),
            // And so can an address.
            ("127.0.0.1", "127.0.0.1", "127.0.0.1", true), ("[::1]", "[::1]", "[::1]", true),
        ])
    func domains(attribute: String, host: String, domain: String, isHostOnly: Bool) throws {
        let cookie = try StoredCookie.received("a=b; Domain=\(attribute)", from: "https://\(host)/")
        #expect(cookie.domain == domain && cookie.isHostOnly == isHostOnly)
    }

    @Test(
        "is refused for a domain that the host may not speak for",
        arguments: [
            ("example.org", "www.example.com", .foreignDomain), ("www.example.com", "example.com", .foreignDomain),
            ("a.example.com", "b.example.com", .foreignDomain), ("ample.com", "example.com", .foreignDomain),
            ("example.com.", "www.example.com", .foreignDomain), ("example.com", "www.example.com.", .foreignDomain),
            ("0.0.1", "127.0.0.1", .foreignDomain), ("::1", "[::1]", .publicSuffix),
            ("1]", "[::1]", .publicSuffix), ("example.com", "127.0.0.1", .foreignDomain),
            ("com", "example.com", .publicSuffix), (".COM", "example.com", .publicSuffix),
            ("com.", "example.com.", .publicSuffix), ("co.uk", "example.co.uk", .publicSuffix),
            ("co.uk", "example.com", .publicSuffix), ("localhost", "x.localhost", .publicSuffix),
            ("..example.com", "www.example.com", .invalidDomain), ("example..com", "example.com", .invalidDomain),
            ("example.com..", "example.com", .invalidDomain), ("..", "example.com", .invalidDomain),
            ("exämple.com", "example.com", .invalidDomain), ("\u{212A}.example.com", "k.example.com", .invalidDomain),
            ("食狮.com.cn", "xn--85x722f.com.cn", .invalidDomain), ("exam ple.com", "example.com", .invalidDomain),
            ("example.com, example.com", "example.com", .invalidDomain),
            ("example.com:443", "example.com", .foreignDomain), ("https://example.com", "example.com", .foreignDomain),
        ] as [(String, String, CookieRefusal)])
    func refusedDomains(attribute: String, host: String, reason: CookieRefusal) throws {
        #expect(try StoredCookie.refusal("a=b; Domain=\(attribute)", from: "https://\(host)/") == reason)
    }

    @Test("is refused for a domain or a host that is too long for one")
    func longDomain() throws {
        let host = Array(repeating: "abcdefghi", count: 26).joined(separator: ".")
        #expect(try StoredCookie.refusal("a=b; Domain=\(host)", from: "https://example.com/") == .invalidDomain)
        #expect((try? HTTPURL("https://\(host)/")) == nil)
        #expect(try StoredCookie.refusal("a=b", from: "https://a..b/") == .invalidDomain)
    }

    @Test("does not care about the port and the user")
    func port() throws {
        let cookie = try StoredCookie.received("a=b; Domain=example.com", from: "https://u:p@www.example.com:8443/")
        #expect(cookie.domain == "example.com")
        #expect(cookie.matches(try HTTPURL("http://example.com:81/"), at: StoredCookie.someDate))
    }

    // MARK: - Paths

    @Test(
        "tells paths below a path from others",
        arguments: [
            ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true),
            ("/a/", "/a/", true), ("/a/", "/a/b", true), ("/a/", "/a", false), ("/a", "/ab", false), ("/a", "/", false),
            ("/a", "/A", false), ("/a", "/b/a", false), ("/a%2Fb", "/a/b", false), ("/a", "/a%2Fb", false),
            ("/a/b", "/a/b/c", true), ("//", "//a", true), ("/a//", "/a/b", false),
        ])
    func pathMatch(path: String, requested: String, expected: Bool) {
        #expect(StoredCookie.path(path, covers: requested) == expected)
    }

    @Test(
        "takes the path of the URL up to its last slash, without one of its own",
        arguments: [
            ("https://h.test", "/"), ("https://h.test/", "/"), ("https://h.test/a", "/"), ("https://h.test/a/", "/a"),
            ("https://h.test/a/b", "/a"), ("https://h.test/a/b/", "/a/b"), ("https://h.test/a/b?c/d#e/f", "/a"),
            ("https://h.test?/a/b", "/"), ("https://h.test/a%2Fb", "/"), ("https://h.test//a", "/"),
            ("https://h.test//a/b", "//a"),
        ])
    func defaultPath(url: String, expected: String) throws {
        #expect(try StoredCookie.defaultPath(of: HTTPURL(url)) == expected)
        #expect(try StoredCookie.received("a=b", from: url).path == expected)
    }

    @Test(
        "takes a path of its own if that starts with a slash",
        arguments: [
            ("/x", "/x"), ("/", "/"), ("/x/", "/x/"), ("/X?y", "/X?y"), ("x", "/dir"), ("", "/dir"), ("./x", "/dir"),
            ("\"/x\"", "/dir"), ("/x; Path=/y", "/y"), ("/x; Path=", "/dir"), ("/x; Path", "/dir"), ("/é", "/é"),
        ])
    func paths(attribute: String, expected: String) throws {
        let cookie = try StoredCookie.received("a=b; Path=\(attribute)", from: "https://h.test/dir/page")
        #expect(cookie.path == expected)
    }

    // MARK: - Security

    @Test("is for https only if it says so, and then comes over https only")
    func secure() throws {
        #expect(try StoredCookie.received("a=b; Secure", from: "https://h.test/").isSecure)
        #expect(try StoredCookie.refusal("a=b; Secure", from: "http://h.test/") == .insecureOrigin)
        #expect(try StoredCookie.refusal("a=b; secure=no", from: "http://localhost/") == .insecureOrigin)
        #expect(try StoredCookie.refusal("a=b", from: "http://h.test/") == nil)
    }

    @Test(
        "keeps what the beginning of its name promises (RFC 6265bis §4.1.3)",
        arguments: [
            ("__Secure-a=b; Secure", "https", nil), ("__Secure-a=b; Secure; Domain=h.test", "https", nil),
            ("__Secure-a=b", "https", .prefixNotKept), ("__secure-A=b", "https", .prefixNotKept),
            ("__Secure-=b", "https", .prefixNotKept), ("__Secure-\u{301}=b", "https", .prefixNotKept),
            ("__Secure-a=b", "http", .prefixNotKept), ("__Secure-a=b; Secure", "http", .insecureOrigin),
            ("__Secure=b", "https", nil), ("_Secure-a=b", "https", nil), ("a__Secure-=b", "https", nil),
            ("__Host-a=b; Secure; Path=/", "https", nil), ("__Host-a=b; Secure; Path=/; Domain=", "https", nil),
            ("__Host-a=b; Secure", "https", .prefixNotKept), ("__Host-a=b; Path=/", "https", .prefixNotKept),
            ("__HOST-a=b; Secure; Path=/x", "https", .prefixNotKept), ("__Host-a=b", "http", .prefixNotKept),
            ("__Host-a=b; Secure; Path=x", "https", .prefixNotKept),
            ("__Host-a=b; Secure; Path=/; Domain=www.h.test", "https", .prefixNotKept),
            ("__Host-\u{308}=b; Path=/", "https", .prefixNotKept), ("__Host=b", "http", nil),
        ] as [(String, String, CookieRefusal?)])
    func prefixes(text: String, scheme: String, reason: CookieRefusal?) throws {
        #expect(try StoredCookie.refusal(text, from: "\(scheme)://www.h.test/") == reason)
    }
}
