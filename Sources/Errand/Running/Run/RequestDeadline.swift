internal import ErrandLocks
internal import ErrandMachines
internal import Synchronization

/// A deadline of a whole request, or of a part of its way; the time for which it is suspended does not count.
final class RequestDeadline: Stoppable, Wakeable {
    private let limit: Duration
    private let begun: Duration
    private let reason: StopReason
    private let environment: RequestEnvironment
    private let lifeline: Lifeline
    private let token = Locked<DeadlineTimer.Token?>(nil)
    private let isOver = Atomic(false)

    /// Sets it, from a moment on.
    init(
        _ limit: Duration, since begun: Duration, _ environment: RequestEnvironment, stopping lifeline: Lifeline,
        because reason: StopReason
    ) {
        self.limit = limit
        self.begun = begun
        self.reason = reason
        self.environment = environment
        self.lifeline = lifeline
        self.set()
    }

    /// What it is for has come.
    func clear() {
        self.isOver.store(true, ordering: .relaxed)
        if let token = self.token.withLock({ $0.take() }) { self.environment.deadlines.clear(token) }
    }

    /// How much time is left.
    var left: Duration { self.due - self.environment.timebase.now }

    private var due: Duration {
        self.begun + self.limit.bounded
            + self.lifeline.suspendedSpells.covered(from: self.begun, to: self.environment.timebase.now)
    }

    private func set() {
        let token = self.environment.deadlines.set(self.due, stopping: self, because: self.reason)
        self.token.withLock { $0 = token }
        // It may have been cleared meanwhile.
        if self.isOver.load(ordering: .relaxed) { self.clear() }
    }

    /// The timer rings for what could have passed by now.
    func stop(_ reason: StopReason) {
        guard !self.isOver.load(ordering: .relaxed), !self.lifeline.wakeWhenResumed(self) else { return }
        if self.due <= self.environment.timebase.now { self.lifeline.stop(reason) } else { self.set() }
    }

    /// The request goes on.
    func wake() {
        if !self.isOver.load(ordering: .relaxed) { self.set() }
    }
}
