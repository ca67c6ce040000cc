extension Simulation.Context {
    /// Returns whether a fault occurs here, determined by the run's seed.
    ///
    /// ```swift
    /// func send(_ message: Message) async throws -> Reply {
    ///     let reply = try await self.server.handle(message)
    ///     if self.simulation.fault("lost reply", probability: 0.1) { throw ConnectionLost() }
    ///     return reply
    /// }
    /// ```
    ///
    /// Each name has its own random sequence: the result of a call follows from the seed, the name and the number of
    /// the call with that name. Calls with other names, the context's `random` and the order of the jobs do not affect
    /// it. Tasks that share a name share its sequence, and draw from it in the order in which they call; use a name per
    /// task, such as `"lost reply \(client)"`, where that matters.
    ///
    /// A fault that occurs is added to the trace, and to the report or the failure. The schedule of a run with fault
    /// points begins with its seed, so that a replay has the same faults. A bounded search keeps one seed, and so runs
    /// all its schedules with the same faults. The method may be called from any isolation domain.
    ///
    /// - Parameters:
    ///   - name: The name of the fault point; calls with the same text are the same fault point.
    ///   - probability: The probability of the fault, from zero (never) to one (always).
    /// - Returns: `true` if the fault occurs.
    public func fault(_ name: String, probability: Double) -> Bool {
        if probability > 0, probability < 1 { self.random.noteUse() }
        let now = self.clock.now.offset
        guard let fault = self.faults.ask(name, probability: probability, at: now) else { return false }
        self.trace("fault: \(fault)")
        return true
    }
}
