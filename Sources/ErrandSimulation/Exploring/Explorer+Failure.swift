extension Explorer {
    /// Returns the failure of a run, with a minimized schedule that fails in the same way and its timeline.
    ///
    /// - Parameters:
    ///   - record: The run.
    ///   - number: The number of its schedule, from 1.
    /// - Returns: The failure.
    func failure(of record: RunRecord, number: Int) async -> SimulationFailure {
        let final = await self.shortest(record)
        return SimulationFailure(
            found: record, number: number, final: final, wasRunAgain: self.isRepeatable(record), isSeeded: false)
    }

    /// Returns the failure of a run of a seed, with its timeline.
    func failure(ofSeeded record: RunRecord) async -> SimulationFailure {
        let final = await self.repeated(record.departures, like: record)
        return SimulationFailure(
            found: record, number: nil, final: final, wasRunAgain: self.isRepeatable(record), isSeeded: true)
    }

    // MARK: - Private helpers

    private func shortest(_ record: RunRecord) async -> RunRecord? {
        guard self.isRepeatable(record), let kind = FailureKind(record) else { return nil }
        var minimiser = Minimiser(explorer: self, kind: kind, seed: record.contextSeed, steps: record.steps)
        let departures = await minimiser.minimise(record.departures)
        if let final = await self.repeated(departures, like: record) { return final }
        return await self.repeated(record.departures, like: record)
    }

    /// Replays departures strictly, and returns the run if it fails in the same way as another.
    private func repeated(_ departures: [Departure], like record: RunRecord) async -> RunRecord? {
        guard self.isRepeatable(record) else { return nil }
        let policy = ReplayPolicy(departures, isStrict: true)
        let again = await self.run(policy, seed: record.contextSeed, isRecording: true)
        return FailureKind(again) == FailureKind(record) ? again : nil
    }

    /// True if repeating the run makes sense: no jobs came from elsewhere, no thread hangs, and no real time was waited
    /// for.
    private func isRepeatable(_ record: RunRecord) -> Bool {
        record.decided.escapes.count == 0 && record.ending != .blocked
            && (self.limits.patience <= .zero || record.ending == .ended)
    }
}
