internal import Errand
internal import Foundation

extension TransportConformance {
    /// Exchanges whose task is cancelled: the call ends, and the connection is closed.
    static let cancellingCases: [Case] = [
        Case("cancel-before", "A task that is cancelled already sends nothing", before),
        Case("cancel-before-head", "Cancelling while the server has not answered") { scene throws(ConformanceFailure) in
            try await cancelling(at: LoopbackReply(), scene)
        },
        Case("cancel-after-interim", "Cancelling while only an interim response has come") {
            scene throws(ConformanceFailure) in
            try await cancelling(at: LoopbackReply(.bytes(.message("HTTP/1.1 103 Early Hints"))), scene)
        },
        Case("cancel-in-head", "Cancelling in the middle of the head") { scene throws(ConformanceFailure) in
            try await cancelling(at: LoopbackReply(.bytes(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8))), scene)
        },
        Case("cancel-after-head", "Cancelling between head and body", afterHead),
        Case("cancel-in-body", "Cancelling in the middle of the body", inBody),
        Case("cancel-in-chunk", "Cancelling in the middle of a chunk", inChunk),
        Case("cancel-while-sending", "Cancelling while the server takes no more content", whileSending),
        Case(
            "cancel-while-sending-file", "Cancelling while the server takes no more of a file", needs: .sendsFiles,
            whileSendingFile),
        Case(
            "cancel-while-stream-waits", "Cancelling while the stream that is sent has no chunk yet",
            needs: .sendsStreams, whileStreamWaits),
        Case("cancel-many", "Cancelling sixty-four exchanges at once", many),
        Case("cancel-one-of-many", "Cancelling one exchange leaves the others alone", oneOfMany),
    ]

    private static func before(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        scene.note("performing an exchange in a task that is cancelled")
        let outcome = await withTaskGroup(of: ConformanceScene.Outcome.self) { group in
            group.cancelAll()
            group.addTask { await scene.outcome(of: ConformanceExchange()) }
            return await group.next()
        }
        let expected = ConformanceExpectation.failure(.cancelled)
        try scene.require(outcome.map(expected.holds) ?? false, expected.words, outcome?.words ?? "nothing")
        try scene.require("the number of requests", scene.server.receivedCount, is: 0)
    }

    /// Cancels an exchange once the server has performed the steps of a reply.
    private static func cancelling(
        at reply: LoopbackReply, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.answer(LoopbackReply(steps: reply.steps + [.hold(gate)]))
        try await scene.disturb(by: .cancelling, ConformanceExchange()) { await gate.waitUntilReached() }
        try await scene.waitForClosedConnections()
    }

    // MARK: - While receiving

    private static func afterHead(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.stallInBody(after: 0, of: .pattern(100)))
        try await scene.disturb(by: .cancelling, ConformanceExchange(observer: events.observe)) {
            await events.waitForHead()
        }
        try await scene.waitForClosedConnections()
    }

    private static func inBody(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.stallInBody(after: 50_000, of: .pattern(100_000)))
        try await scene.disturb(by: .cancelling, ConformanceExchange(observer: events.observe)) {
            await events.waitForBody()
        }
        try await scene.waitForClosedConnections()
    }

    private static func inChunk(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (events, gate) = (ConformanceEvents(), LoopbackGate())
        scene.answer(LoopbackReply(.bytes(.chunked("10\r\nhello")), .hold(gate)))
        try await scene.disturb(by: .cancelling, ConformanceExchange(observer: events.observe)) {
            // A transport need not report a part of a chunk.
            await gate.waitUntilReached()
            await events.waitForHead()
        }
        try await scene.waitForClosedConnections()
    }

    // MARK: - While sending

    private static func whileSending(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.cancelSending(.bytes(.pattern(32_000_000)), scene)
    }

    private static func whileSendingFile(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.cancelSending(.file(try scene.file("content", .pattern(32_000_000))), scene)
    }

    private static func cancelSending(
        _ body: HTTPRequest.Body, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        let gate = scene.takeNoContent()
        let exchange = ConformanceExchange(method: .post, body: body)
        try await scene.disturb(by: .cancelling, exchange) { await gate.waitUntilReached() }
        gate.open()
        try await scene.waitForClosedConnections()
    }

    private static func whileStreamWaits(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (waiting, gate) = (LoopbackMilestone(), StubGate())
        let stream = BodyStream {
            { () async throws(ErrandError) -> Data? in
                waiting.advance()
                // Ends with the cancellation, if it arrives here.
                guard await gate.pass() else { throw ErrandError(.cancelled, "the stream was cancelled") }
                return nil
            }
        }
        scene.answer(.text("hello"))
        let exchange = ConformanceExchange(method: .post, body: .stream(stream, length: nil))
        try await scene.disturb(by: .cancelling, exchange) { _ = await waiting.wait(for: 1) }
        try scene.require("the number of whole requests", scene.server.receivedCount, is: 0)
    }

    // MARK: - Many

    private static func many(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.answer(LoopbackReply.text("late").held(by: gate))
        scene.note("waiting for the end of 64 exchanges that are cancelled")
        let codes = await withTaskGroup(of: ErrandError.Code?.self) { group in
            for _ in 0..<64 { group.addTask { await scene.outcome(of: ConformanceExchange()).code } }
            await gate.waitUntilReached(times: 64)
            group.cancelAll()
            return await group.reduce(into: [ErrandError.Code?]()) { $0.append($1) }
        }
        try scene.require("the codes of the errors", Set(codes), is: [.cancelled])
        try await scene.waitForClosedConnections(64)
    }

    private static func oneOfMany(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (held, others) = (LoopbackGate(), LoopbackGate())
        scene.answer { .text($0.path).held(by: $0.path == "/case/one" ? held : others) }
        _ = try await scene.whilePerforming(
            ConformanceExchange(path: "/case/other"), is: .response(body: "/case/other")
        ) { () throws(ConformanceFailure) in
            await others.waitUntilReached()
            try await scene.disturb(by: .cancelling, ConformanceExchange(path: "/case/one")) {
                await held.waitUntilReached()
            }
            others.open()
        }
    }
}

extension ConformanceScene.Outcome {
    /// The code of the error, if the outcome is one.
    var code: ErrandError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
