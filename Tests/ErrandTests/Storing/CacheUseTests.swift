internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: what one use asks for", .timeLimit(.minutes(60)), .paced)
struct CacheUseTests {
    private let scene = CacheScene()

    private func events(_ recorder: EventRecorder, _ id: RequestID) -> [String] { recorder.names(of: id) }

    // MARK: - Only the cache

    @Test func `only the cache, and no slot`() async throws {
        await #expect(throws: ErrandError.self) { try await self.scene.send(CacheScene.fresh(), .only) }
        _ = try await self.scene.send()
        await self.scene.client.scheduler.pause()
        #expect(try await self.scene.send(CacheScene.fresh(), .only) == ("1", true))
        #expect(self.scene.sentCount == 1)
    }

    @Test func `only a cache that is not there`() async throws {
        let scene = CacheScene { $0.cache = nil }
        #expect(await scene.miss(CacheScene.fresh()) == .noCache)
        #expect(scene.sentCount == 0)
    }

    @Test func `what is ignored is renewed`() async throws {
        for value in ["1", "2"] {
            #expect(try await self.scene.send(CacheScene.fresh(), .ignore) == (value, false))
        }
        #expect(try await self.scene.send() == ("2", true))
    }

    @Test(arguments: CacheUse.allCases.filter { $0 != .only })
    func `an endpoint that stores nothing stores nothing, whatever is asked`(use: CacheUse) async throws {
        for index in 1...2 { #expect(try await self.scene.send(FixtureText(), use) == ("\(index)", false)) }
        #expect(self.scene.cache.count == 0)
    }

    /// Word that something has not changed is no answer to who has nothing (RFC 9110 §15.4.5), nor is a part the whole.
    @Test(arguments: [304, 206])
    func `what is not the whole answer is not stored`(status: Int) async throws {
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route("*", .text("", status: HTTPStatus(rawValue: status)), .text("whole"))
        let call = CacheScene.fresh { $0.validation = ResponseValidation(statusCodes: 200...399) }
        for (value, isCached) in [("", false), ("whole", false), ("whole", true)] {
            #expect(try await self.scene.send(call) == (value, isCached))
        }
    }

    @Test func `a refresh keeps what the call says itself`() async throws {
        let call = CacheScene.fresh { $0.headers = ["Cache-Control": "max-age=1"] }
        _ = try await self.scene.send(call, .reload)
        #expect(self.scene.world.transport.received.first?.headers["Cache-Control"] == "max-age=1")
        #expect(try await self.scene.send(CacheScene.fresh()).isCached)
    }

    @Test func `what is asked of a batch is asked of its requests`() async throws {
        let calls = [CacheScene.fresh("a"), CacheScene.fresh("b")]
        _ = try await self.scene.client.batch(of: calls).value
        let cached = self.scene.client.batch(of: calls, options: .cacheUse(.only))
        _ = try await cached.value
        #expect(await cached.isFromCache)
        let renewed = self.scene.client.batch(of: calls, options: .cacheUse(.ignore))
        _ = try await renewed.value
        #expect(await !renewed.isFromCache)
        #expect(self.scene.sentCount == 4)
    }

    // MARK: - Show, then refresh

    @Test func `what is stored is shown, then what the network says`() async throws {
        _ = try await self.scene.send()
        self.scene.date.advance(by: 3)
        let request = self.scene.client.request(
            CacheScene.fresh(), options: .cacheUse(.thenRefresh))
        let (states, responses) = (await request.states, await request.responses)
        await request.start()
        #expect(try await request.value == "2")
        #expect(await fixtureAll(states) == [.idle, .running, .cached, .running, .finished])
        var shown: [(String, ResponseSource)] = []
        for try await response in responses { shown.append((response.value, response.source)) }
        #expect(shown.map(\.0) == ["1", "2"])
        #expect(shown.map(\.1) == [.cache(age: .seconds(3)), .network])
        #expect(
            self.events(self.scene.world.recorder, request.id)
                == [
                    "willStart", "didStart", "cacheHit", "attemptStarted", "responseHead", "received", "willStop",
                    "didStop",
                ])
        // Whoever comes later sees the same.
        var late: [String] = []
        for try await response in await request.responses { late.append(response.value) }
        #expect(late == ["1", "2"])
        #expect(try await self.scene.send() == ("2", true))
        await self.scene.world.expectAtRest()
    }

