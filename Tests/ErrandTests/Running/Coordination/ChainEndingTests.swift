internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Chains: failures and cancelling (G5, G6; D9, D11)", .timeLimit(.minutes(60)), .paced)
struct ChainEndingTests {
    private let world = FixtureWorld(isRecording: true)
    private let gate = StubGate()

    private func route(bad: String = "bad") {
        self.world.transport.route(bad, .status(500))
        self.world.transport.route("held", StubReply.text("held").held(by: self.gate))
        self.world.transport.route("*", .text("x"))
    }

    @Test(arguments: [0, 1, 2])
    func `a step that fails is named, and those after it are never sent (D9)`(step: Int) async throws {
        self.route(bad: "\(step)")
        let log = FixtureLog()
        let chain = self.world.client.chain(FixtureText("0")).then { _ in FixtureText("1") }
            .then { _ in FixtureText("2") }
        chain.start { _ in
            log.add("success")
        } onFailure: {
            log.add("\($0.code) \($0.context.index ?? -1)")
        }
        await log.wait(for: 1)
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.index == step)
        #expect(error?.context.url == "https://api.test/\(step)")
        #expect(log.lines == ["unacceptableStatus \(step)"])
        #expect(self.world.sentPaths == (0...step).map { "\($0)" })
        #expect(await chain.state == .failed)
        #expect(self.world.recorder.end(of: chain.id)?.error?.context.index == step)
        await self.world.expectAtRest()
    }

    @Test func `a closure that makes a call and throws fails the chain`() async throws {
        self.route()
        let chain = self.world.client.chain(FixtureText("1")).then { _ -> FixtureText in throw FixtureError() }
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .callbackFailed)
        #expect(error?.cause is FixtureError)
        #expect(error?.context.index == 1)
        #expect(error?.context.requestID == chain.id)
        #expect(self.world.sentPaths == ["1"])
    }

    @Test func `a callback that throws fails the chain at its step`() async throws {
        self.route()
        let chain = self.world.client.chain()
        try await chain.add(FixtureText("1")) { _, _ in throw FixtureError() }
        try await chain.add(FixtureText("2"))
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .callbackFailed)
        #expect(error?.cause is FixtureError)
        #expect(error?.context.index == 0)
        #expect(self.world.sentPaths == ["1"])
    }

    @Test func `an Errand error that a closure throws is kept`() async throws {
        self.route()
        let chain = self.world.client.chain(FixtureText("1")).then { _ -> FixtureText in
            throw ErrandError(.unsupported, "not today")
        }
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "not today")
        #expect(error?.context.index == 1)
    }

    @Test func `cancelling inside a callback ends as cancelled (D11)`() async throws {
        self.route()
        let chain = self.world.client.chain()
        let log = FixtureLog()
        try await chain.add(FixtureText("1")) { _, chain in
            chain.cancel()
            let error = await #expect(throws: ErrandError.self) { try await chain.add(FixtureText("3")) }
            log.add("\(error?.code.description ?? "")")
        }
        try await chain.add(FixtureText("2")) { _, _ in log.add("2") }
        chain.start {
            log.add("success")
        } onFailure: {
            log.add("failure \($0.code)")
        }
        await log.wait(for: 2)
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(log.lines == ["cancelled", "failure cancelled"])
        #expect(self.world.sentPaths == ["1"])
        #expect(self.world.recorder.hooks(of: chain.id) == FixtureHook.names)
        await self.world.expectAtRest()
    }

    @Test func `cancelling inside the last callback is not finishing (D11)`() async throws {
        self.route()
        let chain = self.world.client.chain()
        try await chain.add(FixtureText("1")) { _, chain in chain.cancel() }
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(self.world.recorder.end(of: chain.id)?.isCancelled == true)
    }

    @Test func `cancelling from outside while a callback runs is not finishing`() async throws {
        self.route()
        let hold = FixtureGate()
        let chain = self.world.client.chain()
        try await chain.add(FixtureText("1")) { _, _ in await hold.pass(isPatient: true) }
        try await chain.start()
        await hold.waitUntilReached()
        await self.world.client.cancelAll()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `a step is refused as soon as all has been cancelled`() async throws {
        self.route()
        let (chain, client, log) = (self.world.client.chain(), self.world.client, FixtureLog())
        try await chain.add(FixtureText("1")) { _, chain in
            await client.cancelAll()
            let error = await #expect(throws: ErrandError.self) { try await chain.add(FixtureText("2")) }
            log.add("\(error?.code.description ?? "taken")")
        }
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(log.lines == ["cancelled"])
        #expect(self.world.sentPaths == ["1"])
    }

    @Test func `cancelling in the last hook of a step keeps its closure from running`() async throws {
        let (hold, log) = (FixtureGate(), FixtureLog())
        let world = FixtureWorld {
            $0.accessories = [
                FixtureHooks(didStop: { activity, _ in
                    if activity.kind == .request { await hold.pass(isPatient: true) }
                })
            ]
        }
        world.transport.route("*", .text("x"))
        let chain = world.client.chain()
        try await chain.add(FixtureText("1")) { _, _ in log.add("closure") }
        try await chain.start()
        await hold.waitUntilReached()
        await world.client.cancelAll()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(log.lines.isEmpty)
        await world.expectAtRest()
    }

    @Test func `cancelling before the start runs no hook`() async throws {
        let chain = self.world.client.chain(FixtureText("1"))
        let states = await chain.states
        chain.cancel()
        chain.cancel()
        let started = await #expect(throws: ErrandError.self) { try await chain.start() }
        #expect(started?.code == .cancelled)
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(await fixtureAll(states) == [.idle, .failed])
        #expect(self.world.recorder.entries.isEmpty)
    }

    @Test func `cancelling on the wire ends the step too`() async throws {
        self.route()
        let chain = self.world.client.chain(FixtureText("held")).then { FixtureText($0) }
        try await chain.start()
        await self.gate.waitUntilReached()
        chain.cancel()
        chain.cancel()
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(self.world.sentPaths == ["held"])
        for id in self.world.recorder.ids(of: .request) + [chain.id] {
            #expect(self.world.recorder.hooks(of: id) == FixtureHook.names)
        }
        await self.world.expectAtRest()
    }

    @Test func `cancelling after the end changes nothing`() async throws {
        self.route()
        let chain = self.world.client.chain(FixtureText("1"))
        _ = try await chain.value
        chain.cancel()
        #expect(try await chain.value == "x")
        #expect(await chain.state == .finished)
    }

    @Test(arguments: [true, false])
    func `a task that waits takes the chain along only if it began it`(isImplicit: Bool) async throws {
        self.route()
        let chain = self.world.client.chain(FixtureText("held"))
        if !isImplicit { try await chain.start() }
        let task = Task { () -> ErrandError.Code? in
            await #expect(throws: ErrandError.self) { try await chain.value }?.code
        }
        await self.gate.waitUntilReached()
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await chain.state == (isImplicit ? .failed : .running))
        self.gate.open()
        if !isImplicit { #expect(try await chain.value == "held") }
        await self.world.expectAtRest()
    }

    // MARK: - Recovering

    @Test func `a step that fails may be recovered from`() async throws {
        self.route()
        let log = FixtureLog()
        let value = try await self.world.client.chain(FixtureText("bad"))
            .recover { error in
                log.add("\(error.code) \(error.context.index ?? -1)")
                return "instead"
            }
            .then { FixtureText("after/\($0)") }
            .value
        #expect(value == "x")
        #expect(log.lines == ["unacceptableStatus 0"])
        #expect(self.world.sentPaths == ["bad", "after/instead"])
    }

    @Test func `a recovery is not asked when all is well, nor for another step`() async throws {
        self.route()
        let log = FixtureLog()
        let fine = self.world.client.chain(FixtureText("1")).recover { _ in
            log.add("asked")
            return "instead"
        }
        #expect(try await fine.value == "x")
        let later = fine.then { _ in FixtureText("bad") }
        let error = await #expect(throws: ErrandError.self) { try await later.value }
        #expect(error?.context.index == 1)
        #expect(log.lines.isEmpty)
    }

    @Test func `a recovery may fail as well`() async throws {
        self.route()
        let chain = self.world.client.chain(FixtureText("bad"))
        let wrapped = await #expect(throws: ErrandError.self) {
            try await chain.recover { _ in throw FixtureError() }.value
        }
        #expect(wrapped?.code == .callbackFailed)
        #expect(wrapped?.context.index == 0)
        let same = await #expect(throws: ErrandError.self) { try await chain.recover { throw $0 }.value }
        #expect(same?.code == .unacceptableStatus)
    }

    @Test func `cancellation is not recovered from`() async throws {
        self.route()
        let log = FixtureLog()
        let chain = self.world.client.chain(FixtureText("held")).recover { _ in
            log.add("asked")
            return "instead"
        }
        try await chain.start()
        await self.gate.waitUntilReached()
        chain.cancel()
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(log.lines.isEmpty)
    }

    @Test func `cancelling while it is recovered from ends as cancelled`() async throws {
        self.route()
        let hold = FixtureGate()
        let chain = self.world.client.chain(FixtureText("bad")).recover { _ in
            await hold.pass()
            return "instead"
        }
        try await chain.start()
        await hold.waitUntilReached()
        chain.cancel()
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `cancelling all while it is recovered from is no failure of the recovery`() async throws {
        self.route()
        let hold = FixtureGate()
        let chain = self.world.client.chain(FixtureText("bad")).recover { _ in
            await hold.pass(isPatient: true)
            throw FixtureError()
        }
        try await chain.start()
        await hold.waitUntilReached()
        await self.world.client.cancelAll()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .cancelled)
        #expect(error?.cause == nil)
        #expect(self.world.recorder.end(of: chain.id)?.isCancelled == true)
    }

    @Test func `a later recovery gets the error that the one before it threw`() async throws {
        self.route()
        let log = FixtureLog()
        let chain = self.world.client.chain(FixtureText("bad"))
            .recover { error in
                log.add("\(error.code)")
                throw FixtureError()
            }
            .recover { error in
                log.add("\(error.code)")
                return "instead"
            }
        #expect(try await chain.value == "instead")
        #expect(log.lines == ["unacceptableStatus", "callbackFailed"])
    }
}
