internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Requests that everyone has left: the place of what comes after them (G8)", .timeLimit(.minutes(60)), .paced)
struct SuccessorTests {
    private let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }

    /// A request whose only waiter came and left while the scheduler was paused, as it still is.
    private func abandoned() async -> Request<FixtureText> {
        self.world.transport.route("*", .text("x"))
        await self.world.client.scheduler.pause()
        let request = self.world.client.request(FixtureText("again"))
        let waiter = Task { try await request.value }
        await self.world.waitUntilQueued(1)
        waiter.cancel()
        await #expect(throws: ErrandError.self) { try await waiter.value }
        #expect(await self.world.client.scheduler.waitingCount == 0)
        return request
    }

    /// Puts two others into the queue.
    private func queueOthers() async -> [Request<FixtureText>] {
        let others = ["1", "2"].map { self.world.client.request(FixtureText($0)) }
        for (index, other) in others.enumerated() {
            await other.start()
            await self.world.waitUntilQueued(index + 1)
        }
        return others
    }

    private func expectFirst(_ request: Request<FixtureText>, of others: [Request<FixtureText>]) async throws {
        await self.world.client.scheduler.resume()
        for request in others + [request] { #expect(try await request.value == "x") }
        #expect(self.world.sentPaths == ["again", "1", "2"])
        await self.world.expectAtRest()
    }

    @Test func `a priority that was set before they were left holds`() async throws {
        let request = await self.abandoned()
        await request.setPriority(.high)
        let others = await self.queueOthers()
        await request.start()
        await self.world.waitUntilQueued(3)
        try await self.expectFirst(request, of: others)
    }

    @Test func `a priority that is set while the new run waits moves it`() async throws {
        let request = await self.abandoned()
        let others = await self.queueOthers()
        await request.start()
        await self.world.waitUntilQueued(3)
        await request.setPriority(.high)
        try await self.expectFirst(request, of: others)
    }
}
