internal import ErrandLocks
internal import ErrandMachines
internal import Synchronization

/// The deadline of a whole request; the time for which that is suspended does not count.
final class TotalDeadline: Stoppable, Wakeable {
    private let limit: Duration
    private let environment: RequestEnvironment
    private let lifeline: Lifeline
    private let token = Locked<DeadlineTimer.Token?>(nil)
    private let isOver = Atomic(false)

    /// Sets it, from the start of the request on.
    init(_ limit: Duration, _ environment: RequestEnvironment, stopping lifeline: Lifeline) {
        self.limit = limit
        self.environment = environment
        self.lifeline = lifeline
        self.set()
    }

    /// The request is over, or has its response.
    func clear() {
        self.isOver.store(true, ordering: .relaxed)
        if let token = self.token.withLock({ $0.take() }) { self.environment.deadlines.clear(token) }
    }

    /// How much time is left.
    var left: Duration { self.due - self.environment.timebase.now }

    private var due: Duration {
        let started = self.lifeline.startedAt
        return started + self.limit.bounded
            + self.lifeline.suspendedSpells.covered(from: started, to: self.environment.timebase.now)
    }

    private func set() {
        let token = self.environment.deadlines.set(self.due, stopping: self, because: .totalTimedOut(self.limit))
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
