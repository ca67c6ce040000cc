internal import Errand
internal import Foundation

extension TransportConformance {
    /// Connections that serve more than one exchange, RFC 9112 §9.
    static let connectionCases: [Case] = [
        Case("keep-alive", "A connection that stays open serves the next exchange", keepAlive),
        Case("keep-alive-chunked", "A connection serves the next exchange after a body in chunks", keepAliveChunked),
        Case("keep-alive-head", "A connection serves the next exchange after responses without content", keepAliveHead),
        Case("connection-close", "A connection that the server says it will close serves no other exchange", closing),
        Case(
            "connection-close-chunked", "A connection that the server will close serves no other exchange after chunks",
            closingChunked),
        Case("version-1-0", "A connection with HTTP/1.0 serves no other exchange unless the server says so", version),
    ]

    /// Connections that are closed just before the next exchange.
    static let raceCases: [Case] = [
        Case(
            "closed-while-idle", "A connection that the server closed while idle does not disturb the next exchange",
            closedWhileIdle),
        Case(
            "close-race-get", "A GET on a kept connection that is closed unanswered is sent again", raceOfGet),
        Case("close-race-once", "A GET is sent again only once, on a new connection", raceOnce),
        Case(
            "close-race-post", "A POST with content is not sent again, since it may have had its effect", raceOfPost),
        Case(
            "close-race-after-a-byte", "A GET is not sent again when a part of the response has come", raceAfterByte),
    ]

    // MARK: - Staying open

    private static func keepAlive(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { .text("\($0.requestNumber)") }
        for number in 1...3 { try await scene.expect(.response(body: "\(number)"), of: ConformanceExchange()) }
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 1)
    }

    private static func keepAliveChunked(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { .chunked([Data("\($0.requestNumber)".utf8)]) }
        for number in 1...3 { try await scene.expect(.response(body: "\(number)"), of: ConformanceExchange()) }
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 1)
    }

    private static func keepAliveHead(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { $0.method == "HEAD" ? .text("hello") : .status(204) }
        try await scene.expect(.response(body: ""), of: ConformanceExchange(method: .head))
        try await scene.expect(.response(204, body: ""), of: ConformanceExchange())
        try await scene.work()
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 1)
    }

    private static func closing(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        // The server keeps the connection open for as long as the client does.
        scene.answer { _ in LoopbackReply(.bytes(.ok("Connection: close", "Content-Length: 5"))) }
        for _ in 1...2 { try await scene.expect(.response(), of: ConformanceExchange()) }
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 2)
    }

    private static func closingChunked(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { _ in LoopbackReply(.bytes(.chunked("5\r\nhello\r\n0\r\n\r\n", "Connection: Close"))) }
        for _ in 1...2 { try await scene.expect(.response(), of: ConformanceExchange()) }
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 2)
    }

    private static func version(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let reply = Data.message("HTTP/1.0 200 OK", "Content-Length: 5", body: "hello")
        scene.answer { _ in LoopbackReply(.bytes(reply)) }
        for _ in 1...2 { try await scene.expect(.response(), of: ConformanceExchange()) }
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 2)
    }

    // MARK: - Closed before the next exchange

    private static func closedWhileIdle(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { _ in LoopbackReply(.bytes(.ok("Content-Length: 5")), .close) }
        for number in 1...3 {
            try await scene.expect(.response(), of: ConformanceExchange())
            try await scene.waitForClosedConnections(number)
        }
        try scene.require("the number of requests", scene.server.receivedCount, is: 3)
    }

    private static func raceOfGet(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { $0.requestNumber > 1 ? .close : .text("hello") }
        for _ in 1...2 { try await scene.expect(.response(), of: ConformanceExchange()) }
        try scene.require("the number of requests", scene.server.receivedCount, is: 3)
    }

    private static func raceOnce(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { $0.connectionNumber == 1 && $0.requestNumber == 1 ? .text("hello") : .close }
        try await scene.expect(.response(), of: ConformanceExchange())
        try await scene.expect(.failure(.connectionLost), of: ConformanceExchange())
        try scene.require("the number of requests", scene.server.receivedCount, is: 3)
    }

    private static func raceOfPost(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { $0.requestNumber > 1 ? .close : .text("hello") }
        try await scene.expect(.response(), of: ConformanceExchange())
        let post = ConformanceExchange(method: .post, body: .bytes(Data("content".utf8)))
        try await scene.expect(.failure(.connectionLost), of: post)
        try scene.require("the methods", scene.server.received.map(\.method), is: ["GET", "POST"])
    }

    private static func raceAfterByte(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { $0.requestNumber > 1 ? .cutHeader() : .text("hello") }
        try await scene.expect(.response(), of: ConformanceExchange())
        try await scene.expect(.brokenHead, of: ConformanceExchange())
        try scene.require("the number of requests", scene.server.receivedCount, is: 2)
    }
}
