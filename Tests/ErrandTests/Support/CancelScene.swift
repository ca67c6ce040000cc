import Errand
import ErrandTesting
import Testing

/// A client whose requests stop at one point of their way.
struct CancelScene: Sendable {
    static let allHooks = ["willStart", "didStart", "willStop", "didStop"]

    let client: Client
    let stub = StubTransport()
    let recorder = EventRecorder()
    let gate = StubGate()
    private let hookGate = StubGateAccess()
    private let point: CancelMatrixTests.Point
    private let blocker: Request<CancelBlocker>?

    init(_ point: CancelMatrixTests.Point, isHooked: Bool = true, holdsHooks: Bool = true) async {
        self.point = point
        let (stub, recorder, gate, hookGate) = (self.stub, self.recorder, self.gate, self.hookGate)
        self.client = Client(baseURL: "http://cancel.invalid/") {
            $0.transport = stub
            $0.limits.concurrency = RequestScheduler.Limits(total: point == .queued ? 1 : 64, perHost: 64)
            // It never advances: a wait for the next attempt is over when it is stopped.
            if point == .retrying { $0.environment.clock = TestClock() }
            $0.options = .retries(.standard)
            if isHooked { $0.accessories = [recorder] }
            if holdsHooks, point == .willStartHook { $0.accessories.append(HoldingAccessory(willStart: hookGate)) }
            if holdsHooks, point == .didStartHook { $0.accessories.append(HoldingAccessory(didStart: hookGate)) }
            if point == .interceptor { $0.interceptors = [HoldingInterceptor(gate: hookGate)] }
        }
        let place: StubReply.Point =
            switch point {
            case .connecting: .connecting
            case .body: .body
            default: .head
            }
        stub.route("blocker", StubReply.text("done").held(by: StubGate(), at: .head))
        switch point {
        case .retrying: stub.route("call", StubReply.status(503))
        case .redirected: stub.route("call", StubReply.status(302, headers: ["Location": "/moved"]))
        default: break
        }
        stub.route("*", StubReply.text("done").held(by: gate, at: place))
        self.blocker = point == .queued ? self.client.request(CancelBlocker()) : nil
        await self.blocker?.start()
    }

    /// The id of the request that takes the slot, where there is one.
    var blockerID: RequestID? { self.blocker?.id }

    /// Work that is under way, and the end of it.
    struct Work {
        /// Waits for the outcome.
        let task: Task<ErrandError.Code?, Never>
        var cancel: () -> Void = {}
        var state: () async -> RequestState = { .failed }
    }

    /// Asks for responses.
    func begin(_ form: CancelMatrixTests.Form) async throws -> Work {
        let (options, calls) = (RequestOptions.tag("screen"), [CancelCall(), CancelCall(), CancelCall()])
        switch form {
        case .send:
            return Work(task: Task { await self.code { try await self.client.send(CancelCall(), options: options) } })
        case .start, .value:
            let request = self.client.request(CancelCall(), options: options)
            if form == .start { await request.start() }
            let task = Task { await self.code { try await request.value } }
            return Work(task: task, cancel: { request.cancel() }, state: { await request.state })
        case .batch:
            let batch = self.client.batch(of: calls, failure: .collectAll, options: options)
            let task = Task { await self.code { _ = try await batch.value } }
            return Work(task: task, cancel: { batch.cancel() }, state: { await batch.state })
        case .chain:
            let chain = self.client.chain(options: options)
            for call in calls { try await chain.add(call) }
            let task = Task { await self.code { try await chain.value } }
            return Work(task: task, cancel: { chain.cancel() }, state: { await chain.state })
        case .stream:
            let outcomes = self.client.outcomes(of: calls, options: options)
            let task = Task {
                var code: ErrandError.Code? = .cancelled
                for await outcome in outcomes where outcome.response.failureCode != .cancelled { code = nil }
                return code
            }
            return Work(task: task)
        }
    }

    /// Waits until a request stands where it is to be cancelled.
    func waitUntilReached() async {
        switch self.point {
        case .willStartHook, .didStartHook, .interceptor: await self.hookGate.waitUntilReached()
        case .connecting, .head, .body, .redirected: await self.gate.waitUntilReached()
        case .retrying:
            await fixtureUntil {
                guard self.stub.receivedCount > 0 else { return false }
                return await self.client.scheduler.activeCount == 0
            }
        case .queued: while await self.client.scheduler.waitingCount == 0 { await Task.yield() }
        }
    }

    /// Lets a hook return that was held.
    func letHooksGo() {
        self.hookGate.open()
    }

    func code<Value>(_ call: () async throws -> Value) async -> ErrandError.Code? {
        do {
            _ = try await call()
            return nil
        } catch {
            return (error as? ErrandError)?.code
        }
    }

    func checkNothingIsLeft() async {
        self.blocker?.cancel()
        _ = try? await self.blocker?.value
        #expect(await self.client.record.snapshot().isEmpty, "G3: out of the record")
        #expect(await self.client.scheduler.activeCount == 0, "G3: the slot is free")
        #expect(await self.client.scheduler.waitingCount == 0, "G6: nobody waits")
        #expect(self.stub.activeCount == 0, "G6: no exchange is left")
    }
}

struct CancelCall: Endpoint {
    typealias Response = String
    var path: EndpointPath { "call" }
}

struct CancelBlocker: Endpoint {
    typealias Response = String
    var path: EndpointPath { "blocker" }
}

/// A gate for code of the app: holds whoever passes, cancelled or not, until it is opened.
final class StubGateAccess: Sendable {
    private let reached = AsyncStream.makeStream(of: Void.self)
    private let opened = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        self.reached.continuation.yield()
        // In a task of its own: a cancelled one would not wait.
        await Task { [opened] in for await _ in opened.stream { break } }.value
    }

    func waitUntilReached() async {
        for await _ in self.reached.stream { break }
    }

    func open() {
        self.opened.continuation.yield()
        self.opened.continuation.finish()
    }
}

private struct HoldingAccessory: AsyncAccessory {
    var willStart: StubGateAccess?
    var didStart: StubGateAccess?

    func willStart(_ activity: RequestActivity) async { await self.willStart?.pass() }
    func didStart(_ activity: RequestActivity) async { await self.didStart?.pass() }
}

private struct HoldingInterceptor: Interceptor {
    let gate: StubGateAccess

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        await self.gate.pass()
        return try await next(request)
    }
}

extension Result where Failure == ErrandError {
    var failureCode: ErrandError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
