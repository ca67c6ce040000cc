internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import Testing

/// A client with metrics and a recorder beside them, over a stub, on a clock that stands still.
struct MetricsWorld: Sendable {
    let transport = StubTransport()
    let clock = TestClock()
    let recorder = EventRecorder()
    let metrics: MetricsAccessory
    let client: Client

    init(
        _ options: (inout MetricsOptions) -> Void = { _ in },
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) throws {
        var metricsOptions = MetricsOptions()
        metricsOptions.clock = self.clock
        options(&metricsOptions)
        self.metrics = try MetricsAccessory(metricsOptions)
        var configuration = Client.Configuration(baseURL: "https://api.test/")
        configuration.transport = self.transport
        configuration.environment.clock = self.clock
        let date = Date()
        configuration.environment.date = { date }
        configuration.accessories = [self.metrics, self.recorder]
        configure(&configuration)
        self.client = Client(configuration)
    }

    /// Expects that nothing is in flight any more, whatever happened, and that every figure is of its kind.
    func expectAtRest(sourceLocation: SourceLocation = #_sourceLocation) async {
        let snapshot = await self.metrics.snapshot()
        #expect(snapshot.isAtRest, sourceLocation: sourceLocation)
        #expect(snapshot.isOfItsKinds, sourceLocation: sourceLocation)
        #expect(self.metrics.notedCount == 0, sourceLocation: sourceLocation)
    }

    /// Waits until so many requests wait for a slot.
    func waitUntilQueued(_ count: Int) async {
        while !Task.isCancelled, await self.client.scheduler.waitingCount < count { await Task.yield() }
    }
}
