package import ErrandMachines

/// An object that can be stopped; stopping returns at once, and has no effect a second time.
package protocol Stoppable: AnyObject, Sendable {
    func stop(_ reason: StopReason)
}

/// An object that is stopped by stopping what it waits for.
package protocol StopScope: Stoppable {
    /// The reason for which it was stopped, if it was.
    var stopReason: StopReason? { get }
    /// Sets the object it waits for, which is stopped in its place, or at once if it has already been stopped; `nil`
    /// when it no longer waits.
    func setPending(_ pending: (any Stoppable)?)
}

/// A task that is cancelled when it is stopped.
final class StoppableTask<Success: Sendable>: Stoppable {
    private let task: Task<Success, Never>

    init(_ task: Task<Success, Never>) {
        self.task = task
    }

    func stop(_ reason: StopReason) {
        self.task.cancel()
    }
}
