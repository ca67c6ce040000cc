internal import Errand
internal import Foundation

extension TransportConformance {
    /// Events that a transport reports during an exchange.
    static let eventCases: [Case] = [
        Case("events-head", "The head is reported once, before the body, and is that of the response", head),
        Case("events-interim", "Interim responses are not reported as the head", interim),
        Case(
            "events-interim-reported", "Interim responses are reported in their order, before the head",
            needs: .reportsInterimResponses, interimReported),
        Case(
            "events-interim-early", "An interim response is reported when it arrives, while content is still sent",
            needs: [.reportsInterimResponses, .sendsStreams], interimEarly),
        Case("events-cut", "The head of a body that is cut was reported once", cut),
        Case("events-received", "The progress of a body rises to its length", received),
        Case("events-received-chunked", "The progress of a body of unknown length rises", receivedChunked),
        Case("events-sent", "The progress of content rises to its length", sent),
        Case("events-sent-file", "The progress of a file rises to its length", needs: .sendsFiles, sentFile),
        Case("events-sent-stream", "The progress of a stream rises to its length", needs: .sendsStreams, sentStream),
        Case("events-early-head", "The head is reported when it arrives, not at the end", earlyHead),
    ]

    private static func head(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.data(.pattern(300_000), status: 201, headers: ["X-A": "1"]))
        let expected = ConformanceExpectation.response(.created, body: .pattern(300_000))
        try await scene.expect(expected, of: ConformanceExchange(observer: events.observe))
        try scene.require("the statuses", events.responseHeads.map(\.status), is: [.created])
        try scene.require("X-A", events.responseHeads.map { $0.headers["X-A"] }, is: ["1"])
        try scene.require("a body before its head", events.isBodyBeforeHead, is: false)
    }

    private static func interim(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        let hints = Data.message("HTTP/1.1 103 Early Hints", "Link: </a>")
        scene.answer(
            LoopbackReply(.bytes(Data.message("HTTP/1.1 100 Continue") + hints + Data.ok("Content-Length: 5"))))
        try await scene.expect(.response(), of: ConformanceExchange(observer: events.observe))
        try scene.require("the statuses", events.responseHeads.map(\.status), is: [.ok])
    }

    private static func interimReported(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        let hints = Data.message("HTTP/1.1 103 Early Hints", "Link: </a>", "Link: </b>")
        let progress = Data.message("HTTP/1.1 104 Upload Resumption Supported", "Upload-Offset: 7")
        scene.answer(LoopbackReply(.bytes(hints + progress + Data.ok("Content-Length: 5"))))
        try await scene.expect(.response(), of: ConformanceExchange(observer: events.observe))
        try scene.require("the interim statuses", events.interimResponses.map(\.status), is: [103, 104])
        try scene.require(
            "Link", events.interimResponses.first?.headers.values(for: "Link") ?? [], is: ["</a>", "</b>"])
        try scene.require(
            "Upload-Offset", events.interimResponses.map { $0.headers["Upload-Offset"] }, is: [nil, "7"])
        try scene.require("the statuses", events.responseHeads.map(\.status), is: [.ok])
    }

    private static func interimEarly(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        let progress = Data.message("HTTP/1.1 104 Upload Resumption Supported", "Location: /a")
        scene.server.add(
            .early("*", "/case*") { _ in
                LoopbackReply(.bytes(progress), .receive(atMost: .max) { _ in [.bytes(.ok("Content-Length: 5"))] })
            })
        // The content continues only once the interim response was reported: waiting for the end would never return.
        let content = BodyStream { [events] in
            var step = 0
            return { () async throws(ErrandError) -> Data? in
                step += 1
                switch step {
                case 1: return Data("hel".utf8)
                case 2:
                    await events.waitForInterimResponse()
                    return Data("lo".utf8)
                default: return nil
                }
            }
        }
        let exchange = ConformanceExchange(
            method: .post, path: "/case", body: .stream(content, length: 5), observer: events.observe)
        try await scene.expect(.response(), of: exchange)
    }

    private static func cut(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.shortBody(declared: 10, sent: Data("hello".utf8)))
        try await scene.expect(.failure(.connectionLost), of: ConformanceExchange(observer: events.observe))
        try scene.require("the statuses", events.responseHeads.map(\.status), is: [.ok])
    }

    private static func earlyHead(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (events, gate) = (ConformanceEvents(), LoopbackGate())
        scene.answer(LoopbackReply(.bytes(.ok("Content-Length: 5", body: "")), .hold(gate), .bytes(Data("hello".utf8))))
        _ = try await scene.whilePerforming(ConformanceExchange(observer: events.observe), is: .response()) {
            await events.waitForHead()
            gate.open()
        }
    }

    // MARK: - Progress

    private static func received(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.data(.pattern(300_000)))
        try await scene.expect(.response(body: .pattern(300_000)), of: ConformanceExchange(observer: events.observe))
        try scene.require(events.received, rise: 300_000, isTotalKnown: true)
    }

    private static func receivedChunked(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.chunked([.pattern(100_000), .pattern(200_000)]))
        let expected = ConformanceExpectation.response(body: Data.pattern(100_000) + Data.pattern(200_000))
        try await scene.expect(expected, of: ConformanceExchange(observer: events.observe))
        try scene.require(events.received, rise: 300_000, isTotalKnown: false)
    }

    private static func sent(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.sent(.bytes(.pattern(300_000)), isTotalKnown: true, scene)
    }

    private static func sentFile(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.sent(.file(try scene.file("content", .pattern(300_000))), isTotalKnown: true, scene)
    }

    private static func sentStream(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let stream = ConformanceStream(.pattern(300_000), chunk: 70_000)
        try await self.sent(.stream(stream.body, length: nil), isTotalKnown: false, scene)
    }

    private static func sent(
        _ body: HTTPRequest.Body, isTotalKnown: Bool, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.text("hello"))
        let exchange = ConformanceExchange(method: .post, body: body, observer: events.observe)
        try await scene.expect(.response(), of: exchange)
        try scene.require(events.sent, rise: 300_000, isTotalKnown: isTotalKnown)
    }
}

extension ConformanceScene {
    /// Requires that a progress never falls, ends at the given number, and reports no other total.
    fileprivate func require(
        _ progress: [TransferProgress], rise end: Int64, isTotalKnown: Bool
    ) throws(ConformanceFailure) {
        let counts = progress.map(\.bytes)
        try self.require("the last count", counts.last, is: end)
        try self.require(counts == counts.sorted(), "counts that never fall", "\(counts)")
        let totals = Set(progress.map(\.total))
        try self.require("the totals", totals, is: isTotalKnown ? [end] : [nil])
    }
}
