internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Requests to servers that fail (G6)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct CircuitBreakerTests {
    private let network = TestPathMonitor(NetworkPath(interfaces: [.wifi]))
    private let world: FixtureWorld
    private let date = Date()

    init() {
        let network = self.network
        self.world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.circuitBreaker(
                CircuitBreaker(
                    failureRate: 0.5, minimumRequests: 2, window: .seconds(60), openFor: .seconds(10), jitter: 0))
            $0.options = $0.options.withoutTimeout()
            $0.environment.pathMonitor = network
        }
    }

    private func send(_ path: String = "a", _ configure: (inout FixtureText) -> Void = { _ in }) async -> ErrandError? {
        do throws(ErrandError) {
            _ = try await self.world.client.send(FixtureText(path, configure))
            return nil
        } catch {
            return error
        }
    }

    private var state: CircuitBreaker.State? { self.world.client.circuits?.state(of: "https://api.test") }

    private func isOpen() -> Bool {
        if case .open = self.state { true } else { false }
    }

    @Test func `fail at once, and say until when`() async throws {
        self.world.transport.route("/a", .status(503))
        #expect(self.state == .closed)
        for _ in 0..<2 { #expect(await self.send()?.context.status == 503) }
        #expect(self.isOpen())
        let error = await self.send()
        #expect(error?.code == .circuitOpen)
        let wait = try #require(error?.context.retryAt).timeIntervalSince(self.date)
        #expect(abs(wait - 10) < 5, "by the clock of the wall, which stands still in this world")
        #expect(error?.context.attempts == 0)
        #expect(error?.message == "the circuit breaker refuses requests to https://api.test")
        #expect(self.world.transport.received.count == 2)
        #expect(self.world.client.circuits?.states.keys.sorted() == ["https://api.test"])
        let changes = self.world.recorder.entries.filter {
            if case .event(.circuitChanged(.open)) = $0.call { true } else { false }
        }
        #expect(changes.count == 1)
        await self.world.expectAtRest()
    }

    @Test func `those that are closed are not among the states`() async {
        self.world.transport.route("/a", .text("x"))
        #expect(await self.send() == nil)
        #expect(self.state == .closed)
        #expect(self.world.client.circuits?.states == [:])
    }

    @Test func `a request that takes longer than it may as a whole is no failure of theirs`() async throws {
        let gate = StubGate()
        self.world.transport.route("*", StubReply.text("x").held(by: gate))
        for _ in 0..<2 {
            let request = self.world.client.request(
                FixtureText { $0.options = .timeouts(Timeouts(total: .seconds(5))) })
            await request.start()
            await fixtureUntil { self.world.transport.activeCount == 1 }
            await self.world.clock.waitForSleeper()
            self.world.clock.advance(by: .seconds(5))
            #expect(await request.fixtureResult.fixtureFailure?.code == .timedOut)
        }
        #expect(self.state == .closed)
        await self.world.expectAtRest()
    }

    @Test func `are refused though many other servers were asked since`() async throws {
        self.world.transport.route("/a", .status(503))
        self.world.transport.route("*", .text("x"))
        for _ in 0..<2 { _ = await self.send() }
        for number in 0..<300 { #expect(await self.send("https://host\(number).test/x") == nil) }
        #expect(self.isOpen())
        #expect(await self.send()?.code == .circuitOpen)
        await self.world.expectAtRest()
    }

    @Test func `are sent again when one has succeeded`() async throws {
        self.world.transport.route("/a", .status(503), .status(500), .status(503), .text("x"))
        for _ in 0..<2 { _ = await self.send() }
        self.world.clock.advance(by: .seconds(10))
        #expect(self.state == .halfOpen)
        #expect(await self.send()?.context.status == 503)
        #expect(await self.send()?.code == .circuitOpen)
        self.world.clock.advance(by: .seconds(10))
        #expect(await self.send() == nil)
        #expect(self.state == .closed)
        #expect(await self.send() == nil)
    }

    @Test func `a probe that is cancelled gives its place to another`() async throws {
        let gate = StubGate()
        self.world.transport.route("/a", .status(503), .status(503), .text("x").held(by: gate), .text("y"))
        for _ in 0..<2 { _ = await self.send() }
        self.world.clock.advance(by: .seconds(10))
        let probe = self.world.client.request(FixtureText())
        await probe.start()
        await fixtureUntil { self.world.transport.activeCount == 1 }
        #expect(await self.send()?.code == .circuitOpen)
        probe.cancel()
        _ = try? await probe.value
        #expect(await self.send() == nil)
        #expect(self.state == .closed)
    }

    @Test(arguments: [404, 401, 429])
    func `what a server refuses is no failure of it`(status: HTTPStatus) async throws {
        self.world.transport.route("/a", .status(status))
        for _ in 0..<5 { #expect(await self.send()?.context.status == status) }
        #expect(self.state == .closed)
    }

    @Test(arguments: [ErrandError.Code.connectionLost, .cannotConnect, .hostNotFound, .timedOut])
    func `an error of the connection is one, unless there is no network`(code: ErrandError.Code) async throws {
        self.world.transport.route("/a", .failure(code))
        self.network.set(.none)
        for _ in 0..<5 { #expect(await self.send()?.code == code) }
        #expect(self.state == .closed)
        self.network.set(NetworkPath(interfaces: [.wifi]))
        for _ in 0..<2 { #expect(await self.send()?.code == code) }
        #expect(self.isOpen())
    }

    @Test func `each origin has a circuit, and an endpoint may have none`() async throws {
        self.world.transport.route(where: { _ in true }, .status(503))
        for _ in 0..<2 { _ = await self.send() }
        #expect(await self.send()?.code == .circuitOpen)
        #expect(await self.send("http://api.test/a")?.context.status == 503)
        #expect(await self.send("https://other.test/a")?.context.status == 503)
        #expect(await self.send { $0.options = $0.options.circuitBreaker(nil) }?.context.status == 503)
    }

    @Test func `can be opened and closed by hand`() async throws {
        self.world.transport.route("/a", .text("x"))
        let circuits = try #require(self.world.client.circuits)
        circuits.open("https://api.test/")
        self.world.clock.advance(by: .seconds(1_000_000))
        let error = await self.send()
        #expect(error?.code == .circuitOpen)
        #expect(error?.context.retryAt == nil)
        #expect(circuits.state(of: "https://api.test") == .open(until: nil))
        circuits.close("https://api.test")
        #expect(await self.send() == nil)
        circuits.open("no origin")
        #expect(circuits.state(of: "no origin") == .closed)
        #expect(FixtureWorld().client.circuits == nil)
    }

    @Test func `can be watched`() async throws {
        self.world.transport.route("/a", .status(503), .status(503), .status(503), .text("x"))
        let circuits = try #require(self.world.client.circuits)
        var states = circuits.changes(of: "https://api.test").makeAsyncIterator()
        #expect(await states.next() == .closed)
        for _ in 0..<2 { _ = await self.send() }
        guard case .open(until: _?) = await states.next() else { return #expect(Bool(false)) }
        // Without anything being sent.
        let halfOpen = Task { [world] in
            var states = world.client.circuits?.changes(of: "https://api.test").makeAsyncIterator()
            return (await states?.next(), await states?.next())
        }
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(10))
        #expect(await halfOpen.value.1 == .halfOpen)
        #expect(await states.next() == .halfOpen)
        _ = await self.send()
        self.world.clock.advance(by: .seconds(10))
        #expect(await self.send() == nil)
        #expect(await states.next() == .closed, "the latest")
        circuits.open("https://api.test")
        #expect(await states.next() == .open(until: nil))
    }

    @Test func `can be watched from several places, each until it leaves`() async throws {
        let circuits = try #require(self.world.client.circuits)
        let readers = (0..<3).map { _ in
            Task {
                var last: CircuitBreaker.State?
                for await state in circuits.changes(of: "https://api.test") {
                    last = state
                    if state == .open(until: nil) { break }
                }
                return last
            }
        }
        let other = Task { await fixtureAll(circuits.changes(of: "https://other.test")) }
        let left = Task { await fixtureAll(circuits.changes(of: "https://api.test")) }
        left.cancel()
        #expect(await left.value.count <= 1)
        circuits.open("https://api.test")
        for reader in readers { #expect(await reader.value == .open(until: nil)) }
        await self.world.client.shutdown()
        #expect(await other.value == [.closed], "until the client ends")
        #expect(await fixtureAll(circuits.changes(of: "no origin")) == [])
    }

    @Test func `can be watched until nobody holds the client any more`() async throws {
        var world: FixtureWorld? = FixtureWorld { $0.options = $0.options.circuitBreaker(.standard) }
        let states = try #require(world?.client.circuits?.changes(of: "https://api.test"))
        let all = Task { await fixtureAll(states) }
        for _ in 0..<100 { await Task.yield() }
        world = nil
        #expect(await all.value.count <= 1)
    }

    @Test func `a request counts once, with all its retries`() async throws {
        self.world.transport.route("/a", .status(503))
        let policy = RetryPolicy(limit: 5, backoff: Backoff(base: .zero))
        _ = await self.send { $0.options = $0.options.retries(policy) }
        #expect(self.world.transport.received.count == 6)
        #expect(self.state == .closed)
        _ = await self.send { $0.options = $0.options.retries(policy) }
        #expect(self.isOpen())
    }

    @Test func `what is stored needs no server`() async throws {
        self.world.transport.route("/c", .text("x"))
        #expect(await self.send("c") { $0.options = $0.options.caching(.fresh(for: .seconds(60))) } == nil)
        self.world.client.circuits?.open("https://api.test")
        #expect(await self.send("c") { $0.options = $0.options.caching(.fresh(for: .seconds(60))) } == nil)
    }

    @Test func `the circuits of later defaults end their changes with the client`() async throws {
        let client = self.world.client
        client.updateDefaults { $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 7)) }
        let circuits = try #require(client.circuits)
        let log = FixtureLog()
        let watcher = Task {
            for await state in circuits.changes(of: "https://api.test") { log.add("\(state)") }
            log.add("over")
        }
        await log.wait(for: 1)
        await client.shutdown()
        #expect(await fixtureHolds { log.lines == ["closed", "over"] })
        watcher.cancel()
    }

    @Test func `no open circuit is forgotten, however many there are`() async throws {
        let circuits = try #require(self.world.client.circuits)
        for number in 0..<200 { circuits.open("https://host\(number).test") }
        #expect(circuits.states.count == 200)
        #expect(circuits.state(of: "https://host199.test") == .open(until: nil))
    }
}
