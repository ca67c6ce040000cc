internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Progress, as Foundation shows it", .timeLimit(.minutes(60)), .paced)
struct ProgressAccessoryTests {
    private let reporter = ProgressAccessory()
    private var options: RequestOptions { RequestOptions.accessories([self.reporter]) }

    @Test func `of a download counts bytes, and is finished with it`() async throws {
        let server = try LoopbackServer()
        let body = Data(repeating: 7, count: 300_000)
        server.route("GET", "/film", .data(body))
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
        }
        #expect(self.reporter.progress.isIndeterminate)
        let data = try await client.send(Film(), options: self.options)
        #expect(data == body)
        #expect(self.reporter.progress.totalUnitCount == 300_000)
        #expect(self.reporter.progress.completedUnitCount == 300_000)
        #expect(self.reporter.progress.isFinished)
    }

    @Test func `of an upload counts both bodies`() async throws {
        let server = try LoopbackServer()
        server.route("POST", "/film", .text("thanks"))
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
        }
        let answer = try await client.send(Upload(content: Data(count: 200_000)), options: self.options)
        #expect(answer == "thanks")
        #expect(self.reporter.progress.completedUnitCount == 200_006)
        #expect(self.reporter.progress.isFinished)
    }

    @Test func `begins anew with each attempt, and stays where it was in a failure`() async throws {
        let activity = Self.activity()
        self.reporter.willStart(activity)
        self.reporter.observe(.attemptStarted(1), of: activity)
        self.reporter.observe(.received(TransferProgress(bytes: 30, total: 100)), of: activity)
        #expect(self.reporter.progress.fractionCompleted == 0.3)
        self.reporter.observe(.attemptStarted(2), of: activity)
        #expect(self.reporter.progress.isIndeterminate)
        self.reporter.observe(.received(TransferProgress(bytes: 10, total: nil)), of: activity)
        #expect(self.reporter.progress.isIndeterminate)
        #expect(self.reporter.progress.completedUnitCount == 10)
        self.reporter.observe(.received(TransferProgress(bytes: 200, total: 100)), of: activity)
        #expect(self.reporter.progress.totalUnitCount == 200, "more than was told")
        #expect(!self.reporter.progress.isFinished)
        self.reporter.observe(.received(TransferProgress(bytes: .max, total: .max)), of: activity)
        self.reporter.observe(.sent(TransferProgress(bytes: .max, total: .max)), of: activity)
        #expect(!self.reporter.progress.isFinished)
    }

    @Test func `of an upload that is sent again shows nothing of the answer before`() async throws {
        let activity = RequestActivity(
            id: .next(), kind: .request,
            request: HTTPRequest(method: .post, url: try HTTPURL("https://api.test/"), body: .bytes(Data(count: 10))))
        self.reporter.willStart(activity)
        self.reporter.observe(.attemptStarted(1), of: activity)
        self.reporter.observe(.sent(TransferProgress(bytes: 10, total: 10)), of: activity)
        self.reporter.observe(.received(TransferProgress(bytes: 30, total: 90)), of: activity)
        #expect(self.reporter.progress.completedUnitCount == 40)
        self.reporter.observe(.attemptStarted(2), of: activity)
        #expect(self.reporter.progress.completedUnitCount == 0)
        #expect(self.reporter.progress.totalUnitCount == 10)
        self.reporter.observe(.sent(TransferProgress(bytes: 5, total: 10)), of: activity)
        #expect(self.reporter.progress.fractionCompleted == 0.5)
    }

    @Test func `takes any number that a server names (G12)`() async {
        var numbers = SplitMix64(seed: 12)
        for _ in 0..<400 {
            let (window, batch) = (Progress(totalUnitCount: 3), Progress(totalUnitCount: 7))
            window.addChild(batch, withPendingUnitCount: 1)
            for _ in 0..<7 {
                let (activity, reporter) = (Self.activity(), ProgressAccessory(parent: batch))
                reporter.willStart(activity)
                for _ in 0..<20 { reporter.observe(Self.event(&numbers), of: activity) }
                #expect(!reporter.progress.isFinished)
                #expect(0...1 ~= reporter.progress.fractionCompleted)
                if Bool.random(using: &numbers) { reporter.didStop(activity, Self.success) }
            }
            #expect(0...1.001 ~= batch.fractionCompleted)
        }
    }

    private static let success = RequestActivity.End(
        result: .finished, head: nil, bodySize: nil, body: nil, attempts: 1, timings: ExchangeMetrics.Timings(),
        trace: nil)

    private static func event(_ numbers: inout SplitMix64) -> RequestActivity.Event {
        guard Int.random(in: 0..<8, using: &numbers) > 0 else { return .attemptStarted(1) }
        let bytes = Int64.random(in: 0...(.max), using: &numbers) >> Int64.random(in: 0..<63, using: &numbers)
        let total = Int64.random(in: bytes...(.max), using: &numbers) >> Int64.random(in: 0..<63, using: &numbers)
        let progress = TransferProgress(bytes: bytes, total: Bool.random(using: &numbers) ? nil : total)
        return Bool.random(using: &numbers) ? .sent(progress) : .received(progress)
    }

    @Test func `is not finished before the work is, whatever was sent`() async throws {
        let world = FixtureWorld()
        let gate = StubGate()
        world.transport.route("*", .failure(.connectionLost), .text("x", status: 500).held(by: gate))
        let retry = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        let window = Progress(totalUnitCount: 2)
        let reporter = ProgressAccessory(parent: window)
        let endpoint = FixtureText {
            $0.method = .post
            $0.body = .bytes(Data(count: 10))
            $0.options = $0.options.interceptors([retry])
        }
        let request = world.client.request(endpoint, options: .accessories([reporter]))
        await request.start()
        await gate.waitUntilReached()
        #expect(!reporter.progress.isFinished)
        gate.open()
        _ = try? await request.value
        #expect(!reporter.progress.isFinished)
        #expect(window.completedUnitCount == 0)
    }

    @Test func `lets go of its work when that is over, and cancels it once`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let reporter = ProgressAccessory()
        func use() async throws -> WeakRequest {
            let request = world.client.request(FixtureText(), options: .accessories([reporter]))
            reporter.whenCancelled { request.cancel() }
            _ = try await request.value
            return WeakRequest(request: request)
        }
        let used = try await use()
        await fixtureUntil { used.request == nil }
        #expect(reporter.progress.isFinished)
        let late = ProgressAccessory()
        let count = Locked(0)
        late.progress.cancel()
        late.whenCancelled { count.withLock { $0 += 1 } }
        await fixtureUntil { count.withLock { $0 } > 0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(count.withLock { $0 } == 1)
    }

    private struct WeakRequest {
        weak var request: Request<FixtureText>?
    }

    @Test func `of a batch counts its children`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let parent = Progress(totalUnitCount: 2)
        let reporter = ProgressAccessory(parent: parent)
        _ = try await world.client.batch(
            of: (0..<4).map { FixtureText("\($0)") }, options: .accessories([reporter])
        ).value
        #expect(reporter.progress.totalUnitCount == 4)
        #expect(reporter.progress.isFinished)
        #expect(parent.fractionCompleted == 0.5)
    }

    @Test func `belongs to the first work alone`() async throws {
        let world = FixtureWorld { $0.accessories = [self.reporter] }
        world.transport.route("1", .text("four"))
        world.transport.route("2", .text("seventy"))
        _ = try await world.client.send(FixtureText("1"))
        _ = try await world.client.send(FixtureText("2"))
        #expect(self.reporter.progress.completedUnitCount == 4)
    }

    @Test(arguments: [true, false]) func `cancelled, cancels its work`(isLate: Bool) async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x").held(by: StubGate()))
        let request = world.client.request(FixtureText(), options: self.options)
        await request.start()
        let parent = Progress(totalUnitCount: 1)
        parent.addChild(self.reporter.progress, withPendingUnitCount: 1)
        if isLate { parent.cancel() }
        self.reporter.whenCancelled { request.cancel() }
        if !isLate { parent.cancel() }
        await #expect(throws: ErrandError.self) { try await request.value }
        #expect(!self.reporter.progress.isFinished)
        await fixtureUntil { await world.client.record.count == 0 }
        await world.expectAtRest()
    }

    private struct Film: Endpoint {
        typealias Response = Data
        var path: EndpointPath { "film" }
    }

    private struct Upload: Endpoint {
        typealias Response = String
        let content: Data
        var path: EndpointPath { "film" }
        var method: HTTPMethod { .post }
        var body: RequestBody { .bytes(self.content) }
    }

    private static func activity() -> RequestActivity {
        RequestActivity(id: .next(), kind: .request)
    }
}
