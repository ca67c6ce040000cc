internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Polling", .timeLimit(.minutes(60)), .paced)
struct PollTests {
    private let world = FixtureWorld { $0.options = $0.options.withoutTimeout() }

    /// Polls with a call, and moves the clock to the end of each wait, which is before the limit.
    private func poll(
        _ call: FixtureText = FixtureText(), waiting backoff: Backoff = .every(.seconds(2)),
        within limit: Duration = .seconds(60),
        until isDone: @escaping @Sendable (String) throws -> Bool = { $0 == "done" }
    ) async -> Result<String, ErrandError> {
        let (isOver, end) = (FixtureLog(), self.world.clock.now.offset + limit)
        let task = Task {
            defer { isOver.add("over") }
            return try await self.world.client.poll(call, waiting: backoff, within: limit, until: isDone)
        }
        while isOver.lines.isEmpty {
            guard self.world.client.environment.waitingCount == 1, let next = self.world.clock.nextSleeperDeadline,
                next.offset < end
            else {
                await Task.yield()
                continue
            }
            self.world.clock.advanceToNextSleeper()
        }
        return await task.result.mapError { ErrandError(wrapping: $0, as: .callbackFailed, "") }
    }

    @Test func `asks until it is done`() async throws {
        self.world.transport.route("/a", .text("no"), .text("not yet"), .text("done"), .text("more"))
        #expect(await self.poll().fixtureSuccess == "done")
        #expect(self.world.sentPaths.count == 3)
        #expect(self.world.clock.now.offset == .seconds(4))
        await self.world.expectAtRest()
    }

    @Test func `waits longer each time, and as long as the server says`() async throws {
        self.world.transport.route(
            "/a", .text("1"), .text("2", headers: ["Retry-After": "30"]), .text("3", headers: ["Retry-After": "1"]),
            .text("done"))
        let backoff = Backoff(base: .seconds(2), factor: 2, cap: .seconds(100), jitter: .none)
        #expect(await self.poll(waiting: backoff).fixtureSuccess == "done")
        #expect(self.world.clock.now.offset == .seconds(2 + 30 + 8))
    }

    @Test func `does not wait in vain`() async throws {
        self.world.transport.route("/a", .text("no"))
        let error = await self.poll(within: .seconds(5)).fixtureFailure
        #expect(error?.code == .timedOut)
        #expect(self.world.sentPaths.count == 3)
        #expect(self.world.clock.now.offset == .seconds(4), "the next one would end behind the limit")
    }

    @Test func `ends a call that takes too long`() async throws {
        self.world.transport.route("/a", StubReply.text("no").held(by: StubGate()))
        let task = Task {
            try await self.world.client.poll(FixtureText(), waiting: .every(.zero), within: .seconds(5)) { _ in true }
        }
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        await self.world.expectAtRest()
    }

    @Test func `ends with a failure`() async throws {
        self.world.transport.route("/a", .text("no"), .status(404))
        #expect(await self.poll().fixtureFailure?.context.status == 404)
        #expect(await self.poll(until: { _ in throw FixtureError() }).fixtureFailure?.code == .unacceptableStatus)
        self.world.transport.replaceRoutes()
        self.world.transport.route("/a", .text("no"))
        #expect(await self.poll(until: { _ in throw FixtureError() }).fixtureFailure?.code == .callbackFailed)
    }

    @Test func `looks at nothing that is stored`() async throws {
        self.world.transport.route("/a", .text("no"), .text("done"))
        let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(600))) }
        #expect(try await self.world.client.send(call) == "no")
        #expect(await self.poll(call).fixtureSuccess == "done")
        #expect(self.world.sentPaths.count == 2)
    }

    @Test(arguments: [0, 1]) func `ends with the client, while it waits`(way: Int) async throws {
        self.world.transport.route("/a", .text("no"))
        let task = Task {
            try await self.world.client.poll(FixtureText(), waiting: .every(.seconds(9)), within: .seconds(99)) { _ in
                false
            }
        }
        await fixtureUntil { self.world.client.environment.waitingCount == 1 }
        if way == 0 { await self.world.client.shutdown() } else { await self.world.client.shutdown(drainingFor: .zero) }
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .clientShutDown)
        #expect(self.world.client.environment.waitingCount == 0)
    }

    @Test func `is cancelled while it waits`() async throws {
        self.world.transport.route("/a", .text("no"))
        let task = Task {
            try await self.world.client.poll(FixtureText(), waiting: .every(.seconds(9)), within: .seconds(99)) { _ in
                false
            }
        }
        await fixtureUntil { self.world.client.environment.waitingCount == 1 }
        task.cancel()
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await self.world.expectAtRest()
    }
}
