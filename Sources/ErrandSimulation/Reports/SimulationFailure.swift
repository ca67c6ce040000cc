/// The first failure that an exploration found, with the information to reproduce and to understand it.
///
/// An exploration of a strategy's schedules reports the shortest schedule that it found to fail for the same reason; an
/// exploration of seeds reports the run of its seed.
public struct SimulationFailure: Error, Sendable {
    /// The seed of the failing run's chance, and of its interleaving where that was random.
    public let seed: UInt64

    /// The error that the scenario threw, or the `SimulationError` with which it ended.
    public let underlying: any Error

    /// The lines that the scenario traced until it failed.
    public let trace: [String]

    /// The faults that occurred until it failed, in order.
    public let faults: [Simulation.Fault]

    /// The number of jobs that came from other threads; if it is not zero, the failure may not be reproducible.
    public let escapedJobs: Int

    /// The positions, in the tree of tasks, of the tasks that the first of those jobs belong to.
    public let escapedTasks: [String]

    /// The failing schedule, which `Simulation.run(replaying:)` repeats.
    public let schedule: Simulation.Schedule

    /// The number of switches, which are departures from the default order, before the schedule was minimized.
    public let originalCount: Int

    /// The number of the failing schedule in the exploration, from 1; `nil` for a seed.
    public let scheduleNumber: Int?

    /// A Boolean value that indicates whether the schedule was run again and failed in the same way.
    public let isRepeatable: Bool

    /// The tasks of the run, the body first; empty if the failure could not be repeated.
    public let tasks: [Simulation.ScheduledTask]

    /// The steps of the run, in order; empty if the failure could not be repeated.
    public let timeline: [Simulation.Step]

    let isSeeded: Bool
    /// True if it was run again, and did not fail or failed in another way.
    let hasDiffered: Bool
    /// True if one schedule of each class was run before and none failed.
    var contradictsProof = false
    let reach: Simulation.Reach

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - found: The run that failed first.
    ///   - number: The number of its schedule.
    ///   - final: A run that failed in the same way, to be reported with its timeline.
    ///   - wasRunAgain: False if the run could not be repeated.
    ///   - isSeeded: True if the seed alone repeats the run.
    init(found: RunRecord, number: Int?, final: RunRecord?, wasRunAgain: Bool = true, isSeeded: Bool) {
        let record = final ?? found
        let report = record.report
        self.seed = report.seed
        self.underlying = record.failure ?? CancellationError()
        self.trace = report.trace
        self.faults = report.faults
        self.escapedJobs = found.decided.escapes.count
        self.escapedTasks = found.decided.escapes.tasks.map(\.description)
        self.schedule = report.schedule
        self.originalCount = found.decided.log.departureCount
        self.scheduleNumber = number
        self.isRepeatable = final != nil
        self.hasDiffered = final == nil && wasRunAgain
        self.tasks = report.tasks
        self.timeline = report.timeline
        self.isSeeded = isSeeded
        self.reach = report.reach
    }
}

extension SimulationFailure: CustomStringConvertible {
    /// The error, the schedule, instructions to run it again, the tasks, the timeline and the trace.
    public var description: String {
        FailureText(self).lines.joined(separator: "\n")
    }
}
