import ErrandSimulation
import TestEffort
import Testing

/// Whether code finds the simulation in which it runs.
@Suite("The current simulation", .timeLimit(.minutes(60)), .paced)
struct CurrentTests {
    @Test("A body and its children have the context of their run")
    func context() async throws {
        #expect(Simulation.current == nil)
        let elapsed = try await Simulation.run(seed: 5) { simulation in
            #expect(Simulation.current?.clock === simulation.clock)
            return await withTaskGroup(of: Duration.self) { group in
                group.addTask {
                    try? await Simulation.current?.clock.sleep(for: .seconds(3))
                    return Simulation.current?.clock.now.offset ?? .zero
                }
                return await group.reduce(.zero, +)
            }
        }
        #expect(elapsed == .seconds(3))
        #expect(Simulation.current == nil)
    }
}
