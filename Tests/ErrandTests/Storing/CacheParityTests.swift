internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: what YTKNetwork's users rely on", .timeLimit(.minutes(60)), .paced)
struct CacheParityTests {
    private let scene = CacheScene()

    /// Sends one call after another, and compares who answered.
    private func expect(
        _ steps: [(endpoint: FixtureText, use: CacheUse, isCached: Bool)], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for (index, step) in steps.enumerated() {
            let answer = try await self.scene.send(step.endpoint, step.use)
            #expect(answer.isCached == step.isCached, "step \(index)", sourceLocation: location)
        }
    }

    @Test func `T26: a stored answer until it is too old`() async throws {
        let call = CacheScene.fresh("get", .seconds(5))
        try await self.expect([(call, .use, false), (call, .use, true)])
        self.scene.date.advance(by: 5.001)
        try await self.expect([(call, .use, false)])
    }

    @Test func `T27: the network, if what is stored is to be ignored`() async throws {
        let call = CacheScene.fresh("get", .seconds(5))
        try await self.expect([(call, .use, false), (call, .ignore, false)])
    }

    @Test func `T28: the network, and its answer is stored`() async throws {
        let call = CacheScene.fresh("get", .seconds(5))
        try await self.expect([(call, .use, false), (call, .reload, false), (call, .use, true)])
        #expect(try await self.scene.send(call).value == "2")
        let fields = self.scene.world.transport.received.map { $0.headers["Cache-Control"] }
        #expect(fields == [nil, "no-cache"])
    }

    @Test func `T29: nothing that was stored under another version`() async throws {
        let versions = (0...1).map { version in
            CacheScene.fresh { $0.options = .caching(.fresh(for: .seconds(10), version: version)) }
        }
        try await self.expect([
            (versions[0], .use, false), (versions[1], .use, false), (versions[1], .use, true),
            (versions[0], .use, false),
        ])
    }

    @Test func `T30: nothing that was stored for somebody else`() async throws {
        func call(_ scope: String?) -> FixtureText {
            CacheScene.fresh { $0.options = .caching(.fresh(for: .seconds(10), scope: scope)) }
        }
        let (one, other) = (call("{userId: 123456}"), call("{userId: 654321}"))
        try await self.expect([
            (one, .use, false), (other, .use, false), (call(nil), .use, false), (other, .use, false),
            (other, .use, true),
        ])
        #expect(self.scene.cache.count == 1)
    }

    @Test func `T31: the same JSON, text and bytes`() async throws {
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route(where: { _ in true }) { _, _ in
            .json("[1, \"\u{e4}\"]")
        }
        var value = FixtureJSON("json", JSONValue.self)
        value.options = .caching(.fresh(for: .seconds(5)))
        for isCached in [false, true] {
            let response = try await self.scene.client.response(for: value)
            #expect(response.source.isCache == isCached)
            #expect(response.value == [1, "\u{e4}"])
            let text = try await self.scene.client.response(for: CacheScene.fresh("text"))
            #expect(text.source.isCache == isCached)
            #expect(text.value == "[1, \"\u{e4}\"]")
        }
    }

    @Test func `T32: bytes that were saved for other calls`() async throws {
        let calls = ["a", "b", "c"].map { CacheScene.fresh($0) }
        let bytes = Data(try await self.scene.send(calls[0]).value.utf8)
        for call in calls[1...] { try await self.scene.client.cache.store(bytes, for: call) }
        for call in calls { #expect(try await self.scene.send(call) == ("1", true)) }
        #expect(self.scene.sentCount == 1)
    }

    @Test func `T33: a folder for each kind of call`() async throws {
        let temporary = try TestFolder()
        let (usual, own) = (temporary.file("usual"), temporary.file("usual/MyCachePath"))
        // The clock of the scene stands in the past.
        let age = Duration.seconds(1e12)
        let cache = RoutedCache(
            otherwise: DiskCache(folder: usual, maximumAge: age),
            routes: [RoutedCache.Route(to: DiskCache(folder: own, maximumAge: age)) { $0.url.path == "/mine" }])
        let scene = CacheScene { $0.cache = cache }
        for path in ["mine", "other"] {
            for isCached in [false, true] {
                #expect(try await scene.send(CacheScene.fresh(path)).isCached == isCached)
            }
        }
        #expect(await scene.client.cache.statistics.usage?.entries == 2)
        for folder in [own, usual] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(names.count { $0.hasSuffix(".errand") && !$0.hasPrefix("MyCachePath") } == 1)
        }
    }

    @Test func `D16: each reason not to use an answer has a name`() async throws {
        let call = CacheScene.fresh("a", .seconds(5))
        #expect(await self.scene.miss(CacheScene.fresh("a", .seconds(-1))) == .invalidLifetime)
        #expect(await self.scene.miss(CacheScene.fresh("a", .zero)) == .invalidLifetime)
        #expect(await self.scene.miss(FixtureText()) == .invalidLifetime)
        #expect(await self.scene.miss(call) == .noEntry)
        _ = try await self.scene.send(call)
        #expect(await self.scene.miss(call) == nil)
        #expect(
            await self.scene.miss(CacheScene.fresh { $0.options = .caching(.fresh(for: .seconds(10), version: 1)) })
                == .versionMismatch)
        #expect(
            await self.scene.miss(CacheScene.fresh { $0.options = .caching(.fresh(for: .seconds(10), scope: "x")) })
                == .scopeMismatch)
        let newer = CacheScene(cache: self.scene.cache) { $0.environment.appVersion = "2" }
        #expect(await newer.miss(call) == .appVersionMismatch)
        self.scene.date.advance(by: 6)
        #expect(await self.scene.miss(call) == .expired(age: .seconds(6)))
        #expect(self.scene.sentCount == 1)
    }

    @Test func `D16: an answer that cannot be decoded is not used`() async throws {
        var call = FixtureJSON("a", Int.self)
        call.options = .caching(.fresh(for: .seconds(5)))
        try await self.scene.client.cache.store(Data("{".utf8), for: call)
        #expect(try await self.scene.client.response(for: call).source == .network)
        #expect(try await self.scene.client.response(for: call).source.isCache)
    }

    @Test func `D17: the key of a call does not change`() throws {
        // What is written to disks now has to be found by later versions.
        let request = HTTPRequest(url: try HTTPURL("https://httpbin.org/get"), headers: ["Accept": "text/plain"])
        let name = "c3d66276dccb6370d1825c5cdce82ea15e6e6f4c457de2f71d9770d56012af71"
        #expect(CacheKey(request)?.name == name)
    }

    @Test func `D18: an answer that is not accepted is not stored`() async throws {
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route(where: { _ in true }) { _, _ in .text("x", status: 418) }
        await #expect(throws: ErrandError.self) { try await self.scene.send() }
        #expect(self.scene.cache.count == 0)
    }

    @Test func `D19: a stored answer is validated again, unlike in YTKNetwork`() async throws {
        _ = try await self.scene.send()
        let stricter = CacheScene.fresh { $0.validation = ResponseValidation(statusCodes: 201...201) }
        #expect(await self.scene.miss(stricter) == .notAccepted)
    }

    @Test func `D20: an answer from the future has expired`() async throws {
        _ = try await self.scene.send()
        self.scene.date.advance(by: -1)
        #expect(await self.scene.miss(CacheScene.fresh()) == .expired(age: .seconds(-1)))
        #expect(try await self.scene.send() == ("2", false))
    }
}
