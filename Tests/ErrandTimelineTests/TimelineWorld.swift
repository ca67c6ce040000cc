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

    init(limit: Int = 10_000, _ configure: (inout Configuration) -> Void = { _ in }) {
        let accessory = TimelineAccessory(clock: self.clock, limit: limit)
        var configuration = Configuration(baseURL: "https://api.test/v1/")
        configuration.transport = self.stub
        let date = Date()
        (configuration.clock, configuration.date) = (self.clock, { date })
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

/// Asks for a text.
struct GetText: Endpoint {
    typealias Response = String
    var path: Path
    var caching = CachePolicy.never
    var interceptors: [any Interceptor] = []

    init(_ path: String, caching: CachePolicy = .never, interceptors: [any Interceptor] = []) {
        self.path = Path(uncheckedReference: path)
        self.caching = caching
        self.interceptors = interceptors
    }
}

/// Asks for a number, in JSON.
struct GetNumber: Endpoint {
    typealias Response = Int
    let path: Path
}

/// Sends on up to so many times, until there is an answer.
struct TryAgain: Interceptor {
    let times: Int

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        try await self.send(request, next, triesLeft: self.times)
    }

    private func send(
        _ request: HTTPRequest, _ next: InterceptorNext, triesLeft: Int
    ) async throws(ErrandError) -> HTTPResponse {
        do throws(ErrandError) {
            return try await next(request)
        } catch {
            guard triesLeft > 1, error.code == .connectionLost else { throw error }
        }
        return try await self.send(request, next, triesLeft: triesLeft - 1)
    }
}

extension Timeline.Span {
    /// The phases with their milliseconds, such as `wait 0-10`.
    var story: [String] {
        self.phases.map { "\($0.kind) \(Self.milliseconds($0.interval.start))-\(Self.milliseconds($0.interval.end))" }
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}

extension Timeline {
    /// What holds for every timeline of which all has ended.
    func checkInvariants() throws {
        let spans = Dictionary(uniqueKeysWithValues: self.spans.map { ($0.id, $0) })
        for span in self.spans {
            try span.checkInvariants()
            guard let parent = span.parent.flatMap({ spans[$0] }) else { continue }
            try #require(parent.interval.start <= span.interval.start)
            try #require(parent.interval.end >= span.interval.end)
        }
        try #require(self.spans.map(\.interval.start) == self.spans.map(\.interval.start).sorted())
    }
}

extension Timeline.Span {
    /// What holds for everything that has ended.
    fileprivate func checkInvariants() throws {
        try #require(self.outcome != .running, "\(self.name) has ended")
        try #require(self.interval.start <= self.interval.end)
        try #require(self.phases.allSatisfy { $0.interval.end > $0.interval.start })
        let ends = [self.interval.start] + self.phases.map(\.interval.end)
        let starts = self.phases.map(\.interval.start) + [self.interval.end]
        try #require(zip(ends, starts).allSatisfy { $0 <= $1 }, "phases do not overlap, and are within: \(self.story)")
    }
}
