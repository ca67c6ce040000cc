internal import ErrandLocks
internal import ErrandMachines
internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import Errand

/// The tasks that the parts of a request run in.
private final class TaskLog: Sendable {
    private let seen = Locked<[(part: String, task: Int)]>([])

    func note(_ part: String) {
        let task = Self.current
        self.seen.withLock { $0.append((part, task)) }
    }

    var parts: [String] { self.seen.withLock { $0.map(\.part) } }

    var tasks: Set<Int> { self.seen.withLock { Set($0.map(\.task)) } }

    static var current: Int { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } ?? 0 }
}

/// Notes in which task it is asked, and gives a handle if wanted.
private struct NotingTransport: Transport {
    let log: TaskLog
    let handlesStops: Bool

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        self.log.note("transport")
        if self.handlesStops { context.onStop {} }
        return HTTPResponse(status: .ok)
    }
}

/// A stage as anyone may write one: notes its task, and marks what passes.
private final class MarkingStage: Stage {
    let log: TaskLog
    let mayWait: Bool

    init(_ log: TaskLog, mayWait: Bool) {
        (self.log, self.mayWait) = (log, mayWait)
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        self.log.note("stage")
        var received = try await next.pass(request, run)
        received.response.head.headers["X-Stage"] = "passed"
        return received
    }
}

@Suite("The task of a run: one or none", .timeLimit(.minutes(60)), .paced)
struct RunTaskTests {
    private let log = TaskLog()

    private func client(
        handlesStops: Bool = true, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: "https://api.test/") {
            $0.transport = NotingTransport(log: self.log, handlesStops: handlesStops)
            configure(&$0)
        }
    }

    @Test func `a call that was stopped stops at once what it begins to wait for`() async {
        let (stops, waiter, log) = (CallStops(), Waiter<Void>(), FixtureLog())
        stops.stop(.cancelled)
        stops.setPending(waiter)
        async let _: Void = {
            if await waiter.wait() != nil { log.add("stopped") }
        }()
        #expect(await fixtureHolds { log.lines == ["stopped"] })
    }

    @Test func `a plain request runs in the task of whoever sends it`() async throws {
        _ = try await self.client().send(FixtureText())
        #expect(self.log.tasks == [TaskLog.current])
    }

    @Test func `retries, a circuit breaker and a memory cache need no task`() async throws {
        let client = self.client {
            $0.cache = MemoryCache()
            $0.options = .retries(.standard).circuitBreaker(.standard).caching(.http)
        }
        _ = try await client.send(FixtureText())
        #expect(self.log.tasks == [TaskLog.current])
    }

    @Test func `an accessory that never waits needs no task`() async throws {
        struct Prompt: Accessory {
            let log: TaskLog
            func willStart(_ activity: RequestActivity) { self.log.note("willStart") }
            func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) { self.log.note("didStop") }
        }
        _ = try await self.client { $0.accessories = [Prompt(log: self.log)] }.send(FixtureText())
        #expect(self.log.parts == ["willStart", "transport", "didStop"])
        #expect(self.log.tasks == [TaskLog.current])
    }

    @Test func `what may wait runs in one task, which is not that of whoever sends it`() async throws {
        let log = self.log
        let hooks = FixtureHooks(
            willStart: { _ in log.note("willStart") }, didStart: { _ in log.note("didStart") },
            willStop: { _, _ in log.note("willStop") }, didStop: { _, _ in log.note("didStop") })
        let client = self.client {
            $0.accessories = [hooks]
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    log.note("interceptor")
                    return try await next(request)
                }
            ]
        }
        _ = try await client.send(FixtureText())
        #expect(log.parts == ["willStart", "didStart", "interceptor", "transport", "willStop", "didStop"])
        #expect(log.tasks.count == 1)
        #expect(!log.tasks.contains(TaskLog.current))
    }

    @Test func `a transport without handles gets a task`() async throws {
        _ = try await self.client(handlesStops: false).send(FixtureText())
        #expect(self.log.tasks.count == 1)
        #expect(!self.log.tasks.contains(TaskLog.current))
    }

    @Test(arguments: [true, false])
    func `a stage of one's own is one place in the list`(mayWait: Bool) async throws {
        let client = self.client()
        let stage = MarkingStage(self.log, mayWait: mayWait)
        let pipeline = Pipeline([stage], sendsApart: false, hasInterceptors: false)
        client.environment.pipelines.withLock { $0 = $0.map { _ in pipeline } }
        let response = try await client.response(for: FixtureText())
        #expect(response.head.headers["X-Stage"] == "passed")
        #expect(self.log.parts == ["stage", "transport"])
        #expect(self.log.tasks.count == 1)
        #expect(self.log.tasks.contains(TaskLog.current) == !mayWait)
    }
}
