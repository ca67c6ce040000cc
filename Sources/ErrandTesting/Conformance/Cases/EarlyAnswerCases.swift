internal import Errand
internal import Foundation

extension TransportConformance {
    private static let size = 32_000_000
    private static let refusal = Data.message("HTTP/1.1 413 Too much", "Content-Length: 5", body: "hello")

    /// Servers that respond, or end the connection, before they have read the content of a request, RFC 9112 §9.3.
    static let earlyAnswerCases: [Case] = [
        Case("early-refusal", "A refusal is delivered while the server takes no more content", refusalWithoutReading),
        Case(
            "early-refusal-read", "A refusal is delivered while the server still reads the content",
            early(.bytes(refusal), is: .response(413))),
        Case(
            "early-refusal-closing", "A refusal is delivered from a server that then closes gracefully",
            early(
                .bytes(.message("HTTP/1.1 413 Too much", "Connection: close", "Content-Length: 5", body: "hello")),
                closes: true, is: .response(413))),
        Case(
            "early-redirect", "An early redirect is delivered",
            early(
                .bytes(.message("HTTP/1.1 302 Found", "Location: /works", "Content-Length: 5", body: "hello")),
                is: .response(302))),
        Case(
            "early-success", "An early success is delivered while the server still reads the content",
            early(.bytes(.ok("Content-Length: 5")), is: .response())),
        Case(
            "early-close", "A connection that the server closes without a response is lost",
            early(.close, is: .failure(.connectionLost))),
        Case(
            "early-reset", "A connection that the server resets without a response is lost",
            early(.reset, is: .failure(.connectionLost))),
        Case("early-refusal-of-expect", "A refusal instead of the expected 100 is delivered", refusalOfExpectation),
        Case(
            "early-refusal-of-stream", "A refusal is delivered while a stream is sent", needs: .sendsStreams,
            refusalOfStream),
    ]

    private static func early(
        _ step: LoopbackReply.Step, closes: Bool = false, is expectation: ConformanceExpectation
    ) -> Case.Script {
        { scene throws(ConformanceFailure) in
            scene.server.earlyRoute("*", "/case*", LoopbackReply(steps: [step], closesConnection: closes))
            let exchange = ConformanceExchange(method: .post, body: .bytes(.pattern(size)))
            try await scene.expect(expectation, of: exchange)
        }
    }

    private static func refusalWithoutReading(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.server.earlyRoute("*", "/case*", LoopbackReply(.bytes(refusal), .hold(gate)))
        let exchange = ConformanceExchange(method: .post, body: .bytes(.pattern(size)))
        try await scene.expect(.response(413), of: exchange)
        gate.open()
    }

    private static func refusalOfExpectation(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.server.earlyRoute("*", "/case*", LoopbackReply(.bytes(refusal), .hold(gate)))
        let exchange = ConformanceExchange(
            method: .post, headers: ["Expect": "100-continue"], body: .bytes(.pattern(size)))
        try await scene.expect(.response(413), of: exchange)
        gate.open()
    }

    private static func refusalOfStream(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.server.earlyRoute("*", "/case*", LoopbackReply(.bytes(refusal), .hold(gate)))
        let stream = ConformanceStream(.pattern(size), chunk: 100_000)
        let exchange = ConformanceExchange(method: .post, body: .stream(stream.body, length: nil))
        try await scene.expect(.response(413), of: exchange)
        gate.open()
        try scene.require(stream.producedCount < size, "only a part of the stream requested", "all of it")
    }
}
