internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation
internal import Testing

/// A client over a stub, a clock that tests move, and an accessory that watches both.
struct TimelineWorld: Sendable {
    let clock = TestClock()
    let stub = StubTransport()
    let accessory: TimelineAccessory
    /// Is told of everything after ``accessory``.
    let recorder = EventRecorder()
    let client: Client

    init(limit: Int = 10_000, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        let accessory = TimelineAccessory(clock: self.clock, limit: limit)
        var configuration = Client.Configuration(baseURL: "https://api.test/v1/")
        configuration.transport = self.stub
        let date = Date()
        (configuration.environment.clock, configuration.environment.date) = (self.clock, { date })
        configuration.accessories = [accessory, self.recorder]
        configure(&configuration)
        self.accessory = accessory
        self.client = Client(configuration)
    }

    var spans: [Timeline.Span] { self.accessory.timeline.spans }

    /// Waits until so many requests were noted as waiting for a slot.
    func waitUntilQueued(_ count: Int = 1) async {
        func isQueued(_ entry: EventRecorder.Entry) -> Bool {
            if case .event(.queued) = entry.call { true } else { false }
        }
        while !Task.isCancelled, self.recorder.entries.count(where: isQueued) < count { await Task.yield() }
    }

    /// The only span.
    func span() throws -> Timeline.Span {
        try #require(self.spans.count == 1)
        return try #require(self.spans.first)
    }
}
