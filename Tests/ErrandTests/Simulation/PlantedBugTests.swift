import Errand
import ErrandTesting
import TestEffort
import Testing

/// The harness can fail: coordinators with the bugs that Errand is made to be free of are found out.
@Suite("Planted bugs are found (G11)", .timeLimit(.minutes(60)), .paced)
struct PlantedBugTests {
    @Test("A coordinator that acts on a count read before an await counts a child twice or not at all")
    func staleCount() async throws {
        let failure = await #expect(throws: SimulationFailure.self) {
            try await Simulation.explore(schedules: 500) { try await Self.scenario($0, StaleCoordinator()) }
        }
        let schedule = try #require(failure?.schedule)
        // The schedule that failed fails again.
        let report = try await Simulation.report(replaying: schedule) {
            try await Self.scenario($0, StaleCoordinator())
        }
        #expect(report.failure != nil)
    }

    @Test("A coordinator whose failures each end the batch ends it more than once")
    func doubleEnd() async throws {
        await #expect(throws: SimulationFailure.self) {
            try await Simulation.explore(schedules: 500) { try await Self.scenario($0, HastyCoordinator()) }
        }
    }

    @Test("A sound coordinator passes")
    func sound() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) {
            try await Self.scenario($0, SoundCoordinator())
        }
    }

    /// Three children end together, two of them as failures; the coordinator must count three and end once.
    @Sendable
    private static func scenario(
        _ simulation: Simulation.Context, _ coordinator: some PlantedCoordinator
    ) async throws {
        let world = SimWorld(simulation)
        world.stub.route("bad*", .status(500))
        world.stub.route("*", .text("good"))
        await withTaskGroup { group in
            for path in ["bad/1", "good", "bad/2"] {
                group.addTask {
                    let succeeded = (try? await world.client.send(SimCall(path: path))) != nil
                    await coordinator.childEnded(succeeded: succeeded)
                }
            }
        }
        let (counted, ends) = await (coordinator.counted, coordinator.ends)
        guard counted == 3, ends == 1 else { throw SimProblem("counted \(counted) children, ended \(ends) times") }
    }
}

private protocol PlantedCoordinator: Actor {
    var counted: Int { get }
    var ends: Int { get }
    func childEnded(succeeded: Bool) async
}

/// Reads its count, waits, and writes what it read plus one.
private actor StaleCoordinator: PlantedCoordinator {
    var counted = 0
    var ends = 0

    func childEnded(succeeded: Bool) async {
        let counted = self.counted
        await Task.yield()
        self.counted = counted + 1
        if self.counted == 3 { self.ends += 1 }
    }
}

/// Looks whether it has ended, waits, and ends.
private actor HastyCoordinator: PlantedCoordinator {
    var counted = 0
    var ends = 0

    func childEnded(succeeded: Bool) async {
        self.counted += 1
        guard !succeeded, self.ends == 0 else { return }
        await Task.yield()
        self.ends += 1
    }
}

/// Decides and acts in one step.
private actor SoundCoordinator: PlantedCoordinator {
    var counted = 0
    var ends = 0

    func childEnded(succeeded: Bool) async {
        self.counted += 1
        if !succeeded, self.ends == 0 { self.ends += 1 }
        await Task.yield()
    }
}
