internal import Errand
internal import Foundation

extension TransportConformance {
    /// Request content that is produced while it is sent.
    static let requestStreamCases: [Case] = [
        Case("sends-stream", "A stream of unknown length arrives, in chunks", needs: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let stream = ConformanceStream(.pattern(300_000), chunk: 7_000)
            try await scene.expectContent(.pattern(300_000), from: .stream(stream.body, length: nil), isChunked: true)
        },
        Case("sends-stream-with-length", "A stream of known length arrives, with its length", needs: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let body = HTTPRequest.Body.stream(ConformanceStream(.pattern(300_000), chunk: 7_000).body, length: 300_000)
            try await scene.expectContent(.pattern(300_000), from: body, isChunked: false)
        },
        Case("sends-stream-empty", "A stream without a chunk arrives as empty content", needs: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let body = HTTPRequest.Body.stream(ConformanceStream(Data(), chunk: 1).body, length: nil)
            let request = try await scene.request(made: ConformanceExchange(method: .post, body: body))
            try scene.require("the content", request.body, is: Data())
        },
        Case("sends-stream-of-length-zero", "A stream of length 0 arrives as empty content", needs: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let body = HTTPRequest.Body.stream(ConformanceStream(Data(), chunk: 1).body, length: 0)
            try await scene.expectContent(Data(), from: body, isChunked: false)
        },
        Case("sends-stream-large-chunk", "A chunk of many megabytes arrives", needs: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let stream = ConformanceStream(.pattern(8_000_000), chunk: 8_000_000)
            try await scene.expectContent(.pattern(8_000_000), from: .stream(stream.body, length: nil), isChunked: true)
        },
        Case("sends-stream-empty-chunks", "An empty chunk does not end a stream", needs: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let stream = ConformanceStream(.pattern(100), chunk: 10, isPadded: true)
            try await scene.expectContent(.pattern(100), from: .stream(stream.body, length: nil), isChunked: true)
        },
        Case(
            "sends-stream-failing",
            "A stream that fails ends the exchange with its error, and the request is never completed",
            needs: .sendsStreams
        ) { scene throws(ConformanceFailure) in
            try await refuses(ConformanceStream(.pattern(100), chunk: 10, failsAt: 50), 100, .encodingFailed, scene)
        },
        Case(
            "sends-stream-failing-in-chunks", "A stream of unknown length that fails ends the exchange with its error",
            needs: .sendsStreams
        ) { scene throws(ConformanceFailure) in
            try await refuses(ConformanceStream(.pattern(100), chunk: 10, failsAt: 50), nil, .encodingFailed, scene)
        },
        Case(
            "sends-stream-too-short",
            "A stream that ends before its length is an error, and the request is never completed",
            needs: .sendsStreams
        ) { scene throws(ConformanceFailure) in
            try await refuses(ConformanceStream(.pattern(100), chunk: 10), 101, nil, scene)
        },
        Case(
            "sends-stream-too-long", "A stream that exceeds its length is an error", needs: .sendsStreams
        ) { scene throws(ConformanceFailure) in
            // The excess may show only when the last byte is on its way.
            let body = HTTPRequest.Body.stream(ConformanceStream(.pattern(100), chunk: 30).body, length: 60)
            scene.answer(.text("hello"))
            try await scene.expect(.failure(), of: ConformanceExchange(method: .post, body: body))
        },
        Case(
            "sends-stream-held-back", "A stream is not read much faster than the server takes it",
            needs: .sendsStreams, heldBack),
    ]

    private static func refuses(
        _ stream: ConformanceStream, _ length: Int64?, _ code: ErrandError.Code?, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        let expected: ConformanceExpectation = if let code { .failure(code) } else { .failure() }
        let body = HTTPRequest.Body.stream(stream.body, length: length)
        try await scene.expect(expected, of: ConformanceExchange(method: .post, body: body))
        try scene.require("the number of requests", scene.server.receivedCount, is: 0)
    }

    private static func heldBack(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (gate, size) = (LoopbackGate(), 48_000_000)
        let stream = ConformanceStream(.pattern(size), chunk: 100_000)
        scene.server.earlyRoute("*", "/case*", LoopbackReply(.hold(gate), .bytes(.ok("Content-Length: 5"))))
        let exchange = ConformanceExchange(method: .post, body: .stream(stream.body, length: nil))
        let (_, produced) = try await scene.whilePerforming(exchange, is: .response()) {
            () throws(ConformanceFailure) in
            await gate.waitUntilReached()
            let produced = try await scene.settledCount { stream.producedCount }
            gate.open()
            return produced
        }
        try scene.require(produced < size / 2, "much less than \(size) bytes requested", "\(produced)")
        try scene.require("the number of bytes requested", stream.producedCount, is: size)
        try await scene.wait(for: "a request") { await scene.server.waitForRequests(1) }
    }
}
