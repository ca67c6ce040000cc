/// A task that is cancelled when it is told to stop.
final class StoppableTask<Success: Sendable>: Stoppable {
    private let task: Task<Success, Never>

    init(_ task: Task<Success, Never>) {
        self.task = task
    }

    func stop(_ reason: StopReason) {
        self.task.cancel()
    }
}
