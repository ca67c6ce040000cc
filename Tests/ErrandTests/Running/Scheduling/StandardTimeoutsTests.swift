internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Deadlines that nobody set (G3, G6)", .timeLimit(.minutes(60)), .paced)
struct StandardTimeoutsTests {
    private let transport = ManualTransport()

    private func world(
        _ transport: ManualTransport? = nil, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        FixtureWorld {
            $0.transport = transport ?? self.transport
            configure(&$0)
        }
    }

    private func expectTimeout(_ request: Request<FixtureText>, _ words: String, _ world: FixtureWorld) async {
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message == words)
        await world.expectAtRest()
    }

    // MARK: - What they are

    @Test func `are 30 s for a connection and 60 s without a byte`() {
        #expect(Client().environment.currentOptions.value.timeouts == .standard)
        #expect(Timeouts.standard == Timeouts(connect: .seconds(30), idle: .seconds(60)))
    }

    @Test(arguments: [
        (Timeouts(connect: .seconds(1)), 1), (Timeouts(firstByte: .seconds(1)), 1), (Timeouts(idle: .seconds(1)), 1),
        (Timeouts(attempt: .seconds(1)), 1), (Timeouts(total: .seconds(1)), 1), (Timeouts.unlimited, 0),
        (Timeouts(), 0), (Timeouts.standard, 2),
    ])
    func `are not left behind when one is set`(timeouts: Timeouts, count: Int) async throws {
        let fields = [timeouts.connect, timeouts.firstByte, timeouts.idle, timeouts.attempt, timeouts.total]
        #expect(fields.count { $0 != nil } == count)
        let world = self.world()
        let request = world.client.request(FixtureText { $0.options = .timeouts(timeouts) })
        await request.start()
        let exchange = try await self.transport.exchange()
        // Those of an attempt share one place in the timer.
        #expect(world.client.environment.deadlines.count == min(count, 1))
        exchange.answer()
        #expect(try await request.value == "x")
    }

    @Test func `do not hold for an endpoint without any`() async throws {
        let world = self.world()
        let request = world.client.request(FixtureText { $0.options = .timeouts(.unlimited) })
        await request.start()
        let exchange = try await self.transport.exchange()
        world.clock.advance(by: .seconds(1_000_000))
        exchange.answer()
        #expect(try await request.value == "x")
    }

    // MARK: - What moves

    @Test(arguments: [true, false])
    func `end neither an upload nor a download that moves for hours`(isUpload: Bool) async throws {
        let world = self.world()
        let request = world.client.request(FixtureText())
        await request.start()
        let exchange = try await self.transport.exchange()
        exchange.context.report(.connected)
        if !isUpload { exchange.context.report(.responseHead(HTTPResponse.Head(status: 200))) }
        for step in 1...300 {
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(59))
            let progress = TransferProgress(bytes: Int64(step), total: nil)
            exchange.context.report(isUpload ? .sent(progress) : .received(progress))
        }
        #expect(await request.state == .running)
        exchange.answer()
        #expect(try await request.value == "x")
        await world.expectAtRest()
    }

    @Test func `do not end a stream that moves for hours, nor one whose reader takes its time`() async throws {
        let stub = StubTransport()
        let world = FixtureWorld { $0.transport = stub }
        let clock = world.clock
        let chunks = Locked(300)
        let body = BodyStream(isRepeatable: false) {
            { () async throws(ErrandError) -> Data? in
                // The timer has seen to what passed before.
                await clock.waitForSleeper()
                clock.advance(by: .seconds(59))
                return chunks.withLock { count in
                    count -= 1
                    return count < 0 ? nil : Data("x".utf8)
                }
            }
        }
        stub.route("a", StubReply(.success(HTTPResponse(head: HTTPResponse.Head(status: 200), body: .stream(body)))))
        let count = try await world.client.send(
            FixtureReading {
                var iterator = $0.body.makeAsyncIterator()
                var count = 0
                while let chunk = try await iterator.next() {
                    count += chunk.count
                    if count == 1 { clock.advance(by: .seconds(7_200)) }
                }
                return count
            })
        #expect(count == 300)
    }

    // MARK: - What stands still

    @Test(arguments: [0, 1, 2, 3])
    func `end what stands still for 60 s`(events: Int) async throws {
        let world = self.world()
        let request = world.client.request(FixtureText())
        await request.start()
        let exchange = try await self.transport.exchange()
        let all: [ExchangeEvent] = [
            .connected, .sent(TransferProgress(bytes: 1, total: nil)),
            .responseHead(HTTPResponse.Head(status: 200)), .received(TransferProgress(bytes: 1, total: nil)),
        ]
        for event in all[...events] { exchange.context.report(event) }
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(59))
        #expect(await request.state == .running)
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(60) }
        world.clock.advance(by: .seconds(1))
        await self.expectTimeout(request, "nothing was sent or received for 60.0 seconds", world)
    }

    @Test func `end what has no connection after 30 s`() async throws {
        let world = self.world()
        let request = world.client.request(FixtureText())
        await request.start()
        _ = try await self.transport.exchange()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(30))
        await self.expectTimeout(request, "there was no connection after 30.0 seconds", world)
    }

    @Test func `take nothing for a missing connection where the transport does not tell`() async throws {
        let transport = ManualTransport(reportsConnections: false)
        let world = self.world(transport)
        let request = world.client.request(FixtureText())
        await request.start()
        let exchange = try await transport.exchange()
        #expect(world.client.environment.deadlines.count == 1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(59))
        exchange.answer()
        #expect(try await request.value == "x")
    }
}
