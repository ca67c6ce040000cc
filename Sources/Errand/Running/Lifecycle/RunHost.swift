internal import ErrandLocks
package import ErrandMachines

/// A run that is parked without a task of its own.
package protocol HostedRun: AnyObject, Sendable {
    /// Goes on in a new task, made from the context of whoever calls this.
    func resumeRun()
}

/// A run that is parked until it has its turn, or has to stop: its host goes on with it then.
final class ParkedRun: Wakeable, Stoppable {
    private let run: any HostedRun
    private let host: RunHost
    private let isAwake = AtomicFlag()

    init(_ run: any HostedRun, on host: RunHost) {
        self.run = run
        self.host = host
    }

    func wake() {
        if self.isAwake.set() { self.host.push(self.run) }
    }

    func stop(_ reason: StopReason) { self.wake() }
}

/// Carries parked runs on: a task that outlives them makes their tasks when they are woken.
///
/// A task that waits costs more than a kilobyte, and requests wait by the hundred thousand. So a request that waits for
/// a slot has no task when there is one already that waits for the request: its sender, or its batch. That task takes
/// what was woken from here and makes the new task, which so has the priority, the task-local values and the executor
/// of whoever started the request, and not those of whoever happened to give the slot back.
package final class RunHost: Sendable {
    private struct State {
        var woken: [any HostedRun] = []
        var isSignalled = false
        var waiter: Waiter<Void>?
    }

    private let state = Locked(State())

    package init() {}

    /// A run was woken.
    package func push(_ run: any HostedRun) {
        self.notify { $0.woken.append(run) }
    }

    /// Something else happened that the host should look at.
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

    /// Resumes the runs that were woken so far, without waiting.
    package func resumeWoken() {
        let woken = self.state.withLock { state in
            defer { state.woken = [] }
            return state.woken
        }
        for run in woken { run.resumeRun() }
    }

    /// Waits for a push or a signal since the last call, even in a task that is cancelled, and resumes what was woken.
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

extension RunHost: Stoppable {
    package func stop(_ reason: StopReason) {
        self.signal()
    }
}
