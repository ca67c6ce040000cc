internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Cookies of an exchange (RFC 6265 §5.4)", .timeLimit(.minutes(60)), .paced)
struct CookieExchangeTests {
    /// A store that answers what it is told to.
    private struct FixedStore: CookieStore {
        let kept: [StoredCookie]

        func cookies(for url: HTTPURL) async -> [StoredCookie] { self.kept }
        func store(_ cookies: [StoredCookie], from url: HTTPURL) async {}
        func removeAll() async {}
    }

    private func store(_ texts: [String]) throws -> FixedStore {
        FixedStore(kept: try texts.map { try StoredCookie.received($0, from: "https://h.test/") })
    }

    // MARK: - Requests

    @Test(
        "puts the store's cookies behind the request's own, which win",
        arguments: [
            ([], ["a=1", "b=2"], ["a=1; b=2"]), (["x=0"], ["a=1", "b=2"], ["x=0; a=1; b=2"]),
            (["a=0"], ["a=1", "b=2"], ["a=0; b=2"]), (["a=0; b=0"], ["a=1", "b=2"], ["a=0; b=0"]),
            (["x=0; b = 0 ;y"], ["a=1", "b=2", "y=3"], ["x=0; b = 0 ;y; a=1"]),
            (["x=0", "a=0"], ["a=1", "b=2"], ["x=0; a=0; b=2"]), (["x=0", "a=0"], ["a=1"], ["x=0", "a=0"]),
            ([""], ["a=1"], ["a=1"]), (["A=0"], ["a=1"], ["A=0; a=1"]), (["x=\"a=5\""], ["a=1"], ["x=\"a=5\"; a=1"]),
            (["x=0"], [], ["x=0"]), ([], [], []), (["x=0", "y=0"], [], ["x=0", "y=0"]),
            ([], ["a=1; Path=/x", "a=2"], ["a=1; a=2"]), (["\u{E9}=0"], ["e\u{301}=1"], ["\u{E9}=0; e\u{301}=1"]),
        ])
    func requestField(own: [String], kept: [String], expected: [String]) async throws {
        var request = HTTPRequest(url: try HTTPURL("https://h.test/"), headers: ["Accept": "*/*"])
        for field in own { request.headers.append(name: "cookie", value: field) }
        request.headers.append(name: "X-Last", value: "1")
        let sent = try await request.addingCookies(from: self.store(kept))
        #expect(sent.headers.values(for: "Cookie") == expected)
        #expect(sent.headers["Accept"] == "*/*" && sent.headers["X-Last"] == "1")
        try sent.validate()
    }

    @Test("asks the store for the URL of the request")
    func requestURL() async throws {
        let jar = CookieJar { StoredCookie.someDate }
        let cookies = try [StoredCookie.received("a=1; Secure; Path=/x", from: "https://h.test/")]
        await jar.store(cookies, from: try HTTPURL("https://h.test/"))
        for (url, expected) in [
            ("https://h.test/x?y#z", "a=1"), ("https://h.test/", nil), ("http://h.test/x", nil),
        ] {
            let sent = await HTTPRequest(url: try HTTPURL(url)).addingCookies(from: jar)
            #expect(sent.headers["Cookie"] == expected)
        }
    }

    // MARK: - Responses

    @Test("takes every cookie of a response that its server may set")
    func response() async throws {
        let jar = CookieJar { StoredCookie.someDate }
        let head = HTTPResponse.Head(
            status: 404,
            headers: [
                "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT", "X-Set-Cookie": "x=0",
                "set-cookie": "b=2; Domain=test", "SET-COOKIE": "c=3; Domain=h.test; Path=/", "Set-Cookie": "nonsense",
                "Set-Cookie": "a=4", "Set-Cookie": "d=5; Secure", "Set-Cookie": "e=6; Domain=shared.test",
                "Set-Cookie2": "y=0",
            ])
        await jar.receive(
            head, for: try HTTPURL("http://h.test/dir/page"), at: StoredCookie.someDate,
            suffixes: ["test"] as FixtureSuffixes
        )
        #expect(await jar.cookies.map(\.pair) == ["a=4", "c=3"])
        #expect(await jar.cookies.map(\.path) == ["/dir", "/"])
        #expect(await jar.cookies.map(\.creationDate) == [StoredCookie.someDate, StoredCookie.someDate])
    }

    @Test("of thousands of cookies in one response the first 256 count")
    func thousands() async throws {
        let store = CountingStore()
        let fields = (0..<4_000).map { HTTPField(name: "Set-Cookie", value: "a\($0)=1") }
        let head = HTTPResponse.Head(status: 200, headers: HTTPFields(fields))
        await store.receive(head, for: try HTTPURL("http://h.test/"), at: StoredCookie.someDate)
        #expect(await store.calls == [256])
    }

    @Test("has the system's list of public suffixes, unless told otherwise")
    func systemList() async throws {
        let jar = CookieJar { StoredCookie.someDate }
        let head = HTTPResponse.Head(
            status: 200, headers: ["Set-Cookie": "a=1; Domain=co.uk", "Set-Cookie": "b=2; Domain=h.co.uk"])
        await jar.receive(head, for: try HTTPURL("http://w.h.co.uk/"), at: StoredCookie.someDate)
        // Without a list nobody can tell, and they stay with the host.
        #expect(await jar.cookies.map(\.pair) == (PublicSuffixes.system == nil ? ["a=1", "b=2"] : ["b=2"]))
        #expect(await jar.cookies.allSatisfy { $0.isHostOnly == (PublicSuffixes.system == nil) })
    }

    @Test("does not call a store for nothing")
    func nothingToStore() async throws {
        let store = CountingStore()
        let url = try HTTPURL("http://h.test/")
        await store.receive(HTTPResponse.Head(status: 200), for: url, at: StoredCookie.someDate)
        await store.receive(
            HTTPResponse.Head(status: 200, headers: ["Set-Cookie": "nonsense"]), for: url, at: StoredCookie.someDate)
        #expect(await store.calls == [])
        await store.receive(
            HTTPResponse.Head(status: 200, headers: ["Set-Cookie": "a=1", "Set-Cookie": "b=2"]), for: url,
            at: StoredCookie.someDate)
        #expect(await store.calls == [2])
    }

    private actor CountingStore: CookieStore {
        private(set) var calls: [Int] = []

        func cookies(for url: HTTPURL) -> [StoredCookie] { [] }
        func store(_ cookies: [StoredCookie], from url: HTTPURL) { self.calls.append(cookies.count) }
        func removeAll() {}
    }

    // MARK: - Policies

    @Test("has a store as the policy says")
    func policies() async throws {
        let date = FixtureDate()
        #expect(CookiePolicy.off.makeStore { date.now } == nil)
        let jar = CookieJar { StoredCookie.someDate }
        #expect(CookiePolicy.store(jar).makeStore { date.now } as? CookieJar === jar)
        let own = try #require(CookiePolicy.perClient.makeStore { date.now } as? CookieJar)
        #expect(CookiePolicy.perClient.makeStore { date.now } as? CookieJar !== own)
        await own.insert(
            try StoredCookie(name: "a", value: "1", domain: "h.test", expires: date.now + 5, creationDate: date.now))
        #expect(await own.cookies.count == 1)
        date.advance(by: 5)
        #expect(await own.cookies.isEmpty)
    }
}
