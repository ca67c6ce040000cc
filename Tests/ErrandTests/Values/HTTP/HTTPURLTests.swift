internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("HTTPURL", .timeLimit(.minutes(60)), .paced)
struct HTTPURLTests {
    // MARK: - Components

    @Test("takes a full URL apart")
    func components() throws {
        let url = try HTTPURL(parsing: "HTTPS://us%65r:p%40ss@EXAMPLE.com:8443/a/B;c?x=1&y#Frag")
        #expect(url.string == "https://us%65r:p%40ss@example.com:8443/a/B;c?x=1&y#Frag")
        #expect(url.scheme == "https" && url.isSecure)
        #expect(url.user == "user" && url.password == "p@ss")
        #expect(url.host == "example.com")
        #expect(url.port == 8443 && url.effectivePort == 8443)
        #expect(url.authority == "example.com:8443")
        #expect(url.origin == "https://example.com:8443")
        #expect(url.path == "/a/B;c" && url.query == "x=1&y" && url.fragment == "Frag")
        #expect(url.requestTarget == "/a/B;c?x=1&y")
        #expect(url.description == "https://example.com:8443/a/B;c?x=1&y#Frag")
        #expect(url.debugDescription == "https://example.com:8443/a/B;c?x=1&y")
    }

    @Test("fills in what is not written")
    func defaults() throws {
        let url = try HTTPURL(parsing: "http://Example.com")
        #expect(url.string == "http://example.com/")
        #expect(url.path == "/" && url.requestTarget == "/")
        #expect(url.port == nil && url.effectivePort == 80)
        #expect(url.authority == "example.com:80" && url.origin == "http://example.com")
        #expect(url.user == nil && url.password == nil && url.query == nil && url.fragment == nil)
    }

