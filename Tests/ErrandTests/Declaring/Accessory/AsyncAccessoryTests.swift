internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Accessories that wait, and those that never do (G2)", .timeLimit(.minutes(60)), .paced)
struct AsyncAccessoryTests {
    private struct Prompt: Accessory {
        let (name, log): (String, FixtureLog)

        func willStart(_ activity: RequestActivity) { self.log.add("\(self.name) willStart") }
        func didStart(_ activity: RequestActivity) { self.log.add("\(self.name) didStart") }
        func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) { self.log.add("\(self.name) willStop") }
        func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) { self.log.add("\(self.name) didStop") }
    }

    /// Has some hooks that do not wait, though it may.
    private struct Mixed: AsyncAccessory {
        let (name, log): (String, FixtureLog)

        func willStart(_ activity: RequestActivity) { self.log.add("\(self.name) willStart") }
        func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
            await Task.yield()
            self.log.add("\(self.name) didStop")
        }
    }

    private actor Count: AsyncAccessory {
        private(set) var value = 0

        func willStart(_ activity: RequestActivity) async { self.value += 1 }
        func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async { self.value += 10 }
    }

    private func world(_ accessories: [any Accessory]) -> FixtureWorld {
        let world = FixtureWorld { $0.accessories = accessories }
        world.transport.route("*", .text("x"))
        return world
    }

    @Test func `both are called in the order given`() async throws {
        let log = FixtureLog()
        let world = self.world([
            Prompt(name: "1", log: log), FixtureHooks.logging("2", to: log), Prompt(name: "3", log: log),
        ])
        let own = RequestOptions.accessories([FixtureHooks.logging("4", to: log), Prompt(name: "5", log: log)])
        _ = try await world.client.send(FixtureText(), options: own)
        let expected = FixtureHook.names.flatMap { hook in (1...5).map { "\($0) \(hook)" } }
        #expect(log.lines == expected)
        await world.expectAtRest()
    }

    @Test func `a hook without async in one that may wait is called once`() async throws {
        let log = FixtureLog()
        let world = self.world([Mixed(name: "-", log: log)])
        _ = try await world.client.send(FixtureText())
        #expect(log.lines == ["- willStart", "- didStop"])
    }

    @Test func `an actor may be one, and the request waits for it`() async throws {
        let count = Count()
        let world = self.world([count])
        _ = try await world.client.send(FixtureText())
        #expect(await count.value == 11)
    }

    @Test func `only those that may wait make a request ready for that`() {
        let log = FixtureLog()
        let prompt = Prompt(name: "-", log: log)
        #expect(!Hooks([]).mayWait && !Hooks([prompt, EventRecorder()]).mayWait)
        #expect(Hooks([prompt, Mixed(name: "-", log: log)]).mayWait)
        #expect(Hooks([prompt]).adding([FixtureHooks()]).mayWait)
    }

    @Test func `hooks of cancelled work that never wait run all the same`() async {
        let log = FixtureLog()
        let gate = StubGate()
        let world = FixtureWorld { $0.accessories = [Prompt(name: "-", log: log)] }
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        request.cancel()
        await #expect(throws: ErrandError.self) { try await request.value }
        #expect(log.lines == FixtureHook.names.map { "- \($0)" })
        await world.expectAtRest()
    }
}
