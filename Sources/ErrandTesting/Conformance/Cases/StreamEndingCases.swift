internal import Errand
internal import Foundation

extension TransportConformance {
    private static let exchange = ConformanceExchange(destination: .stream(buffer: 1 << 16))

    /// Streams that end before the body does.
    static let streamEndingCases: [Case] = [
        Case("stream-cut", "A stream that is cut delivers its beginning, and then fails", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            try await cut(.ok("Content-Length: 10"), .close, .connectionLost, scene)
        },
        Case(
            "stream-cut-in-a-chunk", "A stream in chunks that is cut delivers its beginning, and then fails",
            needs: .receivesStreams
        ) {
            scene throws(ConformanceFailure) in
            try await cut(.chunked("a\r\nhello"), .close, .connectionLost, scene)
        },
        Case(
            "stream-bad-chunk", "A stream with a bad chunk delivers its beginning, and then fails",
            needs: .receivesStreams
        ) {
            scene throws(ConformanceFailure) in
            try await cut(.chunked("5\r\nhello\r\nzz\r\n"), .close, .invalidResponse, scene)
        },
        Case("stream-of-nothing", "An exchange without a head is an error, and has no stream", needs: .receivesStreams)
        {
            scene throws(ConformanceFailure) in
            scene.answer(.close)
            try await scene.expect(.failure(.connectionLost), of: exchange)
        },
        Case("stream-dropped", "Dropping a stream halfway ends the exchange", needs: .receivesStreams, dropped),
        Case(
            "stream-dropped-unread", "Dropping an unread stream ends the exchange", needs: .receivesStreams,
            droppedUnread),
        Case(
            "stream-cancelled", "Cancelling the reader of a stream ends the exchange", needs: .receivesStreams,
            cancelled),
        Case("stream-shut-down", "Shutting the transport down ends a stream", needs: .receivesStreams, shutDown),
        Case("stream-cancelled-early", "Waiting for the head of a stream can be cancelled", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            let gate = LoopbackGate()
            scene.answer(LoopbackReply.text("late").held(by: gate))
            try await scene.disturb(by: .cancelling, exchange) { await gate.waitUntilReached() }
            try await scene.waitForClosedConnections()
        },
    ]

    private static func cut(
        _ reply: Data, _ end: LoopbackReply.Step, _ code: ErrandError.Code, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.answer(LoopbackReply(.bytes(reply), .hold(gate), end))
        var reader = ConformanceReader(try await scene.stream(of: exchange))
        try await scene.expect("hello", next: 5, from: &reader)
        gate.open()
        try await scene.expectFailure(code, of: &reader)
    }

    private static func dropped(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.stallInBody(after: 300_000, of: .pattern(1_000_000)))
        try await Self.readAndDrop(10, scene)
        try await scene.waitForClosedConnections()
    }

    private static func droppedUnread(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.stallInBody(after: 300_000, of: .pattern(1_000_000)))
        try await Self.readAndDrop(0, scene)
        try await scene.waitForClosedConnections()
    }

    /// Reads and drops a stream, which is released when this returns.
    private static func readAndDrop(_ count: Int, _ scene: ConformanceScene) async throws(ConformanceFailure) {
        var reader = ConformanceReader(try await scene.stream(of: exchange))
        if count > 0 { _ = try await scene.read(count, from: &reader) }
    }

    private static func cancelled(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.endedFromOutside(scene, .cancelled, by: nil)
        try await scene.waitForClosedConnections()
    }

    private static func shutDown(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.endedFromOutside(scene, .clientShutDown) { scene.shutTransportDown() }
        try await scene.waitForClosedConnections()
    }

    /// Reads a stalling stream in a separate task, and cancels that task, or performs an action, once it waits.
    private static func endedFromOutside(
        _ scene: ConformanceScene, _ code: ErrandError.Code, by action: (@Sendable () -> Void)?
    ) async throws(ConformanceFailure) {
        scene.answer(.stallInBody(after: 5, of: Data("hello, you there".utf8)))
        let stream = try await scene.stream(of: exchange)
        let started = LoopbackMilestone()
        scene.note("waiting for a reader of a stream to end")
        let ended = await withTaskGroup(of: ErrandError?.self) { group in
            group.addTask {
                do throws(ErrandError) {
                    for try await _ in stream { started.advance() }
                } catch {
                    return error
                }
                return nil
            }
            _ = await started.wait(for: 1)
            if let action { action() } else { group.cancelAll() }
            return await group.next() ?? nil
        }
        try scene.require("the code of the error", ended?.code, is: code)
    }
}
