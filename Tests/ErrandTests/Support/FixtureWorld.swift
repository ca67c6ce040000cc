internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

/// A client with a transport, a clock and a recorder of its own; the clock and the date stand still.
struct FixtureWorld: Sendable {
    let transport = StubTransport()
    let clock = TestClock()
    let recorder = EventRecorder()
    let client: Client

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - isRecording: Whether the recorder is an accessory of the client; without one a request takes a shorter way.
    ///   - configure: Sets up the rest.
    init(isRecording: Bool = false, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        var configuration = Client.Configuration(baseURL: "https://api.test/")
        configuration.transport = self.transport
        let date = Date()
        (configuration.environment.clock, configuration.environment.date) = (self.clock, { date })
        if isRecording { configuration.accessories = [self.recorder] }
        configure(&configuration)
        self.client = Client(configuration)
    }

    /// Expects that nothing is in flight, waits for a slot or holds one (G3, G6).
    func expectAtRest(sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(await self.client.record.count == 0, sourceLocation: sourceLocation)
        #expect(await self.client.scheduler.activeCount == 0, sourceLocation: sourceLocation)
        #expect(await self.client.scheduler.waitingCount == 0, sourceLocation: sourceLocation)
        #expect(self.transport.activeCount == 0, sourceLocation: sourceLocation)
    }

    /// Waits until so many requests wait for a slot.
    func waitUntilQueued(_ count: Int) async {
        await fixtureUntil { await self.client.scheduler.waitingCount >= count }
    }

    /// The paths that the transport was asked for, without the slash before them, in order.
    var sentPaths: [String] {
        self.transport.received.map { String($0.url.path.dropFirst()) }
    }
}

/// Yields until a condition holds; the suite's time limit ends a wait that is in vain.
func fixtureUntil(_ condition: () async -> Bool) async {
    while !Task.isCancelled, !(await condition()) { await Task.yield() }
}

/// All elements of a stream.
func fixtureAll<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
    var elements: [Element] = []
    for await element in stream { elements.append(element) }
    return elements
}

extension Result {
    /// The error, if there is one.
    var fixtureFailure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The value, if there is one.
    var fixtureSuccess: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}

extension BatchProgress {
    /// The progress in words.
    var words: String { "\(self.finished) of \(self.total)" }
}
