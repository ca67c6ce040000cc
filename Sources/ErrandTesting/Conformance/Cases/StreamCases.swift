internal import Errand
internal import Foundation

extension TransportConformance {
    private static func streamed(buffer: Int = 1 << 16, _ path: String = "/case") -> ConformanceExchange {
        ConformanceExchange(path: path, destination: .stream(buffer: buffer))
    }

    /// Bodies that are delivered as streams.
    static let streamCases: [Case] = [
        Case("stream", "A stream has the whole body, in order", needs: .receivesStreams, whole),
        Case("stream-chunked", "A stream has the content of all chunks", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            scene.answer(.chunked([.pattern(50_000), .pattern(3), .pattern(200_000)], trailers: ["X-Sum": "1"]))
            let expected = Data.pattern(50_000) + Data.pattern(3) + Data.pattern(200_000)
            try await scene.expectStream(expected, of: streamed())
        },
        Case("stream-until-close", "A stream may end with the connection", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            scene.answer(LoopbackReply(.bytes(.ok()), .close))
            try await scene.expectStream(Data("hello".utf8), of: streamed())
        },
        Case("stream-empty", "A stream of an empty body ends at once", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            scene.answer(.text(""))
            try await scene.expectStream(Data(), of: streamed())
        },
        Case("stream-of-head", "A stream of a response to HEAD ends at once", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            scene.answer(.text("hello"))
            var exchange = streamed()
            exchange.method = .head
            try await scene.expectStream(Data(), of: exchange)
        },
        Case("stream-small-buffer", "The smallest buffer is enough, if slow", needs: .receivesStreams) {
            scene throws(ConformanceFailure) in
            scene.answer(.data(.pattern(100_000)))
            try await scene.expectStream(.pattern(100_000), of: streamed(buffer: 1))
        },
        Case("stream-unpacked", "A streamed body is decoded", needs: [.receivesStreams, .decodesContent]) {
            scene throws(ConformanceFailure) in
            let packed = ConformanceGzip.repeating(97, matches: 1000)
            scene.answer(.data(packed, headers: ["Content-Encoding": "gzip"]))
            var exchange = streamed()
            exchange.headers = ["Accept-Encoding": "gzip"]
            try await scene.expectStream(Data(repeating: 97, count: 258_001), of: exchange)
        },
        Case(
            "stream-head-first", "A response with a stream is delivered as soon as its head has arrived",
            needs: .receivesStreams, headFirst),
        Case(
            "stream-chunk-by-chunk", "A chunk of a stream is delivered as soon as it has arrived",
            needs: .receivesStreams, chunkByChunk),
        Case(
            "stream-held-back", "A slow consumer applies back pressure to the server", needs: .receivesStreams, heldBack
        ),
        Case("streams-at-once", "An unread stream does not hold up others", needs: .receivesStreams, atOnce),
        Case(
            "stream-while-sending", "A response can be read while its request is still sent",
            needs: [.receivesStreams, .sendsStreams, .streamsBothWays], whileSending),
    ]

    private static func whole(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.data(.pattern(5_000_000)))
        try await scene.expectStream(.pattern(5_000_000), of: streamed())
    }

    private static func headFirst(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.answer(LoopbackReply(.bytes(.ok("Content-Length: 5", body: "")), .hold(gate), .bytes(Data("hello".utf8))))
        let stream = try await scene.stream(of: streamed())
        gate.open()
        try await scene.expect(Data("hello".utf8), from: stream)
    }

    private static func chunkByChunk(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gates = (LoopbackGate(), LoopbackGate())
        scene.answer(
            LoopbackReply(
                .bytes(.ok("Content-Length: 6", body: "ab")), .hold(gates.0), .bytes(Data("cd".utf8)), .hold(gates.1),
                .bytes(Data("ef".utf8))))
        var reader = ConformanceReader(try await scene.stream(of: streamed()))
        try await scene.expect("ab", next: 2, from: &reader)
        gates.0.open()
        try await scene.expect("cd", next: 2, from: &reader)
        gates.1.open()
        try await scene.expect("ef", next: 2, from: &reader)
        try await scene.expectEnd(of: &reader)
    }

    private static func heldBack(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let body = Data.pattern(64_000_000)
        scene.answer(.data(body))
        var reader = ConformanceReader(try await scene.stream(of: streamed()))
        let start = try await scene.read(1, from: &reader)
        let written = try await scene.settledCount { scene.bytesSent }
        // The sockets on both sides hold some megabytes.
        try scene.require(written < body.count / 2, "much less than \(body.count) bytes taken", "\(written)")
        let rest = try await scene.read(.max, from: &reader)
        try scene.require(start + rest == body, "the body \(body.excerpt)", (start + rest).excerpt)
    }

    private static func atOnce(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { _ in .data(.pattern(3_000_000)) }
        var waiting: [BodyStream] = []
        for _ in 0..<4 { waiting.append(try await scene.stream(of: streamed())) }
        try await scene.expectStream(.pattern(3_000_000), of: streamed())
        for stream in waiting { try await scene.expect(.pattern(3_000_000), from: stream) }
    }
    private static func whileSending(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (begun, ended) = (StubGate(), LoopbackGate())
        scene.server.earlyRoute(
            "*", "/case*",
            LoopbackReply(
                .bytes(.chunked("5\r\nhello\r\n")), .hold(ended), .bytes(Data("5\r\nworld\r\n0\r\n\r\n".utf8))))
        let content = BodyStream {
            var rest = ConformanceStream(.pattern(100_000), chunk: 10_000).body.makeAsyncIterator()
            return { () async throws(ErrandError) -> Data? in
                guard await begun.pass() else { throw ErrandError(.cancelled, "the stream was cancelled") }
                let chunk = try await rest.next()
                if chunk == nil { ended.open() }
                return chunk
            }
        }
        var exchange = streamed()
        (exchange.method, exchange.body) = (.post, .stream(content, length: nil))
        var reader = ConformanceReader(try await scene.stream(of: exchange))
        try await scene.expect("hello", next: 5, from: &reader)
        begun.open()
        try await scene.expect("world", next: 5, from: &reader)
        try await scene.expectEnd(of: &reader)
        try await scene.wait(for: "a request") { await scene.server.waitForRequests(1) }
        try scene.require("the content", scene.server.received.first?.body, is: .pattern(100_000))
    }
}
