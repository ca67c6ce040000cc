/// Observes which tasks wake on a clock.
///
/// While the clock of a simulation moves, no task of the scenario runs that could be said to wake the sleepers: jobs
/// that become ready then belong to the sleepers themselves.
protocol SleepObserver: AnyObject, Sendable {
    /// The task that is about to sleep, which is the running one.
    var sleepingTask: Int { get }

    /// Called when a task is about to be resumed, or, with `nil`, when all have been.
    func willWake(_ task: Int?)
}
