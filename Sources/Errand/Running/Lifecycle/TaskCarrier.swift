internal import ErrandLocks
package import ErrandMachines

/// A run that is parked without a task of its own.
package protocol CarriedRun: AnyObject, Sendable {
    /// Continues in a new task, created from the context of the caller.
    func resumeRun()
}

/// A run that is parked until its turn or a stop.
///
/// Its carrier then resumes it.
final class ParkedRun: Wakeable, Stoppable {
    private let run: any CarriedRun
    private let carrier: TaskCarrier
    private let isAwake = AtomicFlag()

    init(_ run: any CarriedRun, on carrier: TaskCarrier) {
        self.run = run
        self.carrier = carrier
    }

    func wake() {
        if self.isAwake.set() { self.carrier.push(self.run) }
    }

    func stop(_ reason: StopReason) { self.wake() }
}

/// Resumes parked runs: a task that outlives them creates their tasks when they are woken.
///
/// A waiting task costs more than a kilobyte, and requests wait by the hundred thousand. A request that waits for a
/// slot therefore has no task if another task already waits for the request: its sender, or its batch. That task takes
/// woken runs from here and creates their tasks, which thus inherit the priority, the task-local values, and the
/// executor of the task that started the request, not of the one that happened to release the slot.
package final class TaskCarrier: Sendable {
    private struct State {
        var woken: [any CarriedRun] = []
        var isSignalled = false
        var waiter: Waiter<Void>?
    }

    private let state = Locked(State())

    package init() {}

    /// Adds a woken run.
    package func push(_ run: any CarriedRun) {
        self.notify { $0.woken.append(run) }
    }

    /// Wakes the carrier for another reason.
    package func signal() {
        self.notify { $0.isSignalled = true }
    }

    private func notify(_ change: (inout State) -> Void) {
        let waiter = self.state.withLock { state -> Waiter<Void>? in
            change(&state)
            return state.waiter.take()
        }
        waiter?.resume(())
    }

    /// Resumes the woken runs without waiting.
    package func resumeWoken() {
        let woken = self.state.withLock { state in
            defer { state.woken = [] }
            return state.woken
        }
        for run in woken { run.resumeRun() }
    }

    /// Waits for a push or a signal since the last call, even in a cancelled task, and resumes the woken runs.
    package func serve() async {
        let waiter = Waiter<Void>()
        let isReady = self.state.withLock { state in
            guard state.woken.isEmpty, !state.isSignalled else { return true }
            state.waiter = waiter
            return false
        }
        if !isReady { _ = await waiter.waitThroughCancellation() }
        self.state.withLock { $0.isSignalled = false }
        self.resumeWoken()
    }
}

extension TaskCarrier: Stoppable {
    package func stop(_ reason: StopReason) {
        self.signal()
    }
}
