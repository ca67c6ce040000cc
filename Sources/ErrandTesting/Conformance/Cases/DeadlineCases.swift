internal import Errand
internal import Foundation

extension TransportConformance {
    private static let limit = Duration.seconds(30)

    /// The deadline of one attempt.
    static let attemptDeadlineCases: [Case] =
        stalls(in: "attempt", Timeouts(attempt: limit), beforeHead + inBody) + [
            sending("attempt", Timeouts(attempt: limit))
        ]
    /// The deadline of the whole request.
    static let totalDeadlineCases: [Case] =
        stalls(in: "total", Timeouts(total: limit), beforeHead + inBody) + [
            sending("total", Timeouts(total: limit))
        ]
    /// The deadline for the head of the response.
    static let firstByteDeadlineCases: [Case] =
        stalls(in: "first-byte", Timeouts(firstByte: limit), beforeHead) + [
            sending("first-byte", Timeouts(firstByte: limit)),
            Case("deadline-first-byte-met", "The deadline first-byte does not pass once the head is there") {
                scene throws(ConformanceFailure) in
                let gate = LoopbackGate()
                scene.answer(
                    LoopbackReply(.bytes(.ok("Content-Length: 5", body: "")), .hold(gate), .bytes(Data("hello".utf8))))
                try await scene.meetDeadline(Timeouts(firstByte: limit)) { call in
                    await call.waitForHead()
                    await call.advance(by: limit)
                    gate.open()
                }
            },
        ]
    /// The deadline for inactivity.
    static let idleDeadlineCases: [Case] =
        stalls(in: "idle", Timeouts(idle: limit), beforeHead + inBody) + [
            sending("idle", Timeouts(idle: limit)),
            Case("deadline-idle-moved", "The deadline idle does not pass while bytes come") {
                scene throws(ConformanceFailure) in
                let gates = (0..<4).map { _ in LoopbackGate() }
                var steps: [LoopbackReply.Step] = [.bytes(.ok("Content-Length: 5", body: "h"))]
                for (gate, letter) in zip(gates, "ello") { steps += [.hold(gate), .bytes(Data("\(letter)".utf8))] }
                scene.answer(LoopbackReply(steps: steps))
                try await scene.meetDeadline(Timeouts(idle: limit)) { call in
                    for (number, gate) in gates.enumerated() {
                        await call.waitForBytes(number + 1)
                        await call.advance(by: limit * 2 / 3)
                        gate.open()
                    }
                }
            },
        ]
    /// The deadline for a connection.
    static let connectDeadlineCases: [Case] = [
        Case(
            "deadline-connect-securing", "The deadline connect passes while the server says nothing about TLS",
            needs: [.connectsSecurely, .reportsConnections]
        ) { scene throws(ConformanceFailure) in
            let server = try scene.silentServer()
            defer { server.stop() }
            try await scene.passDeadline(
                Timeouts(connect: limit), ConformanceEndpoint(),
                at: "https://127.0.0.1:\(server.port)/"
            ) { await server.waitForConnections(1) }
            try await scene.wait(for: "a closed connection") { await server.waitForClosedConnections(1) }
        }
    ]

    // MARK: - Points at which a server can stall

    private typealias Point = (id: String, words: String, reply: Data)

    private static let beforeHead: [Point] = [
        ("before-head", "before the head", Data()),
        ("in-status-line", "in the status line", Data("HTTP/1.1 2".utf8)),
        ("after-interim", "after an interim response", .message("HTTP/1.1 103 Early Hints")),
        ("in-head", "in the head", Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)),
    ]

    private static let inBody: [Point] = [
        ("after-head", "between head and body", .ok("Content-Length: 10", body: "")),
        ("in-body", "in the body", .ok("Content-Length: 10")),
        ("in-chunk", "in a chunk", .chunked("a\r\nhello")),
        ("until-close", "in a body that would end with the connection", .ok()),
    ]

    private static func stalls(in name: String, _ timeouts: Timeouts, _ points: [Point]) -> [Case] {
        points.map { point in
            Case("deadline-\(name)-\(point.id)", "The deadline \(name) passes while the server stalls \(point.words)") {
                scene throws(ConformanceFailure) in
                let gate = LoopbackGate()
                scene.answer(LoopbackReply(.bytes(point.reply), .hold(gate)))
                try await scene.passDeadline(timeouts, ConformanceEndpoint()) { await gate.waitUntilReached() }
                try await scene.waitForClosedConnections()
            }
        }
    }

    private static func sending(_ name: String, _ timeouts: Timeouts) -> Case {
        Case("deadline-\(name)-sending", "The deadline \(name) passes while the server takes no more content") {
            scene throws(ConformanceFailure) in
            let gate = scene.takeNoContent()
            let call = ConformanceEndpoint(method: .post, body: .bytes(.pattern(32_000_000)))
            try await scene.passDeadline(timeouts, call) { await gate.waitUntilReached() }
            gate.open()
            try await scene.waitForClosedConnections()
        }
    }
}
