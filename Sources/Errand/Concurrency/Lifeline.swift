
/// Why a run was told to stop. The first reason stays.
package enum StopReason: Sendable, Equatable {
    case cancelled
    case attemptTimedOut(Duration)
    case totalTimedOut(Duration)
    case clientShutDown

    package var error: ErrandError {
        switch self {
        case .cancelled: .cancelled()
        case .attemptTimedOut(let limit): ErrandError(.timedOut, "an attempt took longer than \(limit)")
        case .totalTimedOut(let limit): ErrandError(.timedOut, "the request took longer than \(limit)")
        case .clientShutDown: ErrandError(.clientShutDown, "the client was shut down")
        }
    }
}

/// The part of a running actor that is reached without waiting for it: stop it, and wait for its outcome.
///
/// Work that was started for its own sake goes on whoever waits. Work that began only because someone waited for it is
/// cancelled when the last of those has left.
package struct Lifeline<Outcome: Sendable>: ~Copyable, Sendable {
    /// Not private: the compiler needs its layout wherever a lifeline is stored.
    struct State {
        var task: Task<Outcome, Never>?
        var reason: StopReason?
        var outcome: Outcome?
        var isKept = false
        var waiters: [Waiter<Outcome>] = []
        var waitingCount = 0
    }

    private let state = Locked<State>(State())

    package init() {}

    // MARK: - Stopping

    /// Why the run was told to stop, if it was.
    package var stopReason: StopReason? {
        self.state.withLock { $0.reason }
    }

    /// Tells the run to stop by cancelling its task; returns at once. Later reasons are ignored.
    package func stop(_ reason: StopReason) {
        let task = self.state.withLock { state in
            guard state.reason == nil, state.outcome == nil else { return nil as Task<Outcome, Never>? }
            state.reason = reason
            return state.task
        }
        task?.cancel()
    }

    // MARK: - The run's side

    /// Ties the task of the run to this lifeline; a stop that came before reaches it now.
    package func attach(_ task: Task<Outcome, Never>) {
        let isStopped = self.state.withLock { state in
            state.task = task
            return state.reason != nil
        }
        if isStopped { task.cancel() }
    }

    /// The work goes on even when nobody waits.
    package func keep() {
        self.state.withLock { $0.isKept = true }
    }

    /// Gives the outcome to all who wait and all who will.
    package func resolve(_ outcome: Outcome) {
        let waiters = self.state.withLock { state in
            guard state.outcome == nil else { return [] as [Waiter<Outcome>] }
            state.outcome = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(outcome) }
    }

    // MARK: - The waiters' side

    /// The outcome, if it is there.
    package var outcome: Outcome? {
        self.state.withLock { $0.outcome }
    }

    /// Waits for the outcome, or answers nothing when the waiting task was cancelled.
    ///
    /// The last waiter to leave work that nobody keeps stops it and sees it out, so that nothing of it is left over.
    /// While it waits, the priority of the waiting task is passed on to the run.
    package func wait() async -> Outcome? {
        let waiter = Waiter<Outcome>()
        let ready = self.state.withLock { state in
            if state.outcome == nil {
                state.waiters.append(waiter)
                state.waitingCount += 1
            }
            return state.outcome
        }
        if let ready { return ready }
        if let outcome = await self.waitPassingPriority(waiter) { return outcome }
        let isAbandoned = self.state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            state.waitingCount -= 1
            return state.waitingCount == 0 && !state.isKept
        }
        guard isAbandoned, let task = self.state.withLock({ $0.task }) else { return nil }
        self.stop(.cancelled)
        return await task.value
    }

    private func waitPassingPriority(_ waiter: Waiter<Outcome>) async -> Outcome? {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
            let task = self.state.withLock({ $0.task })
        else { return await waiter.wait() }
        return await withTaskPriorityEscalationHandler {
            await waiter.wait()
        } onPriorityEscalated: { _, priority in
            task.escalatePriority(to: priority)
        }
    }
}