    @Test(
        "keeps an accepted URL as it is, but for scheme, host and empty path",
        arguments: [
            ("http://a", "http://a/"), ("http://a?q", "http://a/?q"), ("http://a#f", "http://a/#f"),
            ("http://a:8080?q", "http://a:8080/?q"), ("HTTP://A/%7e/%7E/../x", "http://a/%7e/%7E/../x"),
            ("http://a:/", "http://a:/"), ("http://a:00080/", "http://a:00080/"), ("http://a:0/", "http://a:0/"),
            ("http://a:65535/", "http://a:65535/"), ("http://@a/", "http://@a/"), ("http://u:@a/", "http://u:@a/"),
            ("http://a//b//", "http://a//b//"), ("http://a/?", "http://a/?"), ("http://a/#", "http://a/#"),
            ("http://a/??/?#/?", "http://a/??/?#/?"), ("http://a/x[]?y[]=1", "http://a/x[]?y[]=1"),
            ("http://127.0.0.1/", "http://127.0.0.1/"), ("http://x_y!$&'()*+,;=z/", "http://x_y!$&'()*+,;=z/"),
            ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]:443/"), ("http://[::]/", "http://[::]/"),
            ("http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"), ("http://[1::]/", "http://[1::]/"),
            ("http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/"),
            ("http://[1:2:3:4:5:6:1.2.3.4]/", "http://[1:2:3:4:5:6:1.2.3.4]/"),
        ])
    func accepted(text: String, expected: String) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.string == expected)
        try expectConsistent(url)
    }

    @Test("takes no host that is longer than a name can be")
    func longHosts() throws {
        let labels = Array(repeating: "a", count: 128).joined(separator: ".")
        let (longest, longer) = (labels, labels + ".a")
        #expect(try HTTPURL(parsing: "https://\(longest)/").host == longest)
        let base = try HTTPURL(parsing: "https://h/")
        for text in ["https://\(longer)/", "//\(longer)"] {
            let problem = #expect(throws: HTTPURLProblem.self) { try base.resolving(reference: text) }
            #expect(problem?.message == "the host is longer than 255 characters")
        }
    }

    @Test("knows where the authority ends", arguments: ["http://h/@x", "http://h?@x", "http://h#@x"])
    func authorityEnds(text: String) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.host == "h" && url.user == nil)
    }

    @Test("leaves a user that is not UTF-8 encoded")
    func userNotUTF8() throws {
        #expect(try HTTPURL(parsing: "http://%FF:%C3%A9@a/").user == "%FF")
        #expect(try HTTPURL(parsing: "http://%FF:%C3%A9@a/").password == "é")
    }

    @Test(
        "says what is wrong with a text, and where",
        arguments: [
            ("", "a URL starts with http:// or https://"), ("/x", "a URL starts with http:// or https://"),
            ("example.com", "a URL starts with http:// or https://"),
            (" http://a", "illegal character U+0020 at offset 0"),
            ("ftp://a/", "the scheme ftp is not supported, only http and https are"),
            ("Mailto:x", "the scheme mailto is not supported, only http and https are"),
            ("http:", "the scheme must be followed by // and a host"),
            ("http:/a", "the scheme must be followed by // and a host"),
            ("http://", "the host is missing"), ("http:///x", "the host is missing"),
            ("http://:80/", "the host is missing"), ("http://u@/", "the host is missing"),
            ("http://a b/", "illegal character U+0020 at offset 8"),
            ("http://a/ b", "illegal character U+0020 at offset 9"),
            ("http://a\\@b/", "illegal character \"\\\" (U+005C) at offset 8"),
            ("http://a@b@c/", "illegal character \"@\" (U+0040) at offset 10"),
            ("http://a%62/", "illegal character \"%\" (U+0025) at offset 8"),
            ("http://a/\u{0}", "illegal character U+0000 at offset 9"),
            ("http://a/?a\r\nb", "illegal character U+000D at offset 11"),
            ("http://a/é", "illegal character U+00E9 at offset 9"),
            ("http://ü.de/", "illegal character U+00FC at offset 7"),
            ("http://a/#🙂", "illegal character U+1F642 at offset 10"),
            ("http://a/##", "illegal character \"#\" (U+0023) at offset 10"),
            ("http://a/<", "illegal character \"<\" (U+003C) at offset 9"),
            ("http://a/?`", "illegal character \"`\" (U+0060) at offset 10"),
            ("http://a/{x}", "illegal character \"{\" (U+007B) at offset 9"),
            ("http://a/?a|b", "illegal character \"|\" (U+007C) at offset 11"),
            ("http://a/^", "illegal character \"^\" (U+005E) at offset 9"),
            ("http://a/%", "illegal character \"%\" at offset 9: no two hexadecimal digits follow"),
            ("http://a/%4", "illegal character \"%\" at offset 9: no two hexadecimal digits follow"),
            ("http://a/?%4g", "illegal character \"%\" at offset 10: no two hexadecimal digits follow"),
            ("http://a%4@b/", "illegal character \"%\" at offset 8: no two hexadecimal digits follow"),
            ("http://a:x/", "illegal character \"x\" (U+0078) at offset 9"),
            ("http://a:-1/", "illegal character \"-\" (U+002D) at offset 9"),
            ("http://a:65536/", "the port is greater than 65535"),
            ("http://a:99999999999999999999999/", "the port is greater than 65535"),
            ("http://[::1]x/", "illegal character \"x\" (U+0078) at offset 12"),
        ])
    func refused(text: String, message: String) {
        #expect(throws: HTTPURLProblem.self) { try HTTPURL(parsing: text) }
        do { _ = try HTTPURL(parsing: text) } catch { #expect(error.message == message) }
    }

    @Test(
        "refuses what is not an IPv6 address in brackets",
        arguments: [
            "", ":", ":::", "1", "1:", ":1", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
            "::12345",
            "g::", "::1.2.3", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4.5", "::1.2.3.4:5", "::1.2..4", "1.2.3.4",
            "fe80::1%25eth0",
            "fe80::1%eth0", "v1.x", "::1", ":::1",
        ])
    func notIPv6(text: String) {
        let closing = text == "::1" ? "" : "]"
        do {
            let url = try HTTPURL(parsing: "http://[\(text)\(closing)/")
            Issue.record("accepted \(url)")
        } catch {
            #expect(error.message == "the host is not an IPv6 address in brackets without a zone")
        }
    }

    // MARK: - References

    /// RFC 3986 §5.4, with `http://a/b/c/d;p?q` as the base.
    @Test(
        "resolves the examples of the standard",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        ])
    func standardReferences(reference: String, expected: String) throws {
        let url = try HTTPURL(parsing: "http://a/b/c/d;p?q").resolving(reference: reference)
        #expect(url.string == expected)
        try expectConsistent(url)
    }

    @Test(
        "resolves references of other kinds",
        arguments: [
            ("https://h/v1/", "users/1", "https://h/v1/users/1"), ("https://h/v1", "users/1", "https://h/users/1"),
            ("https://h", "users/1", "https://h/users/1"), ("https://h/v1/", "users/1:run", "https://h/v1/users/1:run"),
            ("https://h/v1/", "httpEndpoint", "https://h/v1/httpEndpoint"),
            ("https://h/v1/", "./a:b", "https://h/v1/a:b"),
            ("https://h/v1/", "1:2", "https://h/v1/1:2"), ("https://h/v1/#f", "x", "https://h/v1/x"),
            ("https://h/v1/#f", "", "https://h/v1/"), ("https://h/v1/?q#f", "", "https://h/v1/?q"),
            ("https://h/v1/?q#f", "#g", "https://h/v1/?q#g"), ("https://h/v1/?q", "?", "https://h/v1/?"),
            ("https://h/v1/?q", "?#", "https://h/v1/?#"), ("https://h/a/../b/", "x", "https://h/b/x"),
            ("https://h/a/../b/", "/x", "https://h/x"), ("https://h/a/../b/", "?q", "https://h/a/../b/?q"),
            ("https://h/a/", "//H2:81/x/../y?z", "https://h2:81/y?z"), ("http://h/a/", "//u:p@i", "http://u:p@i/"),
            ("https://u:p@h:81/a/", "b", "https://u:p@h:81/a/b"), ("https://h/a/", "/.//x", "https://h//x"),
            ("https://h/a/", "b//../c", "https://h/a/b/c"),
            ("https://h/a/", "/.well-known/x", "https://h/.well-known/x"),
            ("https://h/a/", "HTTP://Other/b/../c", "http://other/b/../c"), ("https://h/", "http://o", "http://o/"),
            ("https://h/a/", "%2e%2e/b", "https://h/a/%2e%2e/b"), ("https://h/a/b", "..?x#y", "https://h/?x#y"),
            ("https://h/v1/", "g?a:b", "https://h/v1/g?a:b"),
        ])
    func references(base: String, reference: String, expected: String) throws {
        let url = try HTTPURL(parsing: base).resolving(reference: reference)
        #expect(url.string == expected)
        try expectConsistent(url)
    }

    @Test(
        "refuses references that lead elsewhere or are malformed",
        arguments: [
            ("a:b", "the scheme a is not supported, only http and https are"),
            ("mailto:x@y", "the scheme mailto is not supported, only http and https are"),
            ("http:g", "the scheme must be followed by // and a host"), ("///x", "the host is missing"),
            ("//", "the host is missing"), ("a b", "illegal character U+0020 at offset 1"),
            ("//h/a b", "illegal character U+0020 at offset 5"), ("naïve", "illegal character U+00EF at offset 2"),
        ])
    func refusedReference(reference: String, message: String) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        do {
            let url = try base.resolving(reference: reference)
            Issue.record("resolved to \(url)")
        } catch {
            #expect(error.message == message)
        }
    }

    // MARK: - Queries and encoding

    @Test(
        "adds query items before the fragment",
        arguments: [
            ("http://a", "x=1", "http://a/?x=1"), ("http://a/?", "x=1", "http://a/?x=1"),
            ("http://a/?y", "x=1", "http://a/?y&x=1"), ("http://a/?y#f", "x=1", "http://a/?y&x=1#f"),
            ("http://a/#f", "x=1", "http://a/?x=1#f"), ("http://a/b?c#f", "", "http://a/b?c#f"),
            ("http://a/", "q=a b#c", "http://a/?q=a%20b%23c"), ("http://a/", "%41=é", "http://a/?%41=%C3%A9"),
            ("http://a/", "100%", "http://a/?100%25"), ("http://a/", "%4", "http://a/?%254"),
            ("http://a/", "a=1\r\nX: y", "http://a/?a=1%0D%0AX:%20y"),
        ])
    func appending(base: String, items: String, expected: String) throws {
        let url = try HTTPURL(parsing: base).appendingQuery(items)
        #expect(url.string == expected)
        try expectConsistent(url)
    }

    @Test(
        "hides secrets in the form for logs",
        arguments: [
            ("https://u:p@h/a?b=1#f", "https://h/a?b=1"), ("https://h:81", "https://h:81/"),
            ("https://h/?access_token=x&a=y&API_KEY=z", "https://h/?access_token=***&a=y&API_KEY=***"),
            ("https://h/?tok%65n=x%20y", "https://h/?tok%65n=***"), ("https://h/?token", "https://h/?token"),
            ("https://h/?a=b=c&&=", "https://h/?a=b=c&&="),
            ("https://h/?X-Amz-Signature=q=r", "https://h/?X-Amz-Signature=***"),
            (
                "https://h/?password=1&passwd=2&client_secret=3&oauth=4&sessionid=5&code=6",
                "https://h/?password=***&passwd=***&client_secret=***&oauth=***&sessionid=***&code=***"
            ),
        ])
    func redaction(text: String, expected: String) throws {
        #expect(try HTTPURL(parsing: text).redacted == expected)
    }

    @Test("encodes what may not stay in a query item")
    func encoding() {
        #expect(HTTPURL.percentEncode("AZaz09-._~/?") == "AZaz09-._~/?")
        #expect(HTTPURL.percentEncode("a b+c&d=e%f#[é]") == "a%20b%2Bc%26d%3De%25f%23%5B%C3%A9%5D")
        #expect(HTTPURL.percentEncode("a/b?c", for: .pathSegment) == "a%2Fb%3Fc")
        #expect(HTTPURL.percentEncode("").isEmpty)
    }

    @Test(
        "decodes what is encoded, and nothing else",
        arguments: [
            ("", ""), ("a+b", "a+b"), ("%41%c3%A9", "Aé"), ("%25%34%31", "%41"), ("%", nil), ("%4", nil), ("%4x", nil),
            ("%C3", nil), ("%ED%A0%80", nil), ("é%20", "é "),
        ])
    func decoding(text: String, expected: String?) {
        #expect(HTTPURL.percentDecode(text) == expected)
    }

    // MARK: - Foundation and identity

    @Test("converts from and to Foundation")
    func foundation() throws {
        let url = try HTTPURL(parsing: "https://u:p@example.com:81/a%20b?c=d#e")
        let other = try #require(url.url)
        #expect(other.absoluteString == url.string)
        #expect(try HTTPURL(parsing: other) == url)
        let file = try #require(URL(string: "file:///x"))
        #expect(throws: HTTPURLProblem.self) { try HTTPURL(parsing: file) }
    }

    @Test("is equal to what is spelt the same")
    func equality() throws {
        let url = try HTTPURL(parsing: "HTTP://A/x")
        #expect(try url == HTTPURL(parsing: "http://a/x"))
        #expect(try url.hashValue == HTTPURL(parsing: "http://a/x").hashValue)
        #expect(try url != HTTPURL(parsing: "http://a/X"))
    }

    // MARK: - Robustness

    @Test("survives any text, and reads what it has written")
    func randomTexts() throws {
        var random = SeededGenerator(state: 0x5EED_0F_ABAD_CAFE)
        let base = try HTTPURL(parsing: "https://h/a/b?c#d")
        var accepted = 0
        for round in 0..<TestEffort.rounds(of: 100_000) {
            let text = random.text(isStructured: round % 4 != 0)
            if let url = try? HTTPURL(parsing: text) {
                accepted += 1
                try expectConsistent(url)
                _ = url.url
                try expectConsistent(url.appendingQuery(text))
                if let resolved = try? url.resolving(reference: text) { try expectConsistent(resolved) }
            }
            if let resolved = try? base.resolving(reference: text) { try expectConsistent(resolved) }
            try expectConsistent(base.appendingQuery(text))
            #expect(HTTPURL.percentDecode(HTTPURL.percentEncode(text)) == text)
            _ = HTTPURL.percentDecode(text)
            _ = HTTPFields([HTTPField(name: text, value: text)]).description
            try? HTTPFields([HTTPField(name: text, value: text)]).validate()
            if let type = MIMEType(text) { #expect(MIMEType(type.description) == type) }
        }
        #expect(accepted > TestEffort.rounds(of: 1_000))
    }

    /// Checks that the offsets of a URL are those that reading its string yields.
    private func expectConsistent(_ url: HTTPURL) throws {
        let again = try HTTPURL(parsing: url.string)
        let isSame =
            again.string == url.string && again.authority == url.authority && again.host == url.host
            && again.port == url.port && again.path == url.path && again.query == url.query
            && again.fragment == url.fragment && again.user == url.user && again.password == url.password
            && again.requestTarget == url.requestTarget && again.origin == url.origin
            && again.redacted == url.redacted && again.isSecure == url.isSecure
        if !isSame { Issue.record("\(url) is not what its string says") }
    }
}

/// A small generator whose numbers depend on the seed alone.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (self.state ^ (self.state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Random bytes, or pieces that URLs and media types are made of.
    mutating func text(isStructured: Bool) -> String {
        let count = Int.random(in: 0...20, using: &self)
        guard isStructured else {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
            return String(decoding: bytes, as: UTF8.self)
        }
        var text = Bool.random(using: &self) ? "http://" : ""
        for _ in 0..<count { text += Self.pieces.randomElement(using: &self) ?? "" }
        return text
    }

    private static let pieces = [
        "http", "https:", "//", "/", ".", "..", "/../", "a", "B", "1", ":80", ":", "@", "?", "#", "%41", "%", "&", "=",
        "[",
        "]", "[::1]", "::", "é", " ", "\t", "\"", ";", "charset", "token=", "text/html", "\\",
    ]
}
