internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Deadlines of an exchange: connect, first byte, idle (G3, G6)", .timeLimit(.minutes(60)), .paced)
struct ExchangeDeadlineTests {
    private let transport = ManualTransport()
    private let pass = FixtureInterceptor { request, _, next in try await next(request) }
    private static let head = ExchangeEvent.responseHead(HTTPResponse.Head(status: 200))
    private static let sent = ExchangeEvent.sent(TransferProgress(bytes: 1, total: nil))
    private static let received = ExchangeEvent.received(TransferProgress(bytes: 1, total: nil))

    private func world(
        _ timeouts: Timeouts, intercepted: Bool = false, isRecording: Bool = false
    ) -> FixtureWorld {
        FixtureWorld(isRecording: isRecording) {
            $0.transport = self.transport
            $0.options = $0.options.timeouts(timeouts)
            if intercepted { $0.interceptors = [self.pass] }
        }
    }

    /// Expects that a request times out, and that nothing is left.
    private func expectTimeout(_ request: Request<FixtureText>, _ words: String, _ world: FixtureWorld) async {
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message == words)
        await world.expectAtRest()
    }

    // MARK: - Passing

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let timeouts: Timeouts
        let words: String
    }

    @Test(
        arguments: [
            Case(
                testDescription: "connect", timeouts: Timeouts(connect: .seconds(5)),
                words: "there was no connection after 5.0 seconds"),
            Case(
                testDescription: "first byte", timeouts: Timeouts(firstByte: .seconds(5)),
                words: "there was no response after 5.0 seconds"),
            Case(
                testDescription: "idle", timeouts: Timeouts(idle: .seconds(5)),
                words: "nothing was sent or received for 5.0 seconds"),
            Case(
                testDescription: "all",
                timeouts: Timeouts(connect: .seconds(5), firstByte: .seconds(6), idle: .seconds(7)),
                words: "there was no connection after 5.0 seconds"),
        ], [false, true])
    func `end an exchange in which nothing happens`(deadline: Case, intercepted: Bool) async throws {
        let world = self.world(deadline.timeouts, intercepted: intercepted, isRecording: intercepted)
        let request = world.client.request(FixtureText())
        await request.start()
        _ = try await self.transport.exchange()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .milliseconds(4_999))
        #expect(await request.state == .running)
        world.clock.advance(by: .milliseconds(1))
        await self.expectTimeout(request, deadline.words, world)
    }

    @Test(arguments: [false, true])
    func `count from the slot`(intercepted: Bool) async throws {
        let world = self.world(
            Timeouts(connect: .seconds(5), firstByte: .seconds(5), idle: .seconds(5)), intercepted: intercepted)
        await world.client.scheduler.pause()
        let request = world.client.request(FixtureText())
        await request.start()
        await world.waitUntilQueued(1)
        world.clock.advance(by: .seconds(100))
        await world.client.scheduler.resume()
        try await self.transport.exchange().answer()
        #expect(try await request.value == "x")
    }

    // MARK: - Met

    @Test(arguments: [(0, true), (1, true), (2, true), (3, false)])
    func `connect is met by a connection, by what is sent, or by the head`(event: Int, isMet: Bool) async throws {
        let world = self.world(Timeouts(connect: .seconds(5)), isRecording: true)
        let request = world.client.request(FixtureText())
        await request.start()
        let exchange = try await self.transport.exchange()
        exchange.context.report([.connected, Self.sent, Self.head, .notice("x")][event])
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        if isMet {
            exchange.answer()
            #expect(try await request.value == "x")
            #expect(world.recorder.names(of: request.id).contains { $0 != "notice" })
        } else {
            await self.expectTimeout(request, "there was no connection after 5.0 seconds", world)
        }
    }

    @Test func `first byte is met by the head alone`() async throws {
        let world = self.world(Timeouts(firstByte: .seconds(5)))
        for isMet in [true, false] {
            let request = world.client.request(FixtureText())
            await request.start()
            let exchange = try await self.transport.exchange(isMet ? 0 : 1)
            for event in [.connected, Self.sent] + (isMet ? [Self.head] : []) { exchange.context.report(event) }
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(5))
            if isMet {
                exchange.answer()
                #expect(try await request.value == "x")
            } else {
                await self.expectTimeout(request, "there was no response after 5.0 seconds", world)
            }
        }
    }

    @Test(arguments: [false, true])
    func `idle moves with every byte, and ends what falls silent`(intercepted: Bool) async throws {
        let world = self.world(Timeouts(idle: .seconds(5)), intercepted: intercepted)
        let request = world.client.request(FixtureText())
        await request.start()
        let exchange = try await self.transport.exchange()
        let events = [.connected, Self.sent, Self.sent, Self.head, Self.received, Self.received, Self.received]
        for event in events {
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(4))
            exchange.context.report(event)
        }
        #expect(await request.state == .running)
        // 28 seconds have passed, and the last byte came just now. The timer wakes for the byte before, and sleeps on.
        await world.clock.waitForSleeper()
        world.clock.advance(by: .milliseconds(4_999))
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(33) }
        #expect(await request.state == .running)
        world.clock.advance(by: .milliseconds(1))
        await self.expectTimeout(request, "nothing was sent or received for 5.0 seconds", world)
    }

    @Test func `begin anew with each exchange`() async throws {
        let world = self.world(Timeouts(connect: .seconds(5), firstByte: .seconds(5), idle: .seconds(5)))
        let request = world.client.request(FixtureText())
        await request.start()
        let first = try await self.transport.exchange()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(4))
        first.answer(status: 302, headers: ["Location": "b"])
        let second = try await self.transport.exchange(1)
        world.clock.advance(by: .seconds(4))
        #expect(await request.state == .running)
        // What the first one still has to say concerns nobody.
        first.context.report(.connected)
        first.context.report(Self.received)
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(9) || Task.isCancelled }
        world.clock.advance(by: .seconds(1))
        await self.expectTimeout(request, "there was no connection after 5.0 seconds", world)
        #expect(second.request.url.path == "/b")
    }

    @Test func `leave a retry its chance`() async throws {
        let retry = FixtureInterceptor { request, _, next in
            do throws(ErrandError) { return try await next(request) } catch { return try await next(request) }
        }
        let world = self.world(Timeouts(firstByte: .seconds(5)))
        let request = world.client.request(FixtureText { $0.options = .interceptors([retry]) })
        await request.start()
        _ = try await self.transport.exchange()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        try await self.transport.exchange(1).answer("again")
        #expect(try await request.value == "again")
        await world.expectAtRest()
    }

    @Test func `that are met leave nothing behind`() async throws {
        let world = self.world(
            Timeouts(connect: .seconds(1), firstByte: .seconds(2), idle: .seconds(3), attempt: .seconds(4)))
        let request = world.client.request(FixtureText())
        await request.start()
        try await self.transport.exchange().answer()
        #expect(try await request.value == "x")
        #expect(world.client.environment.deadlines.count == 0)
    }

    /// A transport that comes to its end whatever it is told, and notes that it was told.
    private struct PatientTransport: Transport {
        let gate: FixtureGate
        let stops = FixtureLog()

        func exchange(
            _ request: HTTPRequest, _ context: ExchangeContext
        ) async throws(ErrandError) -> HTTPResponse {
            await withTaskCancellationHandler {
                await self.gate.pass(isPatient: true)
            } onCancel: {
                self.stops.add("stopped")
            }
            return HTTPResponse(status: 200, body: Data("x".utf8))
        }
    }

    @Test(arguments: [false, true])
    func `a response that comes after the limit of its attempt is not delivered`(intercepted: Bool) async throws {
        let transport = PatientTransport(gate: FixtureGate())
        let world = FixtureWorld {
            $0.transport = transport
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(5)))
            if intercepted { $0.interceptors = [self.pass] }
        }
        let request = world.client.request(FixtureText())
        await request.start()
        await transport.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        try #require(await fixtureHolds { !transport.stops.lines.isEmpty })
        transport.gate.open()
        #expect(await request.fixtureResult.fixtureFailure?.code == .timedOut)
        await world.expectAtRest()
    }
}
