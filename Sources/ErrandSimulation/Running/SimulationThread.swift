internal import Dispatch

/// The queue on which runs are driven, one after the other.
///
/// Its thread does not belong to the cooperative pool, since a simulation may block it for long.
final class SimulationThread: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue; it is the main queue for runs that capture the main actor.
    init(reach: Simulation.Reach = .structured) {
        self.queue = reach.contains(.mainActor) ? .main : DispatchQueue(label: "errand.simulation")
    }

    /// Drives a run, and reports once if one of its jobs takes too long.
    ///
    /// - Parameters:
    ///   - executor: The executor of the run.
    ///   - timeout: The real time that one job may take.
    ///   - onBlocked: Called from another thread; the drive continues if the job ends after all.
    ///   - drive: Runs the jobs.
    func drive(
        _ executor: SimulationExecutor, timeout: Duration, onBlocked: @escaping @Sendable () -> Void,
        _ drive: @escaping @Sendable () -> Void
    ) {
        self.queue.async {
            StepWatch.shared.add(executor, timeout: timeout, onBlocked: onBlocked)
            drive()
            StepWatch.shared.remove(executor)
        }
    }
}
