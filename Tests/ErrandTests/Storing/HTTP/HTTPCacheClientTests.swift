internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: clients (G2, G3, G14, G15)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct HTTPCacheClientTests {
    private static let hour: HTTPFields = ["Cache-Control": "max-age=3600", "ETag": "\"a\""]

    /// A client over a transport that answers `1`, `2`, … with the same fields.
    private struct Scene {
        let date = FixtureDate()
        let world: FixtureWorld

        init(
            _ fields: HTTPFields = HTTPCacheClientTests.hour, cache: any ResponseCache = MemoryCache(),
            _ configure: (inout Client.Configuration) -> Void = { _ in }
        ) {
            let date = self.date
            self.world = FixtureWorld(isRecording: true) {
                $0.environment.date = { date.now }
                $0.cache = cache
                $0.options = $0.options.caching(.http)
                configure(&$0)
            }
            self.world.transport.route(where: { _ in true }) { request, number in
                request.headers["If-None-Match"] == "\"a\"" && fields["ETag"] == "\"a\""
                    ? .status(304, headers: fields) : .text("\(number)", headers: fields)
            }
        }

        func get(
            _ configure: (inout FixtureText) -> Void = { _ in }, use: CacheUse = .use
        ) async throws -> TypedResponse<String> {
            let call = FixtureText("a") {
                configure(&$0)
            }
            return try await self.world.client.response(for: call, options: .cacheUse(use))
        }

        var sentCount: Int { self.world.transport.receivedCount }
    }

    // MARK: - Who says what is cached

    @Test func `what an endpoint says goes before what the client says`() async throws {
        let scene = Scene()
        #expect(try await scene.get().source == .network)
        #expect(try await scene.get().source.isCache)
        #expect(try await scene.get { $0.options = $0.options.caching(.never) }.value == "2")
        #expect(try await scene.get { $0.options = $0.options.caching(.fresh(for: .seconds(5))) }.value == "3")
        #expect(try await scene.get { $0.options = $0.options.caching(.fresh(for: .seconds(5))) }.value == "3")
        #expect(try await scene.get { $0.options = $0.options.caching(.http) }.value == "1")
    }

    @Test func `a client that says nothing stores nothing`() async throws {
        let scene = Scene { $0.options = $0.options.caching(.never) }
        for value in ["1", "2"] { #expect(try await scene.get().value == value) }
        let bare = Scene { $0.cache = nil }
        for value in ["1", "2"] { #expect(try await bare.get().value == value) }
    }

    // MARK: - Whose responses they are

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"])
    func `a response belongs to who asked`(name: String) async throws {
        let scene = Scene()
        #expect(try await scene.get { $0.headers = [name: "one"] }.value == "1")
        #expect(try await scene.get { $0.headers = [name: "two"] }.value == "2")
        #expect(try await scene.get().value == "3")
        #expect(try await scene.get { $0.headers = [name: "one"] }.value == "1")
        #expect(scene.sentCount == 3)
    }

    @Test func `with a scope the app says whose it is`() async throws {
        let scene = Scene()
        func get(_ scope: String, _ token: String) async throws -> String {
            try await scene.get {
                $0.options = $0.options.caching(.http(staleIfError: .seconds(1), scope: scope))
                $0.headers = ["Authorization": token]
            }.value
        }
        #expect(try await get("me", "one") == "1")
        #expect(try await get("me", "two") == "1")
        #expect(try await get("you", "two") == "2")
    }

    @Test func `what an interceptor adds to say who asks keeps a response from being stored`() async throws {
        let scene = Scene {
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var request = request
                    request.headers["Authorization"] = "Bearer secret"
                    return try await next(request)
                }
            ]
        }
        for value in ["1", "2"] { #expect(try await scene.get().value == value) }
    }

    @Test func `and so does what it adds of what a response depends on`() async throws {
        var fields = Self.hour
        fields["Vary"] = "Accept-Language"
        let scene = Scene(fields) {
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var request = request
                    request.headers["Accept-Language"] = "de"
                    return try await next(request)
                }
            ]
        }
        _ = try await scene.get()
        #expect(try await scene.get().source == .network)
        #expect(scene.sentCount == 2)
    }

    // MARK: - What is told

    @Test func `states, sources, attempts and statuses`() async throws {
        let scene = Scene()
        let first = try await scene.get()
        #expect(first.cacheStatus?.description == "Errand; fwd=uri-miss; fwd-status=200; stored")
        scene.date.advance(by: 10)
        let second = scene.world.client.request(FixtureText("a") { $0.options = .caching(.http) })
        let hit = try await second.response
        #expect(hit.source == .cache(age: .seconds(10)) && hit.attempts == 0)
        #expect(hit.cacheStatus?.description == "Errand; hit; ttl=3590")
        #expect(await second.state == .cached)
        scene.date.advance(by: 3600)
        let third = scene.world.client.request(FixtureText("a") { $0.options = .caching(.http) })
        let renewed = try await third.response
        #expect(renewed.source == .revalidated && renewed.attempts == 1 && renewed.value == "1")
        #expect(renewed.cacheStatus?.description == "Errand; fwd=stale; fwd-status=304; stored; detail=revalidated")
        #expect(await third.state == .finished)
        let names = scene.world.recorder.ids(of: .request).map { scene.world.recorder.names(of: $0) }
        #expect(names[1] == ["willStart", "didStart", "cacheHit", "cacheStatus", "willStop", "didStop"])
        #expect(names[2].contains("cacheMiss") && names[2].last == "didStop")
        let statistics = await scene.world.client.cache.statistics
        #expect(statistics.hits == 1 && statistics.misses == 2)
    }

    @Test func `what is stored is shown, and then validated`() async throws {
        let scene = Scene()
        _ = try await scene.get()
        let request = scene.world.client.request(
            FixtureText("a") { $0.options = .caching(.http) }, options: .cacheUse(.thenRefresh))
        let (states, responses) = (await request.states, await request.responses)
        await request.start()
        var sources: [ResponseSource] = []
        for try await response in responses { sources.append(response.source) }
        #expect(sources == [.cache(age: .zero), .revalidated])
        #expect(await fixtureAll(states) == [.idle, .running, .cached, .running, .finished])
    }

    @Test func `a stored response that the endpoint does not accept fails as it would from the network`() async throws {
        let scene = Scene()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .status(404, headers: Self.hour) }
        for _ in 0..<2 {
            await #expect { _ = try await scene.get() } throws: { ($0 as? ErrandError)?.context.status == 404 }
        }
        #expect(scene.sentCount == 1)
    }

    @Test func `a stored response that the endpoint does not accept is a miss for a request that shows it first`()
        async throws
    {
        let scene = Scene()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .status(404, headers: Self.hour) }
        for use in [CacheUse.use, .thenRefresh] {
            await #expect { _ = try await scene.get(use: use) } throws: {
                ($0 as? ErrandError)?.context.status == 404
            }
        }
        let statistics = await scene.world.client.cache.statistics
        #expect(statistics.hits == 0 && statistics.misses == 2 && scene.sentCount == 2)
    }

    // MARK: - Refreshing (RFC 5861)

    @Test func `many that get it stale share one refresh, which is a request of its own`() async throws {
        let scene = Scene(["Cache-Control": "max-age=5, stale-while-revalidate=60"])
        _ = try await scene.get()
        scene.date.advance(by: 6)
        let gate = StubGate()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in
            StubReply.text("new", headers: Self.hour).held(by: gate)
        }
        for _ in 0..<5 { #expect(try await scene.get().source == .stale(age: .seconds(6))) }
        await fixtureUntil { gate.reachedCount >= 1 }
        #expect(await scene.world.client.record.count == 1)
        gate.open()
        await fixtureUntil { await scene.world.client.record.count == 0 }
        #expect(scene.sentCount == 2)
        #expect(try await scene.get().value == "new")
        #expect(scene.world.recorder.ids(of: .request).count == 8)
    }

    @Test func `what is refreshed stops with its client`() async throws {
        let scene = Scene(["Cache-Control": "max-age=5, stale-while-revalidate=60"])
        _ = try await scene.get()
        scene.date.advance(by: 6)
        let gate = StubGate()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in StubReply.text("new").held(by: gate) }
        _ = try await scene.get()
        await fixtureUntil { gate.reachedCount >= 1 }
        await scene.world.client.shutdown()
        await fixtureUntil { await scene.world.client.record.count == 0 }
        await fixtureUntil { scene.world.client.environment.cacheRefreshes.withLock { $0.isEmpty } }
    }

    @Test func `the app says what is used where the network fails`() async throws {
        let scene = Scene(["Cache-Control": "max-age=5"]) {
            $0.options = $0.options.caching(.http(staleIfError: .seconds(100)))
        }
        _ = try await scene.get()
        scene.world.transport.replaceRoutes()
        scene.date.advance(by: 105)
        let response = try await scene.get()
        #expect(response.source == .stale(age: .seconds(105)))
        #expect(response.cacheStatus?.detail == "stale-if-error")
        scene.date.advance(by: 1)
        await #expect(throws: ErrandError.self) { try await scene.get() }
    }

    @Test func `a stored response is used where an attempt takes too long`() async throws {
        let gate = StubGate()
        let scene = Scene(["Cache-Control": "max-age=5"]) {
            $0.options = $0.options.caching(.http(staleIfError: .seconds(100)))
                .timeouts(Timeouts(attempt: .seconds(5)))
        }
        _ = try await scene.get()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in StubReply.text("new").held(by: gate) }
        scene.date.advance(by: 6)
        async let response = scene.get()
        await gate.waitUntilReached()
        await scene.world.clock.waitForSleeper()
        scene.world.clock.advance(by: .seconds(5))
        #expect(try await response.source == .stale(age: .seconds(6)))
        await scene.world.expectAtRest()
    }

    // MARK: - Bodies that go elsewhere

    @Test func `a stored response serves a download, and a small download is stored`() async throws {
        let folder = try TestFolder()
        let scene = Scene()
        func download(_ name: String) async throws -> (String, ResponseSource) {
            let call = FixtureFile(file: folder.file(name))
            let response = try await scene.world.client.response(for: call, options: .caching(.http))
            return (try String(contentsOf: folder.file(name), encoding: .utf8), response.source)
        }
        _ = try await scene.get()
        let (text, source) = try await download("one")
        #expect(text == "1" && source == .cache(age: .zero))
        scene.date.advance(by: 3601)
        let (same, again) = try await download("one")
        #expect(same == "1" && again == .revalidated)
        let file = try await scene.world.client.download(
            FixtureText("a"), to: folder.file("two"))
        #expect(file.size == 1)
        #expect(scene.sentCount == 2)
    }

    @Test func `a download with parameters that make no difference is served from the cache`() async throws {
        let folder = try TestFolder()
        let server = try LoopbackServer()
        server.route("GET", "/a", .data(Data("1".utf8), headers: ["Cache-Control": "max-age=60"]))
        let client = Client(baseURL: server.baseURL) { $0.cache = MemoryCache() }
        for time in 1...3 {
            let call = FixtureText("a") {
                $0.options = $0.options.caching(.http)
                $0.parameters = ["id": .int(1), "time": .int(time)]
                $0.options = $0.options.cacheParameters(["id": .int(1)])
            }
            let file = try await client.download(call, to: folder.file("\(time)"))
            #expect(file.size == 1)
            let body = try await client.stream(call) { response in
                try await response.body.reduce(into: Data()) { $0 += $1 }
            }
            #expect(body == Data("1".utf8))
        }
        #expect(server.received.count == 1)
        await client.shutdown()
    }

    private static let fresh = "Cache-Control: max-age=60 | ETag: \"a\""

    static let tenants: [HTTPScript] = [
        HTTPScript(
            "a Host of the app's own", .asks(fresh, "Host: a.test"), .asks(fresh, "Host: b.test"), .asks(fresh),
            .gets(.cached, "Host: a.test", of: 1), .gets(.cached, "Host: B.TEST:443", of: 2),
            .gets(.cached, "Host: api.test", of: 3)),
        HTTPScript(
            "a Host of the app's own, with No-Vary-Search",
            .asks(fresh + " | No-Vary-Search: params", "Host: a.test", path: "a?t=1"),
            .asks(fresh + " | No-Vary-Search: params", "Host: b.test", path: "a?t=2"),
            .gets(.cached, "Host: a.test", path: "a?t=3", of: 1)),
        HTTPScript(
            "a Host of the app's own, and a request that changes its resource", .asks(fresh, "Host: a.test"),
            .asks("", "Host: b.test", method: "POST"), .gets(.cached, "Host: a.test", of: 1),
            .asks("", "Host: a.test", method: "POST"), .asks(fresh, "Host: a.test")),
        HTTPScript(
            "fields by which proxies select", .asks(fresh, "X-Forwarded-Host: a"), .asks(fresh, "X-Forwarded-Host: b"),
            .asks(fresh), .asks(fresh, "Forwarded: host=a"), .asks(fresh, "X-Original-URL: /a"),
            .gets(.cached, "X-Forwarded-Host: a", of: 1)),
        HTTPScript(
            "a field that names another method", .asks(fresh, "X-HTTP-Method-Override: DELETE"),
            .asks(fresh, "X-HTTP-Method-Override: DELETE"), .asks(fresh), .gets(of: 3),
            .asks(fresh, "X-HTTP-Method-Override: DELETE")),
    ]

    @Test(arguments: Self.tenants, [nil, "user"])
    func `what is stored for one tenant of a server is not another's`(script: HTTPScript, scope: String?) async throws {
        try await HTTPScriptPlayer(policy: .http(staleIfError: .zero, scope: scope)).play(script)
    }

    @Test(arguments: [CachePolicy.http, .http(staleIfError: .zero, scope: "user"), .fresh(for: .seconds(60))])
    func `what an interceptor asks of another tenant is not stored`(policy: CachePolicy) async throws {
        let tenant = FixtureInterceptor { request, _, next in
            var request = request
            request.headers["Host"] = "tenant.test"
            return try await next(request)
        }
        let scene = Scene { $0.interceptors = [tenant] }
        for count in 1...2 {
            _ = try await scene.get { $0.options = $0.options.caching(policy) }
            #expect(scene.sentCount == count)
        }
    }

    @Test(arguments: [(nil as String?, 0), ("user 1", 39)])
    func `a session cookie renewed with each response makes each request another's, unless there is a scope`(
        scope: String?, hits: Int
    ) async throws {
        let world = FixtureWorld {
            $0.cache = MemoryCache()
            $0.cookies = .store(CookieJar())
            $0.options = $0.options.caching(.http(staleIfError: .zero, scope: scope))
        }
        let count = Locked(0)
        world.transport.route(where: { _ in true }) { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return StubReply.text("x", headers: ["Cache-Control": "max-age=60", "Set-Cookie": "session=\(number)"])
        }
        var found = 0
        for _ in 0..<40 {
            let response = try await world.client.response(for: FixtureText())
            if response.cacheStatus?.isHit == true { found += 1 }
        }
        #expect(found == hits)
    }

    @Test(arguments: [(1 << 20, true), (1 << 20 + 1, false)])
    func `a download over the wire is stored if it is small`(size: Int, isStored: Bool) async throws {
        let folder = try TestFolder()
        let server = try LoopbackServer()
        server.route("GET", "/a", .data(Data(count: size), headers: ["Cache-Control": "max-age=60"]))
        let client = Client(baseURL: server.baseURL) {
            $0.cache = MemoryCache()
            $0.options = $0.options.caching(.http)
        }
        let call = FixtureText("a")
        let file = try await client.download(call, to: folder.file("one"))
        #expect(file.size == Int64(size))
        #expect(await client.cache.contains(call) == isStored)
        await client.shutdown()
    }

    @Test func `a stored response serves a stream`() async throws {
        let scene = Scene()
        _ = try await scene.get()
        let text = try await scene.world.client.stream(FixtureText("a") { $0.options = .caching(.http) }) {
            response in
            var data = Data()
            for try await chunk in response.body { data += chunk }
            return String(decoding: data, as: UTF8.self)
        }
        #expect(text == "1")
        #expect(scene.sentCount == 1)
    }

    // MARK: - Redirections

    @Test func `what a redirection leads to is not stored for the URL that was asked for`() async throws {
        let scene = Scene()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { $0.url.path == "/a" }) { _, _ in
            .status(301, headers: ["Location": "/b", "Cache-Control": "max-age=60"])
        }
        scene.world.transport.route(where: { _ in true }) { _, number in .text("\(number)", headers: Self.hour) }
        for value in ["1", "2"] { #expect(try await scene.get().value == value) }
        let isStored = await scene.world.client.cache.contains(
            FixtureText("a") { $0.options = .caching(.http) })
        #expect(!isStored)
    }

    @Test func `a redirection is stored for those who do not follow it, and for no others`() async throws {
        let scene = Scene()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { $0.url.path == "/a" }) { _, _ in
            .status(308, headers: ["Location": "/b", "Cache-Control": "max-age=60"])
        }
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("b", headers: Self.hour) }
        for _ in 0..<2 {
            let response = try await scene.get {
                $0.options = $0.options.redirects(.never)
                $0.validation = .any
            }
            #expect(response.head.status == 308)
        }
        #expect(scene.sentCount == 1)
        #expect(try await scene.get().value == "b")
    }

    // MARK: - Removing

    @Test func `a response to a request with content is for nobody else`() async throws {
        let scene = Scene()
        #expect(try await scene.get { $0.body = .text("secret") }.value == "1")
        #expect(try await scene.get().value == "2")
        #expect(try await scene.get().value == "2")
    }

    @Test func `a slow response for others brings nothing back that was replaced meanwhile`() async throws {
        let scene = Scene()
        let gate = StubGate()
        let fields: HTTPFields = ["Cache-Control": "max-age=3600", "Vary": "Foo"]
        scene.world.transport.replaceRoutes(with: [
            StubRoute(where: { _ in true }) { request, number in
                let reply = StubReply.text("\(number)", headers: fields)
                return request.headers["Foo"] == "slow" ? reply.held(by: gate) : reply
            }
        ])
        #expect(try await scene.get { $0.headers = ["Foo": "1"] }.value == "1")
        let slow = scene.world.client.request(
            FixtureText("a") { $0.headers = ["Foo": "slow"] })
        await slow.start()
        await fixtureUntil { gate.reachedCount >= 1 }
        #expect(try await scene.get({ $0.headers = ["Foo": "1"] }, use: .ignore).value == "3")
        gate.open()
        #expect(try await slow.value == "2")
        #expect(try await scene.get { $0.headers = ["Foo": "1"] }.value == "3")
        #expect(try await scene.get { $0.headers = ["Foo": "slow"] }.value == "2")
        #expect(scene.sentCount == 3)
    }

    @Test func `the tags of many responses fit into a line`() async throws {
        let scene = Scene()
        scene.world.transport.replaceRoutes(with: [
            StubRoute(where: { _ in true }) { _, number in
                .text(
                    "\(number)",
                    headers: [
                        "Cache-Control": "max-age=3600", "Vary": "Foo",
                        "ETag": "\"\(number)\(String(repeating: "x", count: 1_000))\"",
                    ])
            }
        ])
        for number in 1...12 { _ = try await scene.get { $0.headers = ["Foo": "\(number)"] } }
        let longest = scene.world.transport.received.compactMap { $0.headers["If-None-Match"]?.utf8.count }.max()
        #expect(longest.map { 3_000..<5_000 ~= $0 } == true)
    }

    @Test func `where a circuit is open what is stored is shown`() async throws {
        let scene = Scene(["Cache-Control": "max-age=5"]) {
            $0.options = $0.options.caching(.http(staleIfError: .seconds(1000)))
            $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 1))
        }
        #expect(try await scene.get().value == "1")
        scene.world.transport.replaceRoutes(with: [StubRoute(where: { _ in true }) { _, _ in .status(503) }])
        scene.date.advance(by: 10)
        for _ in 0..<3 { #expect(try await scene.get().source == .stale(age: .seconds(10))) }
        #expect(scene.sentCount == 2)
    }

    @Test func `a removal that the cache refuses is an error`() async throws {
        let scene = Scene(cache: RefusingCache())
        _ = try await scene.get()
        let error = await #expect(throws: ErrandError.self) {
            try await scene.world.client.cache.remove(FixtureText("a"))
        }
        #expect(error?.code == .fileFailed)
    }

    /// A cache that removes nothing.
    private struct RefusingCache: ResponseCache {
        private let memory = MemoryCache()

        func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry { try self.memory.entry(for: key) }
        func store(_ entry: CacheEntry, for key: CacheKey) async { self.memory.store(entry, for: key) }
        func remove(_ key: CacheKey) async throws(ErrandError) { throw ErrandError(.fileFailed, "no") }
        func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async throws(ErrandError) -> Int {
            0
        }
        func summaries() async -> [CacheEntry.Summary] { await self.memory.summaries() }
    }

    @Test func `what is invalidated while it is on its way is not stored`() async throws {
        let scene = Scene()
        let gate = StubGate()
        scene.world.transport.replaceRoutes()
        scene.world.transport.route(where: { $0.method == .get }) { _, number in
            StubReply.text("\(number)", headers: Self.hour).held(by: gate)
        }
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("") }
        async let old = scene.get()
        await fixtureUntil { gate.reachedCount >= 1 }
        _ = try await scene.get { $0.method = .post }
        gate.open()
        #expect(try await old.value == "1")
        #expect(try await scene.get().value == "2")
    }

    // MARK: - By hand

    @Test func `the cache by hand`() async throws {
        let scene = Scene()
        let (cache, call) = (scene.world.client.cache, FixtureText("a") { $0.options = .caching(.http) })
        #expect(await !cache.contains(call))
        try await cache.store(
            HTTPResponse(status: 200, headers: Self.hour, body: Data("mine".utf8)), for: call, options: .tag("t"))
        #expect(await cache.contains(call))
        #expect(try await scene.get().value == "mine")
        scene.date.advance(by: 5)
        let response = try await cache.response(for: call)
        #expect(response.value == "mine" && response.source == .cache(age: .seconds(5)))
        try await cache.remove(call)
        #expect(await !cache.contains(call))
        await #expect(throws: ErrandError.self) { try await cache.response(for: call) }
        await #expect(throws: ErrandError.self) {
            try await cache.store(HTTPResponse(status: 200, headers: ["Cache-Control": "no-store"]), for: call)
        }
    }

    @Test func `the cache by hand has the range that the endpoint asks for, or nothing`() async throws {
        let (scene, call) = (Scene(), FixtureText("a") { $0.options = .caching(.http) })
        let cache = scene.world.client.cache
        try await cache.store(HTTPResponse(status: 200, headers: Self.hour, body: Data("mine".utf8)), for: call)
        var part = call
        part.headers = ["Range": "bytes=1-2"]
        #expect(try await cache.response(for: part).value == "in")
        part.headers = ["Range": "bytes=9-"]
        await #expect { _ = try await cache.response(for: part) } throws: {
            ($0 as? ErrandError)?.code == .notInCache
        }
    }

    @Test func `all of several responses are removed`() async throws {
        let memory = MemoryCache()
        var fields = Self.hour
        fields["Vary"] = "Foo"
        fields["ETag"] = nil
        let scene = Scene(fields, cache: memory)
        for value in ["1", "2", "3"] { _ = try await scene.get { $0.headers = ["Foo": value] } }
        #expect(memory.count == 4)
        try await scene.world.client.cache.remove(FixtureText("a") { $0.options = .caching(.http) })
        #expect(memory.count == 0)
    }

    @Test func `no more than 32 responses are kept for a URL`() async throws {
        let memory = MemoryCache()
        let scene = Scene(["Cache-Control": "max-age=60", "Vary": "Foo"], cache: memory)
        for value in 1...40 { _ = try await scene.get { $0.headers = ["Foo": "\(value)"] } }
        #expect(memory.count == 33)
        #expect(try await scene.get { $0.headers = ["Foo": "40"] }.source.isCache)
        #expect(try await scene.get { $0.headers = ["Foo": "1"] }.source == .network)
    }

    @Test func `the cache explains what a request would do`() async throws {
        let scene = Scene()
        let call = FixtureText("a") { $0.options = .caching(.http) }
        let before = try await scene.world.client.cache.explanation(for: call)
        #expect(before == ["no response is stored for the URL (RFC 9111 §4)", "the request is sent"])
        _ = try await scene.get()
        scene.date.advance(by: 3601)
        let after = try await scene.world.client.cache.explanation(for: call)
        #expect(after.contains("max-age sets a lifetime of 3600 s (RFC 9111 §5.2.2.1)"))
        #expect(after.contains("the request is sent with If-None-Match (RFC 9111 §4.3.1)"))
        #expect(after.last == "the request is sent to validate the stored response")
        #expect(scene.sentCount == 1)
        await #expect(throws: ErrandError.self) {
            try await scene.world.client.cache.explanation(for: FixtureText("a") { $0.options = .caching(.never) })
        }
    }

    @Test func `another process finds what is on the disk`() async throws {
        let folder = try TestFolder()
        var fields = Self.hour
        fields["Vary"] = "Foo"
        for source in [ResponseSource.network, .cache(age: .zero)] {
            let disk = DiskCache(folder: folder.file("cache"), maximumAge: .seconds(1e12))
            let scene = Scene(fields, cache: disk)
            #expect(try await scene.get { $0.headers = ["Foo": "1"] }.source == source)
            await disk.flush()
        }
    }

    @Test func `no secret is in the folder (G14)`() async throws {
        let folder = try TestFolder()
        let disk = DiskCache(folder: folder.file("cache"), maximumAge: .seconds(1e12))
        let scene = Scene(
            ["Cache-Control": "max-age=60", "Vary": "Authorization, X-Api-Key", "Set-Cookie": "a=topsecret"],
            cache: disk)
        _ = try await scene.get { $0.headers = ["Authorization": "topsecret", "X-Api-Key": "topsecret"] }
        await disk.flush()
        let files = try #require(FileManager.default.enumerator(atPath: folder.file("cache").path))
        var count = 0
        for case let name as String in files {
            guard let data = try? Data(contentsOf: folder.file("cache").appending(path: name)) else { continue }
            count += 1
            #expect(data.range(of: Data("topsecret".utf8)) == nil)
        }
        #expect(count > 0)
    }

    @Test(arguments: ["Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Original-URL", "X-Rewrite-URL"])
    func `a field that may select another resource tells stored responses apart`(name: String) async throws {
        let scene = Scene()
        for (value, answer) in [("one", "1"), ("two", "2"), ("one", "1"), ("two", "2")] {
            #expect(try await scene.get { $0.headers = [name: value] }.value == answer)
        }
        #expect(scene.sentCount == 2)
    }

    @Test(arguments: [404, 410] as [HTTPStatus])
    func `a resource that is gone is not served from the cache any more`(status: HTTPStatus) async throws {
        let world = FixtureWorld {
            $0.cache = MemoryCache()
            $0.options = $0.options.caching(.http)
        }
        world.transport.route(
            "a", .text("1", headers: Self.hour), .status(status, headers: ["Cache-Control": "no-store"]))
        #expect(try await world.client.send(FixtureText()) == "1")
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureText { $0.headers = ["Cache-Control": "no-cache"] })
        }
        #expect(error?.context.status == status)
        #expect(await !world.client.cache.contains(FixtureText()))
    }
}
