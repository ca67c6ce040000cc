import Errand
import ErrandLocks
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: a credential that many need anew (G1, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct RefreshScheduleTests {
    @Test("Who was refused the same shares one question")
    func oneQuestion() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) {
            try await Self.scenario($0, cancelling: 0)
        }
    }

    @Test("Who is cancelled leaves alone, and the others get in")
    func leaving() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) {
            try await Self.scenario($0, cancelling: 3)
        }
    }

    private final class Refreshing: Authenticator {
        let questions = Locked(0)
        private let simulation: Simulation.Context

        init(simulation: Simulation.Context) {
            self.simulation = simulation
        }

        func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
            self.questions.withLock { $0 += 1 }
            try await self.simulation.clock.sleep(for: .milliseconds(self.simulation.random.int(in: 0..<3)))
            for _ in 0..<self.simulation.random.int(in: 0..<5) { await self.simulation.yield() }
            return .bearer("new")
        }
    }

    private static func scenario(_ simulation: Simulation.Context, cancelling cancelled: Int) async throws {
        let authenticator = Refreshing(simulation: simulation)
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 3, perHost: 3)) {
            $0.credentials.origin = .bearer("old")
            $0.credentials.authenticator = authenticator
        }
        world.stub.route(where: { _ in true }) { request, _ in
            let isIn = request.headers["Authorization"] == "Bearer new"
            let reply = isIn ? StubReply.text("good") : .status(401)
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let outcomes = await SimOutcome.all(of: 8, cancelling: cancelled, in: world)
        try #require(!outcomes.contains(.wrong))
        let questions = authenticator.questions.withLock { $0 }
        try #require(questions >= 1)
        try #require(questions <= 1 + cancelled, "one question, and one more for each that was left by all")
        let received = world.stub.receivedCount
        let late = try await world.client.send(SimCall(path: "late"))
        try #require(late == "good")
        try #require(world.stub.receivedCount == received + 1, "it is remembered")
        try await world.checkNothingIsLeft()
    }
}
