extension Simulation {
    /// Runs a scenario under many schedules, as the public function does, and continues as long as a condition holds.
    ///
    /// The condition is evaluated before each schedule beyond the given number. A bounded search always ends with its
    /// last schedule.
    package static func explore(
        schedules: Int, by strategy: Strategy, seed: UInt64, reach: Reach, limits: Limits,
        whileTrue goesOn: @Sendable () -> Bool,
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws -> Exploration {
        let explorer = Explorer(reach: reach, limits: limits, body: body)
        if case .bounded(let switches) = strategy.kind {
            return try await explorer.search(schedules, switches: switches, seed: seed, whileTrue: goesOn)
        }
        return try await explorer.sample(schedules, by: strategy, seed: seed, whileTrue: goesOn)
    }

    /// Runs a scenario once, in the order of a schedule.
    ///
    /// - Returns: The failure with its timeline, or `nil` if the scenario succeeds.
    /// - Throws: `SimulationError` if the schedule cannot be parsed; `CancellationError` if the caller is cancelled.
    package static func failure(
        replaying schedule: Schedule, reach: Reach, limits: Limits,
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws -> SimulationFailure? {
        let (departures, seed) = try schedule.contents()
        let explorer = Explorer(reach: reach, limits: limits, body: body)
        let policy = ReplayPolicy(departures, isStrict: true)
        let record = await explorer.run(policy, seed: seed ?? 0, isRecording: true)
        try Task.checkCancellation()
        guard record.failure != nil else { return nil }
        return SimulationFailure(found: record, number: nil, final: record, isSeeded: false)
    }
}
