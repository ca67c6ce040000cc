extension Simulation.Context {
    /// Decides by the run's seed whether a fault strikes here.
    ///
    /// ```swift
    /// func send(_ message: Message) async throws -> Reply {
    ///     let reply = try await self.server.handle(message)
    ///     if self.simulation.fault("lost reply", probability: 0.1) { throw ConnectionLost() }
    ///     return reply
    /// }
    /// ```
    ///
    /// Each name has a sequence of chance of its own: what a call returns follows from the seed, the name and the number
    /// of the call among those for that name. Calls for other names, the context's `random` and the order of the jobs
    /// change nothing in it. Tasks that share a name share its sequence, and so get its numbers in the order in which
    /// they ask; give each a name of its own, such as `"lost reply \(client)"`, where that matters.
    ///
    /// A fault that strikes is a line of the trace, and part of the report and of a failure. The schedule of a run that
    /// asked has its seed in front, with which the same faults strike when it is replayed. A bounded search keeps one
    /// seed: it goes through the schedules under the same faults. It may be called from any isolation domain.
    ///
    /// - Parameters:
    ///   - name: What goes wrong, for a person; the same text is the same fault point.
    ///   - probability: How likely it is, from zero (never) to one (always).
    /// - Returns: Whether it strikes.
    public func fault(_ name: String, probability: Double) -> Bool {
        if probability > 0, probability < 1 { self.random.noteUse() }
        let now = self.clock.now.offset
        guard let fault = self.faults.ask(name, probability: probability, at: now) else { return false }
        self.trace("fault: \(fault)")
        return true
    }
}
