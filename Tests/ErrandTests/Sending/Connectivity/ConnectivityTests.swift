internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import TestEffort
internal import Testing

/// Counts how often it was asked.
private final class StubCounter: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        self.count.withLock { count in
            count += 1
            return count
        }
    }
}

@Suite("Requests that wait for a network (G6, G7)", .timeLimit(.minutes(60)), .paced)
struct ConnectivityTests {
    private let network = TestPathMonitor(.none)
    private let online = NetworkPath(interfaces: [.wifi])
    private let world: FixtureWorld

    init() {
        let network = self.network
        self.world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.connectivity(.wait(upTo: .seconds(60)))
            $0.environment.pathMonitor = network
            $0.options = $0.options.withoutTimeout()
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        }
    }

    /// Fails as long as there is no network, with an error of this kind.
    private func failOffline(_ code: ErrandError.Code = .cannotConnect) {
        let network = self.network
        self.world.transport.route(where: { _ in true }) { _, _ in
            network.path.isSatisfied ? .text("x") : .failure(code, "no network")
        }
    }

    private var eventNames: [String] {
        self.world.recorder.entries.compactMap { entry in
            switch entry.call {
            case .event(.waitingForConnectivity): "waits"
            case .event(.connectivityReturned): "returned"
            case .event(.attemptStarted): "attempt"
            default: nil
            }
        }
    }

    /// The error of a call that does not wait; one that waits goes on when there is a network.
    private func failure(of call: FixtureText) async -> ErrandError? {
        let request = self.world.client.request(call)
        await request.start()
        await fixtureUntil {
            let state = await request.state
            return self.network.readerCount == 1 || state.isTerminal
        }
        self.network.set(self.online)
        return await #expect(throws: ErrandError.self) { try await request.value }
    }

    @Test(arguments: [ErrandError.Code.cannotConnect, .hostNotFound, .connectionLost])
    func `waits until there is one, holds no slot, and tells so`(_ code: ErrandError.Code) async throws {
        self.failOffline(code)
        let request = self.world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { self.network.readerCount == 1 }
        #expect(await self.world.client.scheduler.activeCount == 0)
        #expect(await request.state == .running)
        #expect(await request.isWaitingForConnectivity)
        self.network.set(self.online)
        #expect(try await request.value == "x")
        #expect(await !request.isWaitingForConnectivity)
        #expect(self.eventNames == ["attempt", "waits", "returned", "attempt"])
        await self.world.expectAtRest()
        await fixtureUntil { self.network.readerCount == 0 }
    }

    @Test func `is tried first, whatever is known of the network`() async throws {
        self.world.transport.route("*", .text("x"))
        #expect(try await self.world.client.send(FixtureText()) == "x")
        #expect(self.eventNames == ["attempt"])
    }

    @Test func `fails as it did when the time is over`() async throws {
        self.failOffline()
        let request = self.world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { self.network.readerCount == 1 }
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(60))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cannotConnect)
        await self.world.expectAtRest()
    }

    @Test func `a network that comes and goes does not make the time longer`() async throws {
        let network = self.network
        self.world.transport.route(where: { _ in true }) { _, _ in
            network.set(.none)
            return .failure(.cannotConnect, "no network")
        }
        let request = self.world.client.request(FixtureText())
        await request.start()
        for _ in 0..<2 {
            await fixtureUntil { self.network.readerCount == 1 && self.world.clock.nextSleeperDeadline != nil }
            self.world.clock.advance(by: .seconds(25))
            self.network.set(self.online)
            await fixtureUntil { self.network.readerCount == 0 || !self.network.path.isSatisfied }
            await fixtureUntil { !self.network.path.isSatisfied }
        }
        await fixtureUntil { self.network.readerCount == 1 && self.world.clock.nextSleeperDeadline != nil }
        let left = self.world.clock.nextSleeperDeadline.map { self.world.clock.now.duration(to: $0) }
        #expect(left == .seconds(10))
        self.world.clock.advance(by: left ?? .seconds(60))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cannotConnect)
    }

    @Test func `what may have been carried out is not sent again`() async throws {
        self.failOffline(.connectionLost)
        let call = FixtureText {
            $0.method = .post
            $0.body = .text("x")
        }
        let error = await self.failure(of: call)
        #expect(error?.code == .connectionLost)
        #expect(self.eventNames == ["attempt"])
    }

    @Test func `what was not sent is, whatever its method`() async throws {
        self.failOffline(.hostNotFound)
        let call = FixtureText {
            $0.method = .post
            $0.body = .text("x")
        }
        async let value = self.world.client.send(call)
        await fixtureUntil { self.network.readerCount == 1 }
        self.network.set(self.online)
        #expect(try await value == "x")
    }

    @Test func `what came to a server before its redirection failed is not sent again`() async throws {
        let network = self.network
        self.world.transport.route("/a", .status(.seeOther, headers: ["Location": "https://b.test/b"]))
        self.world.transport.route(where: { $0.url.host == "b.test" }) { _, _ in
            network.path.isSatisfied ? .text("x") : .failure(.cannotConnect, "no network")
        }
        let call = FixtureText {
            $0.method = .post
            $0.body = .text("x")
        }
        let error = await self.failure(of: call)
        #expect(error?.code == .cannotConnect)
        #expect(self.world.transport.received.filter { $0.method == .post }.count == 1)
    }

    @Test(arguments: [true, false])
    func `a monitor that tells nothing ends the wait`(isSatisfiedAtTimes: Bool) async throws {
        struct Odd: NetworkPath.Monitor {
            let flips: Bool
            let looks = StubCounter()
            var path: NetworkPath {
                self.flips && self.looks.next() % 2 == 0 ? NetworkPath(interfaces: [.wifi]) : .none
            }
            var changes: AsyncStream<NetworkPath> { AsyncStream { $0.finish() } }
        }
        let world = FixtureWorld {
            $0.options = $0.options.connectivity(.wait(upTo: .seconds(60)))
            $0.environment.pathMonitor = Odd(flips: isSatisfiedAtTimes)
        }
        world.transport.route("*", .failure(.cannotConnect, "no network"))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .cannotConnect)
        #expect(world.transport.received.count <= 3)
    }

    @Test func `fails at once where there is a network, and with other errors`() async throws {
        self.network.set(self.online)
        self.world.transport.route("*", .failure(.cannotConnect, "refused"))
        var error = await #expect(throws: ErrandError.self) { try await self.world.client.send(FixtureText()) }
        #expect(error?.code == .cannotConnect)
        #expect(self.eventNames == ["attempt"])
        self.network.set(.none)
        self.world.transport.route("*", .failure(.tlsFailed, "no trust"))
        error = await #expect(throws: ErrandError.self) { try await self.world.client.send(FixtureText()) }
        #expect(error?.code == .tlsFailed)
        #expect(self.eventNames == ["attempt", "attempt"])
    }

    @Test func `cancelling ends the wait`() async throws {
        self.failOffline()
        let request = self.world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { self.network.readerCount == 1 }
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        await self.world.expectAtRest()
        await fixtureUntil { self.network.readerCount == 0 }
    }

    @Test func `an endpoint says otherwise`() async throws {
        struct Hasty: Endpoint {
            typealias Response = String
            let path: EndpointPath = "a"
            var options: RequestOptions { .connectivity(.fail) }
        }
        self.failOffline()
        let error = await #expect(throws: ErrandError.self) { try await self.world.client.send(Hasty()) }
        #expect(error?.code == .cannotConnect)
        #expect(self.eventNames == ["attempt"])
    }

    @Test func `waits from inside an interceptor's call, which sees one response`() async throws {
        self.failOffline()
        let call = FixtureText { $0.options = .interceptors([URLFilter(query: ["a": 1])]) }
        async let value = self.world.client.send(call)
        await fixtureUntil { self.network.readerCount == 1 }
        self.network.set(self.online)
        #expect(try await value == "x")
    }

    // MARK: - The system

    @Test func `the system tells its networks, now and first of all changes`() async throws {
        let path = NetworkPath.SystemMonitor.shared.path
        for await first in NetworkPath.SystemMonitor.shared.changes {
            #expect(first.isSatisfied == path.isSatisfied)
            break
        }
        #expect(NetworkPath.none.isSatisfied == false)
        #expect(path.isSatisfied == !path.interfaces.isEmpty)
    }
}
