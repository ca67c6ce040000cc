internal import Errand
internal import Foundation

extension TransportConformance {
    /// Shutting a transport down, with and without exchanges in flight.
    static let shutdownCases: [Case] = [
        Case("shutdown-before-head", "A shutdown ends an exchange that waits for its response") {
            scene throws(ConformanceFailure) in
            let gate = LoopbackGate()
            scene.answer(LoopbackReply.text("late").held(by: gate))
            try await scene.disturb(by: .shutdown, ConformanceExchange()) { await gate.waitUntilReached() }
            try await scene.waitForClosedConnections()
        },
        Case("shutdown-in-body", "A shutdown ends an exchange in the middle of its body", inBody),
        Case("shutdown-while-sending", "A shutdown ends an exchange that sends its content", whileSending),
        Case("shutdown-many", "A shutdown ends sixty-four exchanges at once", many),
        Case("shutdown-idle", "A shutdown closes idle connections", idle),
        Case("shutdown-then-exchange", "An exchange after the shutdown is refused, and nothing is sent", exchangeAfter),
        Case("shutdown-unused", "An unused transport can be shut down") { scene throws(ConformanceFailure) in
            scene.shutTransportDown()
            try scene.require("the number of connections", scene.server.connectionsAccepted, is: 0)
        },
    ]

    private static func inBody(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let events = ConformanceEvents()
        scene.answer(.stallInBody(after: 50_000, of: .pattern(100_000)))
        try await scene.disturb(by: .shutdown, ConformanceExchange(observer: events.observe)) {
            await events.waitForBody()
        }
        try await scene.waitForClosedConnections()
    }

    private static func whileSending(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = scene.takeNoContent()
        let exchange = ConformanceExchange(method: .post, body: .bytes(.pattern(32_000_000)))
        try await scene.disturb(by: .shutdown, exchange) { await gate.waitUntilReached() }
        gate.open()
        try await scene.waitForClosedConnections()
    }

    private static func many(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let gate = LoopbackGate()
        scene.answer(LoopbackReply.text("late").held(by: gate))
        scene.note("waiting for the end of 64 exchanges whose transport is shut down")
        let codes = await withTaskGroup(of: ErrandError.Code?.self) { group in
            for _ in 0..<64 { group.addTask { await scene.outcome(of: ConformanceExchange()).code } }
            await gate.waitUntilReached(times: 64)
            scene.shutTransportDown()
            return await group.reduce(into: [ErrandError.Code?]()) { $0.append($1) }
        }
        try scene.require("the codes of the errors", Set(codes), is: [.clientShutDown])
        try await scene.waitForClosedConnections(64)
    }

    private static func idle(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.work()
        scene.shutTransportDown()
        try await scene.waitForClosedConnections(scene.server.connectionsAccepted)
    }

    private static func exchangeAfter(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        scene.shutTransportDown()
        try await scene.expect(.failure(.clientShutDown), of: ConformanceExchange())
        try scene.require("the number of requests", scene.server.receivedCount, is: 0)
    }
}
