import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: outcomes that are read slowly (G10)", .timeLimit(.minutes(60)), .paced)
struct StreamedScheduleTests {
    @Test("No more is sent than was read and the window takes, and no less")
    func holdBack() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.scenario($0) }
    }

    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool())
        world.stub.route(where: { _ in true }) { _, _ in
            .text("good").delayed(by: .milliseconds(simulation.random.int(in: 0..<4)), on: simulation.clock)
        }
        let width = simulation.random.int(in: 1..<5)
        let order: BatchOutcomes<SimCall>.Order = simulation.random.bool() ? .input : .completion
        let calls = (0..<20).map { SimCall(path: "\($0)") }
        var outcomes = world.client.outcomes(of: calls, width: width, order: order).makeAsyncIterator()
        for count in 1...6 {
            _ = try #require(await outcomes.next())
            // When it wakes, all others have come as far as they can.
            try await simulation.clock.sleep(for: .seconds(1))
            try #require(world.stub.receivedCount == count + width, "after \(count) with a window of \(width)")
        }
        while await outcomes.next() != nil {}
        try #require(world.stub.receivedCount == calls.count)
        try await world.checkNothingIsLeft()
    }
}
