package import ErrandMachines

/// Something that can be told to stop; returns at once, and does nothing a second time.
package protocol Stoppable: AnyObject, Sendable {
    func stop(_ reason: StopReason)
}

/// Something that is stopped by stopping what it waits for.
package protocol StopScope: Stoppable {
    /// Why it was told to stop, if it was.
    var stopReason: StopReason? { get }
    /// Says what it waits for now, which is stopped in its place, at once if it was told to stop before; `nil` when it
    /// waits no more.
    func setPending(_ pending: (any Stoppable)?)
}

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
