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
    let client: Client

    init(limit: Int = 10_000, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        let accessory = TimelineAccessory(clock: self.clock, limit: limit)
        var configuration = Client.Configuration(baseURL: "https://api.test/v1/")
        configuration.transport = self.stub
        let date = Date()
        (configuration.environment.clock, configuration.environment.date) = (self.clock, { date })
        configuration.accessories = [accessory]
        configure(&configuration)
        self.accessory = accessory
        self.client = Client(configuration)
    }

    var spans: [Timeline.Span] { self.accessory.timeline.spans }

    /// The only span.
    func span() throws -> Timeline.Span {
        try #require(self.spans.count == 1)
        return try #require(self.spans.first)
    }
}
