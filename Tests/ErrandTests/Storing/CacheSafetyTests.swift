internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// What must not be served, to whom, and when.
@Suite("Caching: what is never mixed up", .timeLimit(.minutes(60)), .paced)
struct CacheSafetyTests {
    private let cache = MemoryCache()

    @Test func `answers for different credentials of clients`() async throws {
        for (token, isCached) in [("alice", false), ("bob", false), ("alice", true)] {
            let scene = CacheScene(cache: self.cache) { $0.credentials.origin = .bearer(token) }
            #expect(try await scene.send().isCached == isCached)
        }
    }

    @Test func `answers for different cookies`() async throws {
        let scene = CacheScene(cache: self.cache) { $0.cookies = .perClient }
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, use in
            .data(Data("\(use)".utf8), headers: use == 1 ? ["Set-Cookie": "user=ann"] : [:])
        }
        // The first answer made somebody of the one who asked as nobody.
        for (value, isCached) in [("1", false), ("2", false), ("2", true)] {
            #expect(try await scene.send() == (value, isCached))
        }
        let other = CacheScene(cache: self.cache)
        let first = try await other.client.response(for: CacheScene.fresh())
        #expect(first.source.isCache && first.value == "1")
        #expect(first.head.headers["Set-Cookie"] == nil)
    }

    /// Somebody logs in while a request waits that began as nobody's.
    @Test func `answers for a cookie that came while the request waited`() async throws {
        let scene = CacheScene(cache: self.cache) { $0.cookies = .perClient }
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { request, _ in
            if request.url.path == "/login" {
                return .data(Data("in".utf8), headers: ["Set-Cookie": "user=ann; Path=/"])
            }
            return .text(request.headers["Cookie"] ?? "nobody")
        }
        let scheduler = scene.world.client.scheduler
        await scheduler.pause()
        let login = scene.world.client.request(FixtureText("login") { $0.options = .priority(.high) })
        let late = scene.world.client.request(CacheScene.fresh())
        await late.start()
        while await scheduler.waitingCount < 1 { await Task.yield() }
        await login.start()
        while await scheduler.waitingCount < 2 { await Task.yield() }
        await scheduler.setLimits(RequestScheduler.Limits(total: 1, perHost: 1))
        await scheduler.resume()
        _ = try await login.value
        #expect(try await late.value == "user=ann")
        let other = CacheScene(cache: self.cache)
        #expect(try await !other.send().isCached)
    }

    enum Onward: CaseIterable {
        case nobodyThere, sameThere, otherThere
    }

    /// Who is known by a cookie is led to a place where nobody is known, where the same cookie counts, or another.
    @Test(arguments: Onward.allCases)
    func `answers from a place with other cookies`(onward: Onward) async throws {
        let scene = CacheScene(cache: self.cache) { $0.cookies = .perClient }
        let transport = scene.world.transport
        transport.removeRoutes()
        transport.route("in", .data(Data(), headers: ["Set-Cookie": "user=ann; Path=/"]))
        transport.route("inThere", .data(Data(), headers: ["Set-Cookie": "there=ann; Path=/there"]))
        transport.route("a", .redirect(onward == .nobodyThere ? "https://cdn.test/there" : "there"))
        transport.route(where: { $0.url.path == "/there" }) { request, _ in .text(request.headers["Cookie"] ?? "-") }
        _ = try await scene.client.send(FixtureText("in"))
        if onward == .otherThere { _ = try await scene.client.send(FixtureText("inThere")) }
        let first = try await scene.send()
        #expect(first.value.contains("there=ann") == (onward == .otherThere))
        #expect((first.value == "-") == (onward == .nobodyThere))
        #expect(try await scene.send() == (first.value, onward != .otherThere))
    }

    /// Nobody was asked for, and somebody answered the challenge; from then on the key knows who asks.
    @Test(arguments: [nil, "ann"] as [String?])
    func `answers that a challenge stood before`(scope: String?) async throws {
        struct Answering: Authenticator {
            func credential(for context: AuthenticationContext) async throws -> HTTPCredential? { .bearer("x") }
        }
        func scene() -> CacheScene {
            let scene = CacheScene(cache: self.cache) { $0.credentials.authenticator = Answering() }
            scene.world.transport.removeRoutes()
            scene.world.transport.route(where: { _ in true }) { request, _ in
                request.headers["Authorization"] == nil
                    ? .data(Data(), status: 401, headers: ["WWW-Authenticate": "Bearer"]) : .text("yes")
            }
            return scene
        }
        let (call, first) = (
            CacheScene.fresh { $0.options = .caching(.fresh(for: .seconds(10), scope: scope)) }, scene()
        )
        for isCached in [false, false, true] { #expect(try await first.send(call) == ("yes", isCached)) }
        // A client that knows no credential yet: with a scope the answer is for whom that names.
        #expect(try await scene().send(call) == ("yes", scope != nil))
    }

    @Test func `answers of different virtual hosts, and of redirections that are decided on`() async throws {
        let scene = CacheScene(cache: self.cache)
        for host in ["a.test", "b.test"] {
            let call = CacheScene.fresh { $0.headers = ["Host": host] }
            #expect(try await !scene.send(call).isCached)
        }
        let call = CacheScene.fresh { $0.options = $0.options.redirects(.decide { _ in .follow }) }
        #expect(await scene.miss(call) == .notCacheable)
    }

    @Test func `forms of several parts are not kept`() async throws {
        let scene = CacheScene(cache: self.cache)
        var form = MultipartForm()
        form.append("a", "b")
        let body = RequestBody.multipart(form)
        let call = CacheScene.fresh {
            $0.method = .post
            $0.body = body
        }
        #expect(await scene.miss(call) == .notCacheable)
    }

    @Test func `what was removed does not come back with an answer that was on its way`() async throws {
        let scene = CacheScene(cache: self.cache)
        let gate = StubGate()
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("old").held(by: gate) }
        async let sent = scene.send()
        await fixtureUntil { scene.world.transport.activeCount == 1 }
        try await scene.client.cache.removeAll()
        gate.open()
        #expect(try await sent == ("old", false))
        #expect(self.cache.count == 0)
    }

    enum Remover: CaseIterable {
        case otherClient, byHand, ofTheKey, behind, routed
    }

    @Test(arguments: Remover.allCases)
    func `it does not come back whoever removed it from the same cache`(remover: Remover) async throws {
        let back = MemoryCache()
        let cache: any ResponseCache =
            switch remover {
            case .behind: TieredCache(back: back)
            case .routed: RoutedCache(otherwise: MemoryCache(), routes: [RoutedCache.Route(to: back) { _ in true }])
            default: back
            }
        let (scene, other) = (CacheScene { $0.cache = cache }, CacheScene { $0.cache = cache })
        let gate = StubGate()
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("old").held(by: gate) }
        async let sent = scene.send()
        await fixtureUntil { scene.world.transport.activeCount == 1 }
        switch remover {
        case .otherClient: try await other.client.cache.removeAll()
        case .byHand: try await cache.removeAll()
        case .ofTheKey: try await other.client.cache.remove(CacheScene.fresh())
        case .behind, .routed: try await back.removeAll()
        }
        // What was asked for after that is another matter.
        #expect(try await other.send(CacheScene.fresh("b")) == ("1", false))
        gate.open()
        #expect(try await sent == ("old", false))
        #expect(await scene.miss(CacheScene.fresh()) == .noEntry)
        #expect(try await scene.send(CacheScene.fresh("b")) == ("1", true))
    }

    @Test(arguments: [false, true])
    func `looking at what is stored keeps no answer from being stored`(isRouted: Bool) async throws {
        let cache: any ResponseCache = isRouted ? RoutedCache(otherwise: self.cache, routes: []) : self.cache
        let scene = CacheScene { $0.cache = cache }
        let gate = StubGate()
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("new").held(by: gate) }
        async let sent = scene.send()
        await fixtureUntil { scene.world.transport.activeCount == 1 }
        #expect(await cache.summaries().isEmpty)
        gate.open()
        #expect(try await sent == ("new", false))
        #expect(try await scene.send() == ("new", true))
        #expect(await cache.summaries().map(\.url) == ["https://api.test/a"])
    }

    @Test func `an answer is as old as the question`() async throws {
        let scene = CacheScene(cache: self.cache)
        let gate = StubGate()
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("slow").held(by: gate) }
        async let sent = scene.send()
        await fixtureUntil { scene.world.transport.activeCount == 1 }
        scene.date.advance(by: 7)
        gate.open()
        _ = try await sent
        #expect(try await scene.client.response(for: CacheScene.fresh()).source == .cache(age: .seconds(7)))
    }

    @Test func `a key shows no secret`() throws {
        let key = try #require(CacheKey(HTTPRequest(url: try HTTPURL("https://user:PW@api.test/a?token=QSECRET"))))
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        #expect(!text.contains("PW") && !text.contains("QSECRET"))
    }

    @Test func `each entry of tiers is listed once, and listing removes nothing`() async throws {
        let temporary = try TestFolder()
        let cache = TieredCache(back: DiskCache(folder: temporary.file("cache"), maximumAge: .seconds(1e12)))
        let scene = CacheScene { $0.cache = cache }
        for path in ["a", "b"] { _ = try await scene.send(CacheScene.fresh(path)) }
        #expect(await cache.summaries().map(\.url).sorted() == ["https://api.test/a", "https://api.test/b"])
        #expect(await cache.summaries().count == 2)
    }

    @Test func `an entry that says that it is huge ends nothing`() async throws {
        let temporary = try TestFolder()
        let folder = temporary.file("cache")
        let place = folder.appending(path: "e")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let file = place.appending(path: String(repeating: "e", count: 64) + ".errand")
        let size: UInt64 = 1 << 39
        let digest = [UInt64](repeating: 0xEEEE_EEEE_EEEE_EEEE, count: 4)
        for (metadata, body) in [(size, 0), (0, size), (.max, .max)] {
            // Its checksum is right.
            let header = CheckedNumbers.bytes([0x5_444E_4152_5245, metadata, 0, body, 0, 0] + digest)
            try Data(header).write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            // Without room on the disk: most of it is a hole.
            try handle.truncate(atOffset: size + 88)
            try handle.close()
            let cache = DiskCache(folder: folder, capacity: .max)
            #expect(await cache.summaries().isEmpty)
            try await cache.removeAll()
            await cache.flush()
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `a request that is told to stop is no miss`() async throws {
        let scene = CacheScene(cache: self.cache)
        let gate = FixtureGate()
        _ = try await scene.send()
        let call = CacheScene.fresh {
            $0.validation = ResponseValidation(checks: [{ _ in throw CancellationError() }])
        }
        let request = scene.client.request(
            call, options: .accessories([FixtureHooks.holding(.didStart, at: gate)]))
        await request.start()
        await gate.waitUntilReached()
        request.cancel()
        gate.open()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(await scene.client.cache.statistics.misses == 1)
    }
}
