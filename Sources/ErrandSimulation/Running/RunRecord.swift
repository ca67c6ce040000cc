/// The record of a finished run: its decisions, trace and counts.
struct RunRecord: Sendable {
    let contextSeed: UInt64
    /// True if the scenario used the context's chance, so that the seed is part of its schedule.
    let usedChance: Bool
    let ending: SimulationDriver.Ending
    let steps: Int
    let decided: SimulationExecutor.Snapshot
    /// The tasks that wait in a run that is stuck, if that is known.
    let waiting: [Int]
    let elapsed: Duration
    let trace: [String]
    /// The faults that occurred, in order.
    let faults: [Simulation.Fault]
    /// The points that the scenario has reached.
    let points: Set<String>
    let reach: Simulation.Reach
    /// The error with which the scenario ended, or `nil` if it succeeded.
    var failure: (any Error)?

    /// The departures from the default order.
    var departures: [Departure] { self.decided.log.departures(in: self.decided.places) }

    /// The departures of the run, with the seed if the run used chance.
    var schedule: Simulation.Schedule {
        Simulation.Schedule(departures: self.departures, seed: self.usedChance ? self.contextSeed : nil)
    }

    /// The report of the run.
    var report: SimulationReport {
        SimulationReport(
            seed: self.contextSeed, steps: self.steps, fingerprint: self.decided.log.fingerprint,
            escapedJobs: self.decided.escapes.count, escapedTasks: self.decided.escapes.tasks.map(\.description),
            elapsed: self.elapsed, trace: self.trace, faults: self.faults, schedule: self.schedule,
            tasks: self.decided.recorder?.tasks(in: self.decided.places) ?? [],
            timeline: self.decided.recorder?.timeline(in: self.decided.places) ?? [], reach: self.reach,
            failure: self.failure)
    }
}
