internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Cookies from servers that send anything (G12)", .timeLimit(.minutes(60)), .paced)
struct CookieFuzzTests {
    @Test("survives any value, and takes no cookie that could break out of a line")
    func anyBytes() async throws {
        var random = SplitMix64(seed: 0x5E7_C00C1E)
        let urls = try [
            "https://www.example.com/a/b", "http://www.example.com/", "https://127.0.0.1/", "http://[::1]/x/",
            "https://a.example.co.uk/", "http://h.test./",
        ].map { try HTTPURL(parsing: $0) }
        let jar = CookieJar(limit: 200) { StoredCookie.someDate }
        var (taken, refused) = (0, Set<CookieRefusal>())
        for round in 0..<TestEffort.rounds(of: 100_000) {
            let text = round % 3 == 0 ? random.bytes() : random.pieces()
            let url = urls[random.next(below: urls.count)]
            do {
                let cookie = try StoredCookie(parsing: text, for: url, at: StoredCookie.someDate)
                taken += 1
                try self.check(cookie, from: url)
                await jar.store([cookie], from: url)
                if round % 100 == 0 { try await self.check(jar, for: url) }
            } catch let refusal as CookieRefusal {
                refused.insert(refusal)
            }
        }
        #expect(taken > TestEffort.rounds(of: 20_000))
        #expect(refused == Set(CookieRefusal.allCases).subtracting([.invalidPath]))
    }

    /// Checks what holds for each cookie that was taken.
    private func check(_ cookie: StoredCookie, from url: HTTPURL) throws {
        let field = HTTPFields([HTTPField(name: "Cookie", value: cookie.pair)])
        try field.validate()
        let isSound =
            field["Cookie"] == cookie.pair.trimmingCharacters(in: [" ", "\t"])
            && !cookie.pair.utf8.contains { $0 == UInt8(ascii: ";") || $0 == 10 || $0 == 13 || $0 == 0 }
            && !cookie.name.isEmpty && !cookie.name.utf8.contains(UInt8(ascii: "="))
            && cookie.name.utf8.count + cookie.value.utf8.count <= StoredCookie.sizeLimit
            && cookie.path.utf8.first == UInt8(ascii: "/")
            && (cookie.isHostOnly ? cookie.domain == url.host : StoredCookie.domain(cookie.domain, covers: url.host))
            && (url.isSecure || !cookie.isSecure)
        if !isSound { Issue.record("\(cookie.pair) for \(cookie) from \(url)") }
    }

    /// Checks that a request with all the cookies that go with a URL can be sent.
    private func check(_ jar: CookieJar, for url: HTTPURL) async throws {
        let request = await HTTPRequest(url: url).addingCookies(from: jar)
        try request.validate()
        let pairs = request.headers["Cookie"]?.utf8.split(separator: UInt8(ascii: ";")).count ?? 0
        #expect(await jar.cookies(for: url).count == pairs)
        let kept = await jar.cookies
        let coded = try JSONDecoder().decode([StoredCookie].self, from: JSONEncoder().encode(kept))
        #expect(coded == kept && kept.count <= 200)
    }
}

extension SplitMix64 {
    /// Any bytes, read as text the way a lenient reader does.
    fileprivate mutating func bytes() -> String {
        let count = self.next(below: 40)
        return String(decoding: (0..<count).map { _ in UInt8(truncatingIfNeeded: self.next()) }, as: UTF8.self)
    }

    /// Pieces that such values are made of, in any order, now and then with a byte too many.
    fileprivate mutating func pieces() -> String {
        let pieces = [
            "a", "name", "=", "=", "v", "\"", ";", "; ", ";", "Path=/", "Path=/a", "Domain=", "Domain=.example.com",
            "Domain=com", "Domain=co.uk", "Domain=127.0.0.1", "Domain=h.test.", "Secure", "HttpOnly", "Max-Age=", "-",
            "99999999999999999999", "Expires=", "Wed, 21 Oct 2065 07:28:00 GMT", "31 feb", "1:2:3", "SameSite=lax",
            "__Host-", "__Secure-", " ", "\t", ",", "é", "e\u{301}", "\u{212A}", "..", "%0d%0a",
        ]
        var text = self.next(below: 4) > 0 ? "n\(self.next(below: 9))=v" : ""
        for _ in 0..<self.next(below: 12) { text += pieces[self.next(below: pieces.count)] }
        switch self.next(below: 40) {
        case 0: text += String(decoding: [UInt8(self.next(below: 128))], as: UTF8.self)
        case 1: text += String(repeating: "x", count: 4_100)
        case 2: text += "\r\nX: y"
        default: break
        }
        return text
    }
}
