internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Reading Set-Cookie (RFC 6265 §5.2)", .timeLimit(.minutes(60)), .paced)
struct SetCookieTests {
    private let url = "https://www.example.com/dir/page"

    // MARK: - Name and value

    @Test(
        "takes name and value as they are",
        arguments: [
            ("a=b", "a", "b"), (" a = b ", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a=", "a", ""), ("a=;", "a", ""),
            ("a==b=", "a", "=b="), ("a=b=c", "a", "b=c"), ("a=\"b\"", "a", "\"b\""), ("a=\"b;c\"", "a", "\"b"),
            ("a=b c,d", "a", "b c,d"), ("a b=c", "a b", "c"), ("a\tb=c\td", "a\tb", "c\td"), ("a=b;;;", "a", "b"),
            ("a=b; secure=; =x; nonsense; ;", "a", "b"), ("Secure=x", "Secure", "x"), ("ключ=é🙂", "ключ", "é🙂"),
            ("$Version=1", "$Version", "1"), ("a,b=c", "a,b", "c"),
        ])
    func pairs(text: String, name: String, value: String) throws {
        let cookie = try StoredCookie.received(text, from: self.url)
        #expect(cookie.name == name && cookie.value == value && cookie.pair == "\(name)=\(value)")
    }

    @Test(
        "refuses what is no cookie, or could break out of a line",
        arguments: [
            ("", .missingName), (";", .missingName), ("a", .missingName), ("=", .missingName), ("=b", .missingName),
            (" =b", .missingName), ("a; b=c", .missingName), ("; a=b", .missingName), ("__Host-a", .missingName),
            ("a=b\r\nX: y", .illegalCharacter), ("a=b\r", .illegalCharacter), ("a=b\n", .illegalCharacter),
            ("a=\0b", .illegalCharacter), ("a\u{1F}=b", .illegalCharacter), ("a=b\u{7F}", .illegalCharacter),
            ("a=b; Path=/\u{1}", .illegalCharacter), ("a=b; x\u{8}", .illegalCharacter),
        ] as [(String, CookieRefusal)])
    func refused(text: String, reason: CookieRefusal) throws {
        #expect(try StoredCookie.refusal(text, from: self.url) == reason)
    }

    @Test("takes 4096 bytes of name and value, and no more")
    func size() throws {
        let value = String(repeating: "é", count: 2047)
        #expect(try StoredCookie.received("ab=\(value)", from: self.url).value == value)
        #expect(try StoredCookie.refusal("abc=\(value)", from: self.url) == .tooLarge)
        #expect(try StoredCookie.refusal("\(String(repeating: "n", count: 4097))=", from: self.url) == .tooLarge)
        let long = String(repeating: "x", count: 100_000)
        #expect(try StoredCookie.received("a=b; x=\(long)", from: self.url).value == "b")
    }

    // MARK: - Attributes

    @Test("has no attributes without any")
    func defaults() throws {
        let cookie = try StoredCookie.received("a=b", from: self.url)
        #expect(cookie.domain == "www.example.com" && cookie.isHostOnly && cookie.path == "/dir")
        #expect(cookie.expires == nil && !cookie.isSecure && !cookie.isHTTPOnly && cookie.sameSite == nil)
        #expect(cookie.creationDate == StoredCookie.someDate)
    }

    @Test("takes all attributes, whatever their case and spaces")
    func attributes() throws {
        let cookie = try StoredCookie.received(
            "a=b;SECURE ; HttpOnly=ignored; sAmEsItE = Lax ;DOMAIN=Example.COM; path = /x ;MAX-AGE= 60 ", from: self.url
        )
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == .lax)
        #expect(cookie.domain == "example.com" && !cookie.isHostOnly && cookie.path == "/x")
        #expect(cookie.expires == StoredCookie.someDate + 60)
    }

    @Test(
        "keeps the last SameSite that is known",
        arguments: [
            ("Strict", .strict), ("lax", .lax), ("NONE", StoredCookie.SameSite.none), ("", nil), ("other", nil),
            ("strict; SameSite=lax", .lax), ("strict; SameSite=other", nil),
        ] as [(String, StoredCookie.SameSite?)])
    func sameSite(text: String, expected: StoredCookie.SameSite?) throws {
        #expect(try StoredCookie.received("a=b; SameSite=\(text)", from: self.url).sameSite == expected)
    }

    @Test(
        "ends in as many seconds as Max-Age says, or when Expires says",
        arguments: [
            ("Max-Age=10", 10), ("Max-Age=007", 7), ("Max-Age=10; Max-Age=20", 20), ("Max-Age=10; Max-Age=x", 10),
            ("Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 10),
            ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=10", 10),
            ("Expires=Sun, 09 Sep 2001 01:46:45 GMT", 5), ("Expires=Sun, 09 Sep 2001 01:46:45 GMT; Max-Age=x", 5),
            ("Expires=Sun, 09 Sep 2001 01:46:45 GMT; Expires=never", 5),
            ("Expires=Sun, 09 Sep 2001 01:46:45 GMT; Expires=Sun, 09 Sep 2001 01:46:46 GMT", 6),
            ("Max-Age", nil), ("Max-Age=", nil), ("Max-Age=-", nil), ("Max-Age=+5", nil), ("Max-Age=5s", nil),
            ("Max-Age=1.5", nil), ("Max-Age=5 5", nil), ("Max-Age=--5", nil), ("Max-Age=\"5\"", nil),
            ("Max-Age=٣", nil), ("Expires=tomorrow", nil), ("Expires", nil), ("Expires=\"\"", nil),
        ] as [(String, Double?)])
    func expires(text: String, seconds: Double?) throws {
        let cookie = try StoredCookie.received("a=b; \(text)", from: self.url)
        #expect(cookie.expires == seconds.map { StoredCookie.someDate + $0 })
    }

    @Test("has ended with a Max-Age of zero or less, and ends with time with one that is too large")
    func extremeAges() throws {
        for age in ["0", "-0", "-1", "-99999999999999999999999999", "000"] {
            let cookie = try StoredCookie.received("a=b; Max-Age=\(age)", from: self.url)
            #expect(cookie.expires == .distantPast && cookie.isExpired(at: StoredCookie.someDate))
        }
        for age in ["99999999999", "99999999999999999999999999", String(repeating: "9", count: 1024)] {
            let cookie = try StoredCookie.received("a=b; Max-Age=\(age)", from: self.url)
            #expect(cookie.expires == .distantFuture && !cookie.isExpired(at: StoredCookie.someDate))
        }
    }

    @Test("does not see attributes of more than 1024 bytes")
    func longAttributes() throws {
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try StoredCookie.received("a=b; Path=\(path)", from: self.url).path == path)
        #expect(try StoredCookie.received("a=b; Path=\(path)p", from: self.url).path == "/dir")
        #expect(try StoredCookie.received("a=b; Path=/x; Path=\(path)p", from: self.url).path == "/x")
        let age = String(repeating: "0", count: 1024) + "5"
        #expect(try StoredCookie.received("a=b; Max-Age=\(age)", from: self.url).expires == nil)
        let domain = String(repeating: "d", count: 1025)
        #expect(try StoredCookie.received("a=b; Domain=\(domain)", from: self.url).isHostOnly)
    }

    @Test("gives every refusal words of its own")
    func words() {
        #expect(Set(CookieRefusal.allCases.map(\.message)).count == CookieRefusal.allCases.count)
    }
}
