internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Calls that replace one another (G1, G6)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct LatestTests {
    private let world = FixtureWorld { $0.options = $0.options.withoutTimeout() }
    private let gate = StubGate()

    private func code(_ task: Task<String, any Error>) async -> ErrandError.Code? {
        await #expect(throws: ErrandError.self) { try await task.value }?.code
    }

    /// Waits until a call waits for the end of its debounce.
    private func waitForDebounce() async {
        await fixtureUntil { self.world.client.environment.waitingCount == 1 }
    }

    @Test(arguments: [0, 1]) func `end with the client, while they wait for their time`(way: Int) async {
        let search = self.world.client.latest(debounce: .seconds(60))
        let call = Task { try await search.send(FixtureText()) }
        await self.waitForDebounce()
        if way == 0 { await self.world.client.shutdown() } else { await self.world.client.shutdown(drainingFor: .zero) }
        #expect(await self.code(call) == .clientShutDown)
        // One that begins after that too.
        let late = Task { try await search.send(FixtureText()) }
        #expect(await self.code(late) == .clientShutDown)
        #expect(self.world.sentPaths == [])
    }

    @Test func `cancel the one before`() async throws {
        self.world.transport.route("/old", .text("old").held(by: self.gate))
        self.world.transport.route("/new", .text("new"))
        let search = self.world.client.latest()
        let old = Task { try await search.send(FixtureText("old")) }
        await self.gate.waitUntilReached()
        #expect(try await search.send(FixtureText("new")) == "new")
        #expect(await self.code(old) == .cancelled)
        #expect(try await search.send(FixtureText("new")) == "new")
        await self.world.expectAtRest()
    }

    @Test func `count only while they are the newest, even if they were answered`() async throws {
        let search = self.world.client.latest()
        let gate = StubGate()
        self.world.transport.route("/new", .text("new").held(by: gate))
        self.world.transport.route("/old", .text("old"))
        // While the value of the old one is made, the new one begins.
        let call = FixtureCustom<String>(path: "old") { _ in
            search.cancel()
            return "old"
        }
        let error = await #expect(throws: ErrandError.self) { try await search.send(call) }
        #expect(error?.code == .cancelled)
    }

    @Test func `an older one that was answered has no value once a newer one has begun`() async throws {
        let hook = FixtureGate()
        let world = FixtureWorld {
            $0.options = $0.options.withoutTimeout()
            $0.accessories = [FixtureHooks.holding(.willStop, at: hook)]
        }
        world.transport.route("/old", .text("old"))
        world.transport.route("/new", .text("new").held(by: self.gate))
        let search = world.client.latest()
        let old = Task { try await search.send(FixtureText("old")) }
        // Its outcome is settled: no stop changes that any more.
        await hook.waitUntilReached()
        let new = Task { try await search.send(FixtureText("new")) }
        await self.gate.waitUntilReached()
        hook.open()
        #expect(await self.code(old) == .cancelled)
        self.gate.open()
        #expect(try await new.value == "new")
        await world.expectAtRest()
    }

    @Test func `of different kinds know nothing of each other`() async throws {
        self.world.transport.route("/a", .text("a").held(by: self.gate))
        self.world.transport.route("/b", .text("b"))
        let (one, other) = (self.world.client.latest(), self.world.client.latest())
        let first = Task { try await one.send(FixtureText("a")) }
        await self.gate.waitUntilReached()
        #expect(try await other.send(FixtureText("b")) == "b")
        self.gate.open()
        #expect(try await first.value == "a")
    }

    @Test func `are sent once nothing newer has come for a while`() async throws {
        self.world.transport.route("/a", .text("a"))
        self.world.transport.route("/b", .text("b"))
        let search = self.world.client.latest(debounce: .milliseconds(300))
        let old = Task { try await search.send(FixtureText("a")) }
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .milliseconds(299))
        let new = Task { try await search.send(FixtureText("b")) }
        // At once, and not when its own time is over.
        #expect(await self.code(old) == .cancelled)
        await self.waitForDebounce()
        await fixtureUntil { self.world.client.environment.deadlines.count == 1 }
        self.world.clock.advance(by: .milliseconds(299))
        for _ in 0..<100 { await Task.yield() }
        #expect(self.world.sentPaths == [])
        // The timer may have been on its way to the moment of the old one.
        await fixtureUntil {
            self.world.clock.nextSleeperDeadline == TestClock.Instant(offset: .milliseconds(599))
        }
        self.world.clock.advance(by: .milliseconds(1))
        #expect(try await new.value == "b")
        #expect(self.world.sentPaths == ["b"])
    }

    @Test func `are cancelled with their task, and by hand`() async throws {
        let search = self.world.client.latest(debounce: .seconds(1))
        let one = Task { try await search.send(FixtureText()) }
        await self.waitForDebounce()
        one.cancel()
        #expect(await self.code(one) == .cancelled)
        let other = Task { try await search.send(FixtureText()) }
        await self.waitForDebounce()
        search.cancel()
        search.cancel()
        #expect(await self.code(other) == .cancelled)
        #expect(self.world.sentPaths == [])
        await self.world.expectAtRest()
    }
}
