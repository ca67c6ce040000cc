import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Cancelling at every point, in every way (G1, G2, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct CancelMatrixTests {
    enum Point: CaseIterable {
        case willStartHook, didStartHook, queued, connecting, head, body, interceptor
    }

    enum Way: CaseIterable {
        case taskCancelled, cancel, cancelAll, byTag, byID
    }

    @Test("A request that is under way", arguments: Point.allCases, Way.allCases)
    func underWay(point: Point, way: Way) async throws {
        let scene = await CancelScene(point)
        let request = scene.client.request(CancelCall(), options: .tag("screen"))
        let waiting = Task { try await request.value }
        await scene.waitUntilReached()
        switch way {
        case .taskCancelled: waiting.cancel()
        case .cancel: request.cancel()
        case .cancelAll: await scene.client.cancelAll()
        case .byTag: #expect(await scene.client.record.cancel(tag: "screen") == 1)
        case .byID: #expect(await scene.client.record.cancel(request.id))
        }
        // A second time does nothing.
        request.cancel()
        scene.letHooksGo()
        await #expect(throws: ErrandError.self) { try await waiting.value }
        #expect(await scene.code { try await request.value } == .cancelled)
        #expect(await request.state == .failed)
        #expect(scene.recorder.hooks(of: request.id) == CancelScene.allHooks)
        #expect(scene.recorder.end(of: request.id)?.isCancelled == true)
        await scene.checkNothingIsLeft()
    }

    @Test("A request that is sent", arguments: Point.allCases, Way.allCases)
    func sent(point: Point, way: Way) async throws {
        try await self.send(point, way, isHooked: true)
    }

    @Test("A request that is sent without hooks", arguments: [Point.queued, .connecting, .head, .body], Way.allCases)
    func unhooked(point: Point, way: Way) async throws {
        try await self.send(point, way, isHooked: false)
    }

    private func send(_ point: Point, _ way: Way, isHooked: Bool) async throws {
        let scene = await CancelScene(point, isHooked: isHooked)
        let sending = Task {
            await scene.code {
                try await scene.client.send(CancelCall(), options: .tag("screen"))
            }
        }
        await scene.waitUntilReached()
        let id = try #require(await scene.client.record.snapshot().first { $0.tag == "screen" }?.id)
        switch way {
        case .taskCancelled: sending.cancel()
        case .cancel, .byID: await scene.client.record.cancel(id)
        case .cancelAll: await scene.client.cancelAll()
        case .byTag: await scene.client.record.cancel(tag: "screen")
        }
        scene.letHooksGo()
        #expect(await sending.value == .cancelled)
        if isHooked { #expect(scene.recorder.hooks(of: id) == CancelScene.allHooks) }
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

    @Test(
        "A batch, with its children held at every point",
        arguments: [Point.queued, .connecting, .head, .body], Way.allCases)
    func batch(point: Point, way: Way) async {
        let scene = await CancelScene(point)
        let batch = scene.client.batch(
            of: [CancelCall(), CancelCall(), CancelCall()], failure: .collectAll,
            options: .tag("screen"))
        let waiting = Task { await scene.code { _ = try await batch.value } }
        await scene.waitUntilReached()
        switch way {
        case .taskCancelled: waiting.cancel()
        case .cancel: batch.cancel()
        case .cancelAll: await scene.client.cancelAll()
        case .byTag: await scene.client.record.cancel(tag: "screen")
        case .byID: await scene.client.record.cancel(batch.id)
        }
        #expect(await waiting.value == .cancelled)
        #expect(await batch.state == .failed)
        #expect(await batch.failedRequest == nil)
        for outcome in await batch.outcomes { #expect(outcome.failureCode == .cancelled) }
        #expect(scene.recorder.hooks(of: batch.id) == CancelScene.allHooks)
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
