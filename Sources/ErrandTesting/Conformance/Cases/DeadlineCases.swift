internal import Errand
internal import Foundation

extension TransportConformance {
    private static let attempt = Timeouts(attempt: .seconds(30))
    private static let total = Timeouts(attempt: nil, total: .seconds(30))

    /// The deadline of one attempt.
    static let attemptDeadlineCases: [Case] = stalls(in: "attempt", attempt)
    /// The deadline of the whole request.
    static let totalDeadlineCases: [Case] = stalls(in: "total", total)

    /// One case for each point at which a server can stall.
    private static func stalls(in name: String, _ timeouts: Timeouts) -> [Case] {
        [
            ("before-head", "before the head", Data()),
            ("in-status-line", "in the status line", Data("HTTP/1.1 2".utf8)),
            ("after-interim", "after an interim response", Data.message("HTTP/1.1 103 Early Hints")),
            ("in-head", "in the head", Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)),
            ("after-head", "between head and body", Data.ok("Content-Length: 10", body: "")),
            ("in-body", "in the body", Data.ok("Content-Length: 10")),
            ("in-chunk", "in a chunk", Data.chunked("a\r\nhello")),
            ("until-close", "in a body that would end with the connection", Data.ok()),
        ].map { id, words, reply in
            Case("deadline-\(name)-\(id)", "The deadline \(name) passes while the server stalls \(words)") {
                scene throws(ConformanceFailure) in
                let gate = LoopbackGate()
                scene.answer(LoopbackReply(.bytes(reply), .hold(gate)))
                try await scene.passDeadline(timeouts, at: gate, ConformanceEndpoint())
                try await scene.waitForClosedConnections()
            }
        } + [
            Case("deadline-\(name)-sending", "The deadline \(name) passes while the server takes no more content") {
                scene throws(ConformanceFailure) in
                let gate = LoopbackGate()
                scene.server.earlyRoute("*", "/case*", LoopbackReply(.hold(gate)))
                try await scene.passDeadline(
                    timeouts, at: gate, ConformanceEndpoint(method: .post, body: .bytes(.pattern(32_000_000))))
                gate.open()
                try await scene.waitForClosedConnections()
            }
        ]
    }
}

/// A call to where the server of a case stalls.
private struct ConformanceEndpoint: Endpoint {
    var path: String { "/case" }
    var method = HTTPMethod.get
    var body = RequestBody.none
}

extension ConformanceScene {
    /// Sends a call through a client, passes its deadline when the server has come to a gate, and wants the error for it.
    fileprivate func passDeadline(
        _ timeouts: Timeouts, at gate: LoopbackGate, _ endpoint: ConformanceEndpoint
    ) async throws(ConformanceFailure) {
        let clock = TestClock()
        let client = Client(baseURL: self.server.baseURL) {
            $0.transport = self.transport
            $0.timeouts = timeouts
            $0.clock = clock
        }
        self.note("waiting for the point at which the deadline passes, or for its error")
        let error = await withTaskGroup(of: ErrandError?.self) { group in
            group.addTask { await Self.error(of: endpoint, client) }
            group.addTask {
                await gate.waitUntilReached()
                // The deadline was set before the exchange began, so its sleeper is there or on its way.
                await clock.waitForSleeper()
                clock.advance(by: .seconds(30))
                return nil
            }
            var error: ErrandError?
            for await ended in group {
                error = error ?? ended
                if ended != nil { group.cancelAll() }
            }
            return error
        }
        await client.shutdown()
        try self.require("the code of the error", error?.code, is: .timedOut)
    }

    private static func error(of endpoint: ConformanceEndpoint, _ client: Client) async -> ErrandError? {
        do throws(ErrandError) {
            _ = try await client.send(endpoint)
            return nil
        } catch {
            return error
        }
    }
}
