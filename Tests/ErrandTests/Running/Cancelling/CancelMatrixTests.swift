import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite(
    "Cancelling at every point, in every way (G1, G2, G3, G6)",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct CancelMatrixTests {
    enum Point: CaseIterable {
        case willStartHook, didStartHook, queued, connecting, head, body, interceptor, retrying, redirected
    }

    enum Way: CaseIterable {
        case taskCancelled, cancel, cancelAll, byTag, byID
    }

    /// The ways to ask for a response.
    enum Form: CaseIterable {
        case send, start, value, batch, chain, stream

        /// A call that was sent and the outcomes of a stream have nothing to cancel but their task and the record; the task
        /// that waits for work which was started leaves it alone.
        func allows(_ way: Way) -> Bool {
            switch self {
            case .send, .stream: way != .cancel
            case .start: way != .taskCancelled
            case .value, .batch, .chain: true
            }
        }
    }

    static let forms = Form.allCases.flatMap { form in
        Way.allCases.filter { form.allows($0) }.map { Asked(form: form, way: $0) }
    }

    struct Asked: CustomStringConvertible {
        let form: Form
        let way: Way

        var description: String { "\(self.form), \(self.way)" }
    }

    @Test("Work of each form, cancelled at each point in each way", arguments: Point.allCases, Self.forms)
    func atEachPoint(point: Point, asked: Asked) async throws {
        let scene = await CancelScene(point)
        try await self.cancel(asked, in: scene)
        let ids = Set(scene.recorder.entries.map(\.activity.id))
        #expect(!ids.isEmpty)
        for id in ids where id != scene.blockerID {
            #expect(scene.recorder.hooks(of: id) == CancelScene.allHooks)
            #expect(scene.recorder.end(of: id)?.isCancelled == true)
        }
    }

    @Test(
        "A request that is sent without hooks, cancelled at each point",
        arguments: [Point.queued, .connecting, .head, .body, .retrying, .redirected],
        Self.forms.filter { $0.form == .send })
    func unhooked(point: Point, asked: Asked) async throws {
        try await self.cancel(asked, in: await CancelScene(point, isHooked: false))
    }

    private func cancel(_ asked: Asked, in scene: CancelScene) async throws {
        let work = try await scene.begin(asked.form)
        await scene.waitUntilReached()
        switch asked.way {
        case .taskCancelled: work.task.cancel()
        case .cancel: work.cancel()
        case .cancelAll: await scene.client.cancelAll()
        case .byTag: #expect(await scene.client.record.cancel(tag: "screen") > 0)
        case .byID:
            let entries = await scene.client.record.snapshot().filter { $0.tag == "screen" }
            // A batch and a chain are there before their requests.
            let id = try #require(entries.first?.id)
            #expect(await scene.client.record.cancel(id))
        }
        // A second time does nothing.
        work.cancel()
        scene.letHooksGo()
        #expect(await work.task.value == .cancelled)
        let state = await work.state()
        #expect(state == .failed)
        await scene.checkNothingIsLeft()
    }

    @Test("A request before its start: no hook runs, and it never starts")
    func beforeStart() async {
        let scene = await CancelScene(.head)
        let request = scene.client.request(CancelCall())
        request.cancel()
        request.cancel()
        #expect(await request.state == .failed)
        await request.start()
        #expect(await scene.code { try await request.value } == .cancelled)
        #expect(scene.recorder.hooks(of: request.id).isEmpty)
        #expect(scene.stub.receivedCount == 0)
        await scene.checkNothingIsLeft()
    }

    @Test("A task that is cancelled before it sends: nothing is sent")
    func cancelledBeforeSending() async {
        let scene = await CancelScene(.head)
        let sending = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await scene.code { try await scene.client.send(CancelCall()) }
        }
        #expect(await sending.value == .cancelled)
        #expect(scene.stub.receivedCount == 0)
        #expect(scene.recorder.entries.isEmpty)
        await scene.checkNothingIsLeft()
    }

    @Test("Cancelling after the end changes nothing")
    func afterTheEnd() async throws {
        let scene = await CancelScene(.head)
        scene.gate.open()
        let request = scene.client.request(CancelCall())
        #expect(try await request.value == "done")
        request.cancel()
        await scene.client.cancelAll()
        #expect(try await request.value == "done")
        #expect(await request.state == .finished)
        await scene.checkNothingIsLeft()
    }

    @Test("A chain between two steps", arguments: Way.allCases)
    func betweenSteps(way: Way) async throws {
        let scene = await CancelScene(.didStartHook, holdsHooks: false)
        scene.gate.open()
        let inCallback = StubGateAccess()
        let chain = scene.client.chain(options: .tag("screen"))
        try await chain.add(CancelCall()) { _, _ in await inCallback.pass() }
        try await chain.add(CancelCall())
        let waiting = Task { await scene.code { try await chain.value } }
        await inCallback.waitUntilReached()
        switch way {
        case .taskCancelled: waiting.cancel()
        case .cancel: chain.cancel()
        case .cancelAll: await scene.client.cancelAll()
        case .byTag: await scene.client.record.cancel(tag: "screen")
        case .byID: await scene.client.record.cancel(chain.id)
        }
        inCallback.open()
        #expect(await waiting.value == .cancelled)
        #expect(await chain.state == .failed)
        #expect(scene.stub.receivedCount == 1, "G5: the second step never starts")
        #expect(scene.recorder.hooks(of: chain.id) == CancelScene.allHooks)
        await scene.checkNothingIsLeft()
    }
}
