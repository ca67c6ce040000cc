internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Chains: steps (G2, G5, G9; T25, D10)", .timeLimit(.minutes(60)), .paced)
struct ChainTests {
    private let world = FixtureWorld(isRecording: true)

    private func echo() {
        self.world.transport.route(where: { _ in true }) { request, _ in .text(String(request.url.path.dropFirst())) }
    }

    @Test func `make each call from what the last one answered`() async throws {
        self.world.transport.route("one", .json(#"{"id":7}"#))
        self.world.transport.route("two/7", .text("image"))
        self.world.transport.route("three/image", .data(Data([1])))
        struct One: Decodable, Sendable { let id: Int }
        let chain = self.world.client.chain(FixtureJSON("one", One.self))
            .then { FixtureText("two/\($0.id)") }
            .then { FixtureData(path: "three/\($0)") }
        #expect(await chain.stepCount == 3)
        #expect(try await chain.value == Data([1]))
        #expect(self.world.sentPaths == ["one", "two/7", "three/image"])
        #expect(await chain.state == .finished)
        #expect(self.world.recorder.hooks(of: chain.id) == FixtureHook.names)
        await self.world.expectAtRest()
    }

    @Test func `pass on values that are nothing`() async throws {
        self.world.transport.route("null", .json("null"))
        self.world.transport.route("*", .text("end"))
        let value = try await self.world.client.chain(FixtureJSON("null", Int?.self))
            .then { (value: Int?) in FixtureVoid(path: "\(value == nil)") }
            .then { (_: Void) in FixtureText("last") }
            .value
        #expect(value == "end")
        #expect(self.world.sentPaths == ["null", "true", "last"])
        #expect(try await self.world.client.chain(FixtureJSON("null", Int?.self)).value == nil)
    }

    @Test func `start a step only when the one before has answered and its closure has returned`() async throws {
        self.echo()
        let hold = FixtureGate()
        let chain = self.world.client.chain(FixtureText("1")).then { _ in
            await hold.pass()
            return FixtureText("2")
        }
        try await chain.start()
        await hold.waitUntilReached()
        #expect(self.world.sentPaths == ["1"])
        #expect(await chain.currentStep == 1)
        hold.open()
        #expect(try await chain.value == "2")
        #expect(await chain.currentStep == nil)
    }

    @Test func `may grow from inside their closures (T25)`() async throws {
        self.echo()
        let log = FixtureLog()
        let chain = self.world.client.chain()
        try await chain.add(FixtureText("1")) { one, chain in
            log.add("callback \(one)")
            try await chain.add(FixtureText("2")) { two, chain in
                log.add("callback \(two)")
                try await chain.add(FixtureText("\(one)+\(two)")) { three, chain in
                    log.add("callback \(three), step \(await chain.currentStep ?? -1) of \(await chain.stepCount)")
                }
            }
        }
        chain.start {
            log.add("success")
        } onFailure: {
            log.add("failure \($0)")
        }
        await log.wait(for: 4)
        #expect(log.lines == ["callback 1", "callback 2", "callback 1+2, step 2 of 3", "success"])
        #expect(self.world.sentPaths == ["1", "2", "1+2"])
        await self.world.expectAtRest()
    }

    @Test func `may be given steps beforehand and while they run, from outside`() async throws {
        let gate = StubGate()
        self.world.transport.route("2", StubReply.text("2").held(by: gate))
        self.echo()
        let chain = self.world.client.chain(FixtureText("1"))
        let log = FixtureLog()
        try await chain.add(FixtureText("2")) { value, _ in log.add(value) }
        try await chain.start()
        await gate.waitUntilReached()
        try await chain.add(FixtureText("3")) { value, _ in log.add(value) }
        gate.open()
        #expect(try await chain.value == "1")
        #expect(log.lines == ["2", "3"])
        #expect(self.world.sentPaths == ["1", "2", "3"])
    }

    @Test func `take no step once they are over`() async throws {
        self.echo()
        let chain = self.world.client.chain(FixtureText("1"))
        _ = try await chain.value
        let error = await #expect(throws: ErrandError.self) { try await chain.add(FixtureText("2")) }
        #expect(error?.code == .alreadyStarted)
        #expect(error?.context.requestID == chain.id)
        #expect(await chain.stepCount == 1)
    }

    @Test func `take no step once they are cancelled`() async throws {
        let chain = self.world.client.chain(FixtureText("1"))
        chain.cancel()
        let error = await #expect(throws: ErrandError.self) { try await chain.add(FixtureText("2")) }
        #expect(error?.code == .cancelled)
    }

    @Test func `without a step are an error (G9)`() async throws {
        let chain = self.world.client.chain()
        for _ in 1...2 {
            let error = await #expect(throws: ErrandError.self) { try await chain.value }
            #expect(error?.code == .emptyChain)
        }
        let started = self.world.client.chain()
        let error = await #expect(throws: ErrandError.self) { try await started.start() }
        #expect(error?.code == .emptyChain)
        let log = FixtureLog()
        self.world.client.chain().start {
            log.add("success")
        } onFailure: {
            log.add("\($0.code)")
        }
        await log.wait(for: 1)
        #expect(log.lines == ["emptyChain"])
        #expect(self.world.recorder.entries.isEmpty)
    }

    @Test func `start once`() async throws {
        self.echo()
        let chain = self.world.client.chain(FixtureText("1"))
        try await chain.start()
        for _ in 1...2 {
            let error = await #expect(throws: ErrandError.self) { try await chain.start() }
            #expect(error?.code == .alreadyStarted)
            #expect(try await chain.value == "1")
        }
        #expect(self.world.transport.receivedCount == 1)
    }

    @Test func `that are made longer are runs of their own`() async throws {
        self.echo()
        let short = self.world.client.chain(FixtureText("1"), options: .tag("t"))
        let long = short.then { FixtureText("\($0)2") }
        #expect(short.id != long.id)
        #expect(long.tag == "t")
        #expect(try await long.value == "12")
        #expect(await short.state == .idle)
        #expect(try await short.value == "1")
    }

    @Test func `tell their states and their progress`() async throws {
        self.echo()
        let chain = self.world.client.chain(FixtureText("1")).then { _ in FixtureText("2") }
        let states = await chain.states
        _ = try await chain.value
        #expect(await fixtureAll(states) == [.idle, .running, .finished])
        let expected = ["willStart", "didStart", "progress", "progress", "willStop", "didStop"]
        #expect(self.world.recorder.names(of: chain.id) == expected)
    }

    @Test func `are cached when all their answers came from the cache`() async throws {
        self.echo()
        let make: @Sendable (String) -> FixtureText = {
            FixtureText($0) { $0.options = .caching(.fresh(for: .seconds(3600))) }
        }
        _ = try await self.world.client.send(make("1"))
        let half = self.world.client.chain(make("1")).then { _ in make("2") }
        _ = try await half.value
        #expect(await half.state == .finished)
        let whole = self.world.client.chain(make("1")).then { _ in make("2") }
        _ = try await whole.value
        #expect(await whole.state == .cached)
    }

    @Test(arguments: [false, true])
    func `are not cached when a recovery gave a value`(isFirstCached: Bool) async throws {
        self.world.transport.route("bad", .status(500))
        self.echo()
        let cached = FixtureText("1") { $0.options = .caching(.fresh(for: .seconds(3600))) }
        _ = try await self.world.client.send(cached)
        let chain =
            isFirstCached
            ? self.world.client.chain(cached).then { _ in FixtureText("bad") }.recover { _ in "x" }
            : self.world.client.chain(FixtureText("bad")).recover { _ in "x" }
        #expect(try await chain.value == "x")
        #expect(await chain.state == .finished)
    }

    @Test func `hand their tag and id on to their requests`() async throws {
        self.echo()
        let chain = self.world.client.chain(FixtureText("1"), options: .tag("t"))
            .then { _ in FixtureText("2") }
        _ = try await chain.value
        let steps = self.world.recorder.entries.map(\.activity).filter { $0.kind == .request }
        #expect(steps.allSatisfy { $0.tag == "t" && $0.parent == chain.id })
        #expect(Set(steps.map(\.id)).count == 2)
    }

    @Test func `call their closure on the main actor, after all hooks`() async {
        let log = FixtureLog()
        let options = RequestOptions.accessories([FixtureHooks.logging("chain", to: log)])
        self.echo()
        self.world.client.chain(FixtureText("1"), options: options).start { value in
            MainActor.assertIsolated()
            log.add("closure \(value)")
        }
        await log.wait(for: 5)
        #expect(log.lines == FixtureHook.names.map { "chain \($0)" } + ["closure 1"])
    }

    @Test func `leave nothing behind when nobody holds them (D10)`() async throws {
        self.echo()
        weak var leaked: FixtureToken?
        do {
            let token = FixtureToken()
            leaked = token
            let chain = self.world.client.chain(FixtureText("1")).then { [token] _ in
                withExtendedLifetime(token) { FixtureText("2") }
            }
            _ = try await chain.value
        }
        await fixtureUntil { leaked == nil }
        #expect(leaked == nil)
    }

    @Test func `the options of a step go before those of its chain`() async throws {
        self.world.transport.route("moved", .status(302, headers: ["Location": "there"]))
        self.world.transport.route("there", .text("found"))
        let chain = self.world.client.chain(options: .redirects(.never))
            .then(options: .redirects(.follow())) { FixtureText("moved") }
        #expect(try await chain.value == "found")
    }
}
