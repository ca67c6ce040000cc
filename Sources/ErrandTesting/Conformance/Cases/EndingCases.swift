internal import Errand
internal import Foundation

extension TransportConformance {
    /// Connections that end early, or that are slow.
    static let endingCases: [Case] = [
        Case(
            "reset-before-the-head", "A connection that is reset before the first byte is lost",
            reply: Data(), then: .reset, is: .failure(.connectionLost)),
        Case(
            "reset-in-the-head", "A connection that is reset in the head is lost",
            reply: Data("HTTP/1.1 200 OK\r\nContent-Le".utf8), then: .reset, is: .failure(.connectionLost)),
        Case(
            "reset-in-the-body", "A connection that is reset in the body is lost",
            reply: .ok("Content-Length: 10"), then: .reset, is: .failure(.connectionLost)),
        Case(
            "reset-in-a-chunk", "A connection that is reset in a chunk is lost",
            reply: .chunked("a\r\nhello"), then: .reset, is: .failure(.connectionLost)),
        Case(
            "cut-large", "A large body that is cut is lost",
            ConformanceExchange(destination: .memory(limit: 1 << 24)),
            reply: Data.ok("Content-Length: 10000000", body: "") + Data.pattern(5_000_000), then: .close,
            is: .failure(.connectionLost)),
        Case("drip", "A response that arrives byte by byte is joined", drip),
        Case("drip-chunked", "A response in chunks that arrives byte by byte is joined", dripChunked),
        Case("large", "A large body arrives complete", large),
        Case("cannot-connect", "Connecting to a port without a listener fails", cannotConnect),
        Case("tls-not-spoken", "A server that does not speak TLS fails with an error about TLS", tlsNotSpoken),
    ]

    private static func drip(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let bytes = Data.message("HTTP/1.1 100 Continue") + Data.ok("X-A:  1 ", "Content-Length: 5")
        scene.answer(LoopbackReply(.drip(bytes, chunk: 1, every: .milliseconds(1))))
        try await scene.expect(.response(fields: ["X-A": "1"]), of: ConformanceExchange())
    }

    private static func dripChunked(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let bytes = Data.chunked("2;a=b\r\nhe\r\n03\r\nllo\r\n0\r\n\r\n")
        scene.answer(LoopbackReply(.drip(bytes, chunk: 1, every: .milliseconds(1))))
        try await scene.expect(.response(), of: ConformanceExchange())
    }

    private static func large(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let body = Data.pattern(12_345_678)
        scene.answer { $0.path == "/case/chunked" ? .chunked([body, body]) : .data(body) }
        let exchange = ConformanceExchange(path: "/case", destination: .memory(limit: 1 << 25))
        try await scene.expect(.response(body: body), of: exchange)
        let chunked = ConformanceExchange(path: "/case/chunked", destination: .memory(limit: 1 << 25))
        try await scene.expect(.response(body: body + body), of: chunked)
    }

    private static func cannotConnect(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        // A privileged port, which is never assigned to a test server.
        try await scene.expect(.failure(.cannotConnect), of: ConformanceExchange(origin: "http://127.0.0.1:1"))
    }

    private static func tlsNotSpoken(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let origin = "https://127.0.0.1:\(scene.server.port)"
        try await scene.expect(.failure(.tlsFailed), of: ConformanceExchange(origin: origin))
        try scene.require("the number of requests", scene.server.receivedCount, is: 0)
    }
}
