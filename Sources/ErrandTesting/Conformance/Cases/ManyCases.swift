internal import Errand
internal import Foundation

extension TransportConformance {
    /// Many exchanges at once, over one transport.
    static let manyCases: [Case] = [
        Case("many-at-once", "Sixty-four exchanges at once each get their own response", atOnce),
        Case("many-with-content", "Sixty-four requests with content at once each send their own", withContent),
        Case("many-in-a-row", "Three hundred exchanges one after another, over one connection", inARow),
        Case("many-of-all-kinds", "Concurrent responses and failures do not disturb each other", ofAllKinds),
        Case("many-to-two-servers", "Exchanges with two servers at once get the responses of their server", twoServers),
    ]

    private static func atOnce(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.answer { .text($0.target).held(by: gate) }
        scene.note("waiting for 64 answers")
        let wrong = await withTaskGroup(of: String?.self) { group -> [String] in
            for number in 0..<64 { group.addTask { await scene.mistake("/case/\(number)?n=\(number)") } }
            // All of them are in flight before one is answered.
            await gate.waitUntilReached(times: 64)
            gate.open()
            return await group.reduce(into: []) { if let mistake = $1 { $0.append(mistake) } }
        }
        try scene.require("what went wrong", wrong, is: [])
    }

    private static func withContent(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { .data($0.body) }
        scene.note("waiting for 64 echoes")
        let wrong = await withTaskGroup(of: String?.self) { group -> [String] in
            for number in 0..<64 {
                group.addTask {
                    let content = Data("\(number)".utf8) + Data.pattern(number * 1000)
                    let outcome = await scene.outcome(of: ConformanceExchange(method: .post, body: .bytes(content)))
                    return ConformanceExpectation.response(body: content).holds(outcome) ? nil : outcome.words
                }
            }
            return await group.reduce(into: []) { if let mistake = $1 { $0.append(mistake) } }
        }
        try scene.require("what went wrong", wrong, is: [])
    }

    private static func inARow(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { .text($0.target) }
        for number in 0..<300 {
            let path = "/case/\(number)"
            try await scene.expect(.response(body: path), of: ConformanceExchange(path: path))
        }
        try scene.require("the number of connections", scene.server.connectionsAccepted, is: 1)
    }

    private static func ofAllKinds(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer { request in
            switch request.query {
            case "close": .close
            case "cut": .shortBody(declared: 10, sent: Data("hello".utf8))
            case "bad": LoopbackReply(.bytes(Data("no HTTP\r\n".utf8)), .close)
            default: .text(request.target)
            }
        }
        scene.note("waiting for 64 answers and failures")
        let wrong = await withTaskGroup(of: String?.self) { group -> [String] in
            for number in 0..<64 {
                let kind = ["close", "cut", "bad", "fine"][number % 4]
                group.addTask { await scene.mistake("/case/\(number)?\(kind)", isFine: kind == "fine") }
            }
            return await group.reduce(into: []) { if let mistake = $1 { $0.append(mistake) } }
        }
        try scene.require("what went wrong", wrong, is: [])
    }

    private static func twoServers(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let other: LoopbackServer
        do {
            other = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { .text("other \($0.target)") }])
        } catch {
            throw scene.failure("a second server", "\(error)")
        }
        scene.answer { .text("one \($0.target)") }
        let origin = "http://127.0.0.1:\(other.port)"
        for number in 0..<10 {
            let path = "/case/\(number)"
            try await scene.expect(.response(body: "one \(path)"), of: ConformanceExchange(path: path))
            try await scene.expect(
                .response(body: "other \(path)"), of: ConformanceExchange(path: path, origin: origin))
        }
        other.stop()
    }
}

extension ConformanceScene {
    /// Performs an exchange whose response echoes its target, or that fails; returns a description of the first error,
    /// or `nil`.
    fileprivate func mistake(_ path: String, isFine: Bool = true) async -> String? {
        let expected: ConformanceExpectation = isFine ? .response(body: path) : .failure()
        let outcome = await self.outcome(of: ConformanceExchange(path: path))
        return expected.holds(outcome) ? nil : "\(path): \(outcome.words)"
    }
}
