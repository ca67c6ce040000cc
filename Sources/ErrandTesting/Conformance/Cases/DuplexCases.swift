internal import Errand
internal import Foundation

extension TransportConformance {
    private static let bothWays: Abilities = [.receivesStreams, .sendsStreams, .streamsBothWays]

    /// Requests and responses in flight at the same time, RFC 9110 §7.5 and RFC 9112 §9.3.
    static let duplexCases: [Case] = [
        Case(
            "duplex-interleaved", "Each part of the content is answered before the next one is produced",
            needs: bothWays,
            turns(50, of: 1000)),
        Case(
            "duplex-drip", "Each byte of the content is answered before the next one is produced", needs: bothWays,
            turns(300, of: 1)),
        Case(
            "duplex-server-first", "A part of the response comes before each part of the content is produced",
            needs: bothWays, turns(50, of: 1000, serverBegins: true)),
        Case(
            "head-before-content", "A head that arrives before the content was sent does not stop the sending",
            headBeforeContent),
        Case("drip-request", "A stream that is produced byte by byte arrives", needs: .sendsStreams, dripRequest),
        Case("drip-stream", "A body that arrives byte by byte can be streamed", needs: .receivesStreams, dripStream),
    ]

    /// A chunk of RFC 9112 §7.1.
    private static func chunk(_ data: Data) -> Data {
        Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// Returns a script in which the server echoes each part of the content, or sends the next part before it.
    private static func turns(_ count: Int, of size: Int, serverBegins: Bool = false) -> Case.Script {
        let parts = (0..<count).map { number in Data.pattern((number + 1) * size).suffix(size) }
        return { scene throws(ConformanceFailure) in
            var steps: [LoopbackReply.Step] = [.bytes(.chunked(""))]
            if serverBegins { steps.append(.bytes(chunk(parts[0]))) }
            for number in 0..<count {
                steps.append(
                    .receive(atMost: (number + 1) * size) { content in
                        guard serverBegins else { return [.bytes(chunk(content.bytes.suffix(size)))] }
                        return number + 1 < count ? [.bytes(chunk(parts[number + 1]))] : []
                    })
            }
            steps.append(.receive(atMost: .max) { _ in [.bytes(Data("0\r\n\r\n".utf8))] })
            scene.server.earlyRoute("*", "/case*", LoopbackReply(steps: steps))
            try await take(parts, serverBegins, scene)
        }
    }

    private static func take(
        _ parts: [Data], _ serverBegins: Bool, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        let (made, make) = AsyncStream.makeStream(of: Data.self)
        let content = BodyStream {
            { () async throws(ErrandError) -> Data? in
                for await part in made { return part }
                return nil
            }
        }
        // A task that waits for the content is released when an error occurs.
        defer { make.finish() }
        let exchange = ConformanceExchange(
            method: .post, body: .stream(content, length: nil), destination: .stream(buffer: 1 << 16))
        if !serverBegins { make.yield(parts[0]) }
        var reader = ConformanceReader(try await scene.stream(of: exchange))
        for (number, part) in parts.enumerated() {
            let read = try await scene.read(part.count, from: &reader)
            try scene.require(read == part, "part \(number), \(part.excerpt)", read.excerpt)
            if serverBegins { make.yield(part) } else if number + 1 < parts.count { make.yield(parts[number + 1]) }
        }
        make.finish()
        try await scene.expectEnd(of: &reader)
        try await scene.wait(for: "a request") { await scene.server.waitForRequests(1) }
        let whole = parts.reduce(Data(), +)
        let received = scene.server.received.first?.body ?? Data()
        try scene.require(received == whole, "the content \(whole.excerpt)", received.excerpt)
    }

    private static func headBeforeContent(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let content = Data.pattern(8_000_000)
        scene.server.earlyRoute(
            "*", "/case*",
            LoopbackReply(
                .bytes(.ok("Content-Length: 5", body: "")),
                .receive(atMost: .max) { received in
                    [.bytes(Data((received.bytes == content ? "hello" : "other").utf8))]
                }))
        try await scene.expect(.response(), of: ConformanceExchange(method: .post, body: .bytes(content)))
    }

    private static func dripRequest(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let body = HTTPRequest.Body.stream(ConformanceStream(.pattern(2000), chunk: 1).body, length: nil)
        let request = try await scene.request(made: ConformanceExchange(method: .post, body: body))
        try scene.require(request.body == .pattern(2000), Data.pattern(2000).excerpt, request.body.excerpt)
    }

    private static func dripStream(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let body = Data.pattern(200)
        let head = Data.ok("Content-Length: 200", body: "")
        scene.answer(LoopbackReply(.bytes(head), .drip(body, chunk: 1, every: .milliseconds(1))))
        try await scene.expectStream(body, of: ConformanceExchange(destination: .stream(buffer: 1 << 16)))
    }
}
