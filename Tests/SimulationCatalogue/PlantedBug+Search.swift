package import ErrandSimulation

extension PlantedBug {
    /// How far the seeds of two series are apart, so that no run is in both.
    private static let seriesDistance: UInt64 = 1_000_000

    /// Looks for the bug, in one series of schedules.
    ///
    /// - Parameters:
    ///   - strategy: How the schedules are chosen.
    ///   - schedules: The largest number of them.
    ///   - series: The number of the series, which fixes its seeds.
    /// - Returns: The failure, or `nil` if none of the schedules fails.
    /// - Throws: `CancellationError` if the caller is cancelled.
    package func search(
        by strategy: Simulation.Strategy, schedules: Int, series: Int
    ) async throws -> SimulationFailure? {
        try await Self.search(self.broken, by: strategy, schedules: schedules, series: series)
    }

    /// Looks for a failure of a program, in one series of schedules.
    static func search(
        _ broken: @escaping Scenario, by strategy: Simulation.Strategy, schedules: Int, series: Int
    ) async throws -> SimulationFailure? {
        do {
            let seed = UInt64(series) * Self.seriesDistance
            try await Simulation.explore(
                schedules: schedules, by: strategy, seed: seed, limits: .init(maxSteps: 10_000), broken)
            return nil
        } catch let failure as SimulationFailure {
            return failure
        }
    }
}
