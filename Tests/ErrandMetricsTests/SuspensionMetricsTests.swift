internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import TestEffort
internal import Testing

/// How many requests are suspended, and for how long.
@Suite(.timeLimit(.minutes(60)), .paced)
struct SuspensionMetricsTests {
    private let world: MetricsWorld

    init() throws {
        self.world = try MetricsWorld()
        self.world.transport.route("GET", "/a", .text("hello"))
    }

    /// Starts a request that is suspended, and waits until it is told so.
    private func begin(_ request: Request<TextCall>) async -> Task<String, any Error> {
        request.suspend()
        let task = Task { try await request.value }
        await self.waitUntilSuspended()
        return task
    }

    private func waitUntilSuspended(_ count: Double = 1) async {
        while await self.world.metrics.snapshot().gauge(.suspendedRequests) < count { await Task.yield() }
    }

    @Test func `a request that goes on was suspended for so long`() async throws {
        let request = self.world.client.request(TextCall())
        let task = await self.begin(request)
        self.world.clock.advance(by: .seconds(5))
        let before = await self.world.metrics.snapshot()
        #expect(before.gauge(.suspendedRequests, where: [.endpoint: "TextCall"]) == 1)
        #expect(before.histogram(.suspendedDuration) == nil)
        request.resume()
        #expect(try await task.value == "hello")
        let after = await self.world.metrics.snapshot()
        #expect(after.gauge(.suspendedRequests) == 0)
        let suspended = try #require(after.histogram(.suspendedDuration, where: [.endpoint: "TextCall"]))
        #expect(suspended.count == 1 && suspended.sum == 5)
        await self.world.expectAtRest()
    }

    @Test func `one that is cancelled meanwhile was suspended until then`() async throws {
        let request = self.world.client.request(TextCall())
        let task = await self.begin(request)
        self.world.clock.advance(by: .seconds(2))
        request.cancel()
        await #expect(throws: ErrandError.self) { try await task.value }
        let suspended = try #require(await self.world.metrics.snapshot().histogram(.suspendedDuration))
        #expect(suspended.count == 1 && suspended.sum == 2)
        await self.world.expectAtRest()
    }

    @Test func `an accessory that is told twice counts once`() async throws {
        let request = self.world.client.request(
            TextCall(), options: .accessories([self.world.metrics]))
        let task = await self.begin(request)
        request.resume()
        _ = try await task.value
        #expect(await self.world.metrics.snapshot().histogram(.suspendedDuration)?.count == 1)
    }

    @Test func `one that was never suspended has no figure`() async throws {
        _ = try await self.world.client.send(TextCall())
        let snapshot = await self.world.metrics.snapshot()
        #expect(snapshot.histogram(.suspendedDuration) == nil)
        #expect(snapshot.family(.suspendedRequests)?.series.map(\.value) == [.gauge(0)])
    }

    @Test func `a batch that is suspended suspends none of its requests`() async throws {
        let batch = self.world.client.batch(of: [TextCall(), TextCall()])
        batch.suspend()
        let task = Task { try await batch.value }
        while !self.world.recorder.entries.contains(where: { $0.isSuspensionOfBatch }) { await Task.yield() }
        self.world.clock.advance(by: .seconds(1))
        #expect(await self.world.metrics.snapshot().gauge(.suspendedRequests) == 0)
        batch.resume()
        #expect(try await task.value == ["hello", "hello"])
        #expect(await self.world.metrics.snapshot().histogram(.suspendedDuration) == nil)
        await self.world.expectAtRest()
    }
}

extension EventRecorder.Entry {
    fileprivate var isSuspensionOfBatch: Bool {
        if case .event(.suspended) = self.call { self.activity.kind == .batch } else { false }
    }
}
