internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The cookie jar (RFC 6265 §5.3, §5.4)", .timeLimit(.minutes(60)), .paced)
struct CookieJarTests {
    private let date = FixtureDate()

    private func jar(limit: Int = 3000, domainLimit: Int = 50) -> CookieJar {
        CookieJar(limit: limit, domainLimit: domainLimit) { [date] in date.now }
    }

    private func store(_ texts: String..., from url: String, in jar: CookieJar) async throws {
        let cookies = try texts.map { try StoredCookie.received($0, from: url, at: self.date.now) }
        await jar.store(cookies, from: try HTTPURL(url))
    }

    private func pairs(for url: String, in jar: CookieJar) async throws -> [String] {
        await jar.cookies(for: try HTTPURL(url)).map(\.pair)
    }

    // MARK: - Sending

    @Test("answers the cookies of a host and of the domains it is in")
    func hosts() async throws {
        let jar = self.jar()
        try await self.store("a=1", "b=2; Domain=h.test", "c=3; Domain=w.h.test", from: "http://w.h.test/", in: jar)
        try await self.store("d=4", from: "http://h.test/", in: jar)
        try await self.store("e=5", from: "http://127.0.0.1/", in: jar)
        try await self.store("f=6", from: "http://[::1]/", in: jar)
        #expect(try await self.pairs(for: "http://w.h.test/", in: jar) == ["a=1", "b=2", "c=3"])
        #expect(try await self.pairs(for: "http://v.w.h.test/", in: jar) == ["b=2", "c=3"])
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["b=2", "d=4"])
        #expect(try await self.pairs(for: "http://x.test/", in: jar) == [])
        #expect(try await self.pairs(for: "http://test/", in: jar) == [])
        #expect(try await self.pairs(for: "http://127.0.0.1/", in: jar) == ["e=5"])
        #expect(try await self.pairs(for: "http://[::1]:81/", in: jar) == ["f=6"])
        #expect(try await self.pairs(for: "http://1.127.0.0.1/", in: jar) == [])
    }

    @Test("sends longer paths first, and of equal ones the older")
    func order() async throws {
        let jar = self.jar()
        try await self.store("c=1; Path=/", "b=2; Path=/a/b", "a=3; Path=/", from: "http://h.test/", in: jar)
        self.date.advance(by: 1)
        try await self.store("e=4; Path=/a", "d=5; Path=/a/b", "f=6; Path=/", from: "http://h.test/", in: jar)
        let all = ["b=2", "d=5", "e=4", "c=1", "a=3", "f=6"]
        #expect(try await self.pairs(for: "http://h.test/a/b/c", in: jar) == all)
        #expect(try await self.pairs(for: "http://h.test/a", in: jar) == ["e=4", "c=1", "a=3", "f=6"])
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["c=1", "a=3", "f=6"])
    }

    @Test("sends the older first across domains, and though the clock went back")
    func orderAcrossDomains() async throws {
        let jar = self.jar()
        try await self.store("a=1; Path=/", from: "http://w.h.test/", in: jar)
        self.date.advance(by: -10)
        try await self.store("b=2; Path=/; Domain=h.test", from: "http://w.h.test/", in: jar)
        #expect(try await self.pairs(for: "http://w.h.test/", in: jar) == ["b=2", "a=1"])
    }

    // MARK: - Storing

    @Test("replaces a cookie and keeps its place")
    func replacing() async throws {
        let jar = self.jar()
        let start = self.date.now
        try await self.store("a=1; Max-Age=100", "b=2", from: "http://h.test/", in: jar)
        self.date.advance(by: 10)
        try await self.store("a=3; HttpOnly", "a=4; Path=/x", from: "http://h.test/", in: jar)
        #expect(try await self.pairs(for: "http://h.test/x", in: jar) == ["a=4", "a=3", "b=2"])
        let cookie = try #require(await jar.cookies.first)
        #expect(cookie.value == "3" && cookie.creationDate == start && cookie.expires == nil && cookie.isHTTPOnly)
        #expect(await jar.cookies.map(\.creationDate) == [start, start, start + 10])
    }

    @Test("forgets a cookie that a server takes back")
    func takenBack() async throws {
        let jar = self.jar()
        try await self.store("a=1", "b=2", from: "http://h.test/", in: jar)
        try await self.store("a=; Max-Age=0", "c=; Max-Age=0", from: "http://h.test/", in: jar)
        try await self.store("b=; Path=/x; Max-Age=0", from: "http://h.test/", in: jar)
        #expect(await jar.cookies.map(\.pair) == ["b=2"])
        try await self.store("b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "http://h.test/", in: jar)
        #expect(await jar.cookies.isEmpty)
    }

    @Test("forgets cookies when their time is over")
    func expiry() async throws {
        let jar = self.jar()
        try await self.store("a=1; Max-Age=10", "b=2; Max-Age=20", "c=3", from: "http://h.test/", in: jar)
        self.date.advance(by: 9.5)
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["a=1", "b=2", "c=3"])
        self.date.advance(by: 0.5)
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["b=2", "c=3"])
        self.date.advance(by: 10)
        await jar.removeExpired()
        // Not even when the clock goes back: they are gone.
        self.date.advance(by: -20)
        #expect(await jar.cookies.map(\.pair) == ["c=3"])
        self.date.advance(by: 1e10)
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["c=3"])
    }

    @Test("takes a cookie for new when the one of its name has expired")
    func newAfterExpiry() async throws {
        let jar = self.jar()
        try await self.store("a=1; Max-Age=10", "b=2", from: "http://h.test/", in: jar)
        self.date.advance(by: 10)
        try await self.store("a=3", from: "http://h.test/", in: jar)
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["b=2", "a=3"])
        #expect(await jar.cookies.last?.creationDate == self.date.now)
    }

    @Test(
        "lets nothing that came over http hide what is for https only (RFC 6265bis §5.7)",
        arguments: [
            ("id=0; Path=/in", "http://w.h.test/", false), ("id=0; Path=/in/x", "http://w.h.test/", false),
            ("id=0; Path=/in; Domain=h.test", "http://v.h.test/", false),
            ("id=0; Path=/in", "http://v.w.h.test/", false), ("id=; Path=/in; Max-Age=0", "http://w.h.test/", false),
            ("id=0; Path=/", "http://w.h.test/", true), ("ID=0; Path=/in", "http://w.h.test/", true),
            ("id=0; Path=/in", "http://v.h.test/", true), ("id=0; Path=/in/x", "https://w.h.test/", true),
        ])
    func secureCookies(text: String, url: String, isTaken: Bool) async throws {
        let jar = self.jar()
        try await self.store("id=1; Path=/in; Secure; Domain=w.h.test", from: "https://w.h.test/", in: jar)
        try await self.store(text, from: url, in: jar)
        #expect(await jar.cookies.contains { $0.value == "1" })
        #expect(await jar.cookies.contains { $0.value == "0" } == isTaken)
    }

    @Test("lets http set what an expired cookie for https was")
    func expiredSecureCookie() async throws {
        let jar = self.jar()
        try await self.store("id=1; Secure; Max-Age=5", from: "https://h.test/", in: jar)
        self.date.advance(by: 5)
        try await self.store("id=0", from: "http://h.test/", in: jar)
        #expect(await jar.cookies.map(\.pair) == ["id=0"])
    }

    @Test("keeps cookies for https from http")
    func secureOnlyOverHTTPS() async throws {
        let jar = self.jar()
        try await self.store("a=1; Secure", "b=2", from: "https://h.test/", in: jar)
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["b=2"])
        #expect(try await self.pairs(for: "https://h.test/", in: jar) == ["a=1", "b=2"])
    }

    // MARK: - Limits

    @Test("keeps 50 cookies of a domain, those that were used last")
    func domainLimit() async throws {
        let jar = self.jar()
        for index in 0..<50 { try await self.store("c\(index)=1; Path=/\(index)", from: "http://h.test/", in: jar) }
        try await self.store("other=1", from: "http://w.h.test/", in: jar)
        _ = try await self.pairs(for: "http://h.test/0", in: jar)
        for index in 50..<60 { try await self.store("c\(index)=1; Path=/\(index)", from: "http://h.test/", in: jar) }
        let names = await jar.cookies.map(\.name)
        #expect(names == ["c0"] + (11..<50).map { "c\($0)" } + ["other"] + (50..<60).map { "c\($0)" })
    }

    @Test("lets go of expired cookies before those that are good")
    func expiredFirst() async throws {
        let jar = self.jar(domainLimit: 3)
        try await self.store("a=1", "b=2; Max-Age=5", "c=3", from: "http://h.test/", in: jar)
        self.date.advance(by: 5)
        try await self.store("d=4", from: "http://h.test/", in: jar)
        #expect(await jar.cookies.map(\.name) == ["a", "c", "d"])
        let small = self.jar(limit: 3)
        try await self.store("a=1", "b=2; Max-Age=5", from: "http://h.test/", in: small)
        try await self.store("c=3", from: "http://i.test/", in: small)
        self.date.advance(by: 5)
        try await self.store("d=4", from: "http://j.test/", in: small)
        #expect(await small.cookies.map(\.name) == ["a", "c", "d"])
    }

    @Test("keeps 3000 cookies in all, those that were used last")
    func limit() async throws {
        let jar = self.jar()
        for index in 0..<3_000 {
            try await self.store("a=\(index)", from: "http://h\(index / 40).test/\(index % 40)/", in: jar)
        }
        #expect(await jar.cookies.count == 3_000)
        #expect(try await self.pairs(for: "http://h0.test/0/", in: jar) == ["a=0"])
        for index in 0..<10 { try await self.store("b=1", from: "http://n\(index).test/", in: jar) }
        let values = await jar.cookies.filter { $0.name == "a" }.map(\.value)
        #expect(values == ["0"] + (11..<3_000).map { "\($0)" })
    }

    @Test("keeps nothing with no room", arguments: [(0, 50), (10, 0), (-1, -1)])
    func noRoom(limit: Int, domainLimit: Int) async throws {
        let jar = self.jar(limit: limit, domainLimit: domainLimit)
        try await self.store("a=1", "b=2", from: "http://h.test/", in: jar)
        #expect(await jar.cookies.isEmpty)
    }

    // MARK: - Apps

    @Test("can be emptied")
    func removeAll() async throws {
        let jar = self.jar()
        try await self.store("a=1", from: "http://h.test/", in: jar)
        await jar.removeAll()
        #expect(await jar.cookies.isEmpty)
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == [])
        try await self.store("b=2", from: "http://h.test/", in: jar)
        #expect(await jar.cookies.map(\.pair) == ["b=2"])
    }

    @Test("takes a cookie from the app, whatever is there")
    func insert() async throws {
        let jar = self.jar()
        try await self.store("id=1; Secure", from: "https://h.test/", in: jar)
        await jar.insert(try StoredCookie(name: "id", value: "2", domain: "h.test", creationDate: self.date.now))
        #expect(try await self.pairs(for: "http://h.test/", in: jar) == ["id=2"])
    }

    @Test("goes on from what was kept, in the same order")
    func restore() async throws {
        let jar = self.jar()
        try await self.store("c=1", "a=2; Path=/x; Max-Age=50", "b=3; Max-Age=5", from: "http://h.test/", in: jar)
        self.date.advance(by: 1)
        try await self.store("a=4", "d=5; Secure; Domain=h.test", from: "https://h.test/", in: jar)
        let kept = try JSONEncoder().encode(await jar.cookies)
        let other = self.jar()
        try await self.store("z=0", from: "http://h.test/", in: other)
        await other.restore(try JSONDecoder().decode([StoredCookie].self, from: kept))
        #expect(await other.cookies == jar.cookies)
        for url in ["http://h.test/", "https://w.h.test/x", "https://h.test/x/y"] {
            #expect(try await self.pairs(for: url, in: other) == self.pairs(for: url, in: jar))
        }
        self.date.advance(by: 4)
        await other.restore(try JSONDecoder().decode([StoredCookie].self, from: kept))
        #expect(await other.cookies.map(\.name) == ["c", "a", "a", "d"])
    }

    @Test("may be used by many at once")
    func manyTasks() async throws {
        let jar = self.jar(limit: 100, domainLimit: 10)
        let cookies = try (0..<64).map { index in
            let domain = "h\(index % 20).test"
            return try StoredCookie.received("c\(index % 16)=\(index); Domain=\(domain)", from: "http://w.\(domain)/")
        }
        let urls = try (0..<20).map { try HTTPURL("http://w.h\($0).test/") }
        await withTaskGroup { group in
            for index in 0..<2_000 {
                group.addTask {
                    let url = urls[index % 20]
                    await jar.store([cookies[index % 64], cookies[(index * 7) % 64]], from: url)
                    let answered = await jar.cookies(for: url)
                    #expect(answered.allSatisfy { $0.matches(url, at: StoredCookie.someDate) } && answered.count <= 10)
                    if index % 97 == 0 { await jar.removeAll() }
                    if index % 31 == 0 { await jar.restore(jar.cookies) }
                }
            }
        }
        let left = await jar.cookies
        #expect(left.count <= 100)
        for (index, cookie) in left.enumerated() {
            #expect(!left[..<index].contains { $0.replaces(cookie) })
        }
    }
}
