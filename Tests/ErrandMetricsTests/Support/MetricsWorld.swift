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
        _ options: (inout MetricsOptions) -> Void = { _ in }, _ configure: (inout Configuration) -> Void = { _ in }
    ) throws {
        var metricsOptions = MetricsOptions()
        metricsOptions.clock = self.clock
        options(&metricsOptions)
        self.metrics = try MetricsAccessory(metricsOptions)
        var configuration = Configuration(baseURL: "https://api.test/")
        configuration.transport = self.transport
        configuration.clock = self.clock
        let date = Date()
        configuration.date = { date }
        configuration.accessories = [self.metrics, self.recorder]
        configure(&configuration)
        self.client = Client(configuration)
    }

    /// Expects that nothing is in flight any more, whatever happened.
    func expectAtRest(sourceLocation: SourceLocation = #_sourceLocation) async {
        let snapshot = await self.metrics.snapshot()
        #expect(snapshot.isAtRest, sourceLocation: sourceLocation)
        #expect(self.metrics.notedCount == 0, sourceLocation: sourceLocation)
    }

    /// Waits until so many requests wait for a slot.
    func waitUntilQueued(_ count: Int) async {
        while !Task.isCancelled, await self.client.scheduler.waitingCount < count { await Task.yield() }
    }
}

extension MetricsSnapshot {
    /// Whether every gauge is at zero.
    var isAtRest: Bool {
        self.families.filter { $0.kind == .gauge }.flatMap(\.series).allSatisfy { $0.value == .gauge(0) }
    }

    /// The label sets of the figure that has most.
    var mostLabelSets: Int { self.families.map(\.series.count).max() ?? 0 }
}

/// A call that answers a text.
struct TextCall: Endpoint {
    typealias Response = String

    var path: Path
    var method = HTTPMethod.get
    var body = RequestBody.none
    var caching = CachePolicy.never
    var interceptors: [any Interceptor] = []

    init(_ path: String = "a", _ configure: (inout TextCall) -> Void = { _ in }) {
        self.path = Path(uncheckedReference: path)
        configure(&self)
    }
}

/// A name that is legal and not kind to those who write it between quotes.
struct `Say "hi", Zoë 😀`: Endpoint {
    typealias Response = String
    var path: Path { "nasty" }
}

/// Sends a second time what failed.
struct OnceMore: Interceptor {
    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        do { return try await next(request) } catch { return try await next(request) }
    }
}
