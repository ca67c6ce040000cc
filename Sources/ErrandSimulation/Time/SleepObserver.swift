/// Is told who wakes on a clock.
///
/// When the clock of a simulation moves, no task of the scenario runs that could be said to have woken the others: what
/// becomes ready then belongs to those who slept.
protocol SleepObserver: AnyObject, Sendable {
    /// The task that is about to sleep: the one that runs.
    var sleepingTask: Int { get }

    /// A task is about to be resumed, or, with `nil`, all have been.
    func willWake(_ task: Int?)
}