    @Test func `with nothing stored there is one answer`() async throws {
        var values: [String] = []
        for try await response in self.scene.client.responses(for: CacheScene.fresh()) { values.append(response.value) }
        for try await response in self.scene.client.responses(for: CacheScene.fresh()) { values.append(response.value) }
        #expect(values == ["1", "1", "2"])
        await self.scene.world.expectAtRest()
    }

    @Test func `a refresh that fails fails after what is stored was shown`() async throws {
        _ = try await self.scene.send()
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route(where: { _ in true }) { _, _ in .failure(.connectionLost) }
        var values: [String] = []
        let error = await #expect(throws: ErrandError.self) {
            for try await response in self.scene.client.responses(for: CacheScene.fresh()) {
                values.append(response.value)
            }
        }
        #expect(values == ["1"])
        #expect(error?.code == .connectionLost)
        #expect(error?.context.status == nil)
        #expect(try await self.scene.send() == ("1", true))
    }

    @Test func `a refresh can be cancelled`() async throws {
        _ = try await self.scene.send()
        let gate = StubGate()
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route(where: { _ in true }) { _, _ in .text("x").held(by: gate) }
        let request = self.scene.client.request(
            CacheScene.fresh(), options: .cacheUse(.thenRefresh))
        let states = await request.states
        await request.start()
        await fixtureUntil { self.scene.world.transport.activeCount == 1 }
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(await fixtureAll(states) == [.idle, .running, .cached, .running, .failed])
        await self.scene.world.expectAtRest()
    }

    @Test func `giving the answers up cancels the request`() async throws {
        _ = try await self.scene.send()
        let gate = StubGate()
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route(where: { _ in true }) { _, _ in .text("x").held(by: gate) }
        for try await response in self.scene.client.responses(for: CacheScene.fresh()) {
            #expect(response.value == "1")
            break
        }
        await fixtureUntil { await self.scene.client.record.count == 0 }
        await self.scene.world.expectAtRest()
    }

    // MARK: - What is told

    @Test func `a miss is told with its reason`() async throws {
        let request = self.scene.client.request(CacheScene.fresh())
        _ = try await request.value
        var reasons: [CacheMiss] = []
        for entry in self.scene.world.recorder.entries {
            if case .event(.cacheMiss(let reason)) = entry.call { reasons.append(reason) }
        }
        #expect(reasons == [.noEntry])
        #expect(self.events(self.scene.world.recorder, request.id).prefix(3) == ["willStart", "didStart", "cacheMiss"])
    }

    // MARK: - What cannot be stored

    @Test(arguments: ["head", "range", "file", "partial"])
    func `some answers are never stored`(_ kind: String) async throws {
        let folder = try TestFolder()
        self.scene.world.transport.removeRoutes()
        self.scene.world.transport.route(where: { _ in true }) { _, use in
            .text("\(use)", status: kind == "partial" ? 206 : 200)
        }
        let call = CacheScene.fresh {
            switch kind {
            case "head": $0.method = .head
            case "range": $0.headers = ["Range": "bytes=0-1"]
            case "file": $0.options = $0.options.destination(.file(folder.file("x")))
            default: break
            }
        }
        for _ in 1...2 {
            let request = self.scene.client.request(call)
            await request.start()
            _ = try? await request.response
        }
        #expect(self.scene.sentCount == 2)
        #expect(self.scene.cache.count == 0)
        if kind != "partial" { #expect(await self.scene.miss(call) == .notCacheable) }
    }

    @Test func `a failed refresh does not end with the head of the cached response shown before`() async throws {
        let world = FixtureWorld(isRecording: true) { $0.cache = MemoryCache() }
        world.transport.route("a", .text("1"), .failure(.connectionLost))
        _ = try await world.client.send(CacheScene.fresh())
        let request = world.client.request(CacheScene.fresh(), options: .cacheUse(.thenRefresh))
        #expect(await request.fixtureResult.fixtureFailure?.code == .connectionLost)
        let end = try #require(world.recorder.end(of: request.id))
        #expect(end.head == nil && end.body == nil)
        await world.expectAtRest()
    }

    @Test func `a request for the cache alone shows nothing of what is not accepted`() async throws {
        _ = try await self.scene.send()
        let call = CacheScene.fresh { $0.validation = ResponseValidation(checks: [{ _ in throw FixtureError() }]) }
        let error = await #expect(throws: ErrandError.self) { try await self.scene.send(call, .only) }
        #expect(error?.cacheMiss == .notAccepted)
        #expect(error?.context.status == nil && error?.context.body == nil)
    }
}
