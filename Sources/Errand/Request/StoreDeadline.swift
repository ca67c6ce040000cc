/// Ends the wait for a cache that takes an answer, when the time of the whole request is over.
final class StoreDeadline: DeadlineTarget {
    private let task: Task<Void, Never>

    /// - Parameter task: What waits, and ends soon when it is cancelled.
    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    func stop(_ reason: StopReason) {
        self.task.cancel()
    }
}
