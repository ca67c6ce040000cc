internal import ErrandLocks

/// Why a run was told to stop; the first reason stays.
package enum StopReason: Sendable, Equatable {
    case cancelled
    /// Everyone who waited for it has left.
    case abandoned
    case connectTimedOut(Duration)
    case firstByteTimedOut(Duration)
    case idleTimedOut(Duration)
    case attemptTimedOut(Duration)
    case totalTimedOut(Duration)
    case clientShutDown

    package var error: ErrandError {
        switch self {
        case .cancelled, .abandoned: .cancelled()
        case .connectTimedOut(let limit): ErrandError(.timedOut, "there was no connection after \(limit)")
        case .firstByteTimedOut(let limit): ErrandError(.timedOut, "there was no response after \(limit)")
        case .idleTimedOut(let limit): ErrandError(.timedOut, "nothing was sent or received for \(limit)")
        case .attemptTimedOut(let limit): ErrandError(.timedOut, "an attempt took longer than \(limit)")
        case .totalTimedOut(let limit): ErrandError(.timedOut, "the request took longer than \(limit)")
        case .clientShutDown: ErrandError(.clientShutDown, "the client was shut down")
        }
    }
}

/// Something that can be told to stop; returns at once, and does nothing a second time.
package protocol Stoppable: AnyObject, Sendable {
    func stop(_ reason: StopReason)
}

/// The part of a running actor that is reached without waiting for it: stop it, and wait for its outcome.
///
/// Work that was started for its own sake goes on whoever waits. Work that began only because someone waited for it is
/// cancelled when the last of those has left. Leaving and that are one step, as joining is: who comes before it keeps
/// the work alive, and who comes after it is told, so that nobody is cancelled because of what strangers did.
package struct Lifeline<Outcome: Sendable>: ~Copyable, Sendable {
    /// Not private: the compiler needs its layout wherever a lifeline is stored.
    struct State {
        /// The task that carries the run on.
        var task: Task<Void, Never>?
        /// Wakes the run while it is parked, with or without a task.
        var parked: (any Wakeable)?
        /// What a run without a task is waiting for, and is stopped in its place.
        var pending: (any Stoppable)?
        /// It was woken before it was parked.
        var isAwake = false
        var reason: StopReason?
        var outcome: Outcome?
        var isKept = false
        /// The outcome is decided, though not there yet: nothing stops the run any more.
        var isSettled = false
        var waiters: [Waiter<Outcome>] = []
        var waitingCount = 0

        /// Accepts the first reason to stop; what is answered has to be cancelled and woken, without the lock.
        mutating func stop(_ reason: StopReason) -> Stopped {
            // Who cancels what everyone has left means those, too, who might still come.
            if self.reason == .abandoned, reason == .cancelled || reason == .clientShutDown { self.reason = reason }
            guard self.reason == nil, self.outcome == nil, !self.isSettled else { return Stopped() }
            self.reason = reason
            return Stopped(task: self.task, parked: self.parked, pending: self.pending)
        }
    }

    /// What has to hear of a stop, outside of the lock.
    struct Stopped {
        var task: Task<Void, Never>?
        var parked: (any Wakeable)?
        var pending: (any Stoppable)?

        func carryOut(_ reason: StopReason) {
            self.task?.cancel()
            self.pending?.stop(reason)
            self.parked?.wake()
        }
    }

    private let state = Locked<State>(State())

    package init() {}

    // MARK: - Stopping

    /// Why the run was told to stop, if it was.
    package var stopReason: StopReason? {
        self.state.withLock { $0.reason }
    }

    /// Tells the run to stop by cancelling its task and waking it; returns at once.
    ///
    /// Later reasons are ignored.
    package func stop(_ reason: StopReason) {
        let stopped = self.state.withLock { $0.stop(reason) }
        stopped.carryOut(reason)
    }

    /// Answers why the run was told to stop, if it was, and refuses to hear it from now on.
    package func settle() -> StopReason? {
        self.state.withLock { state in
            state.isSettled = true
            return state.reason
        }
    }

    // MARK: - The run's side

    /// Ties the task of the run to this lifeline; a stop that came before reaches it now.
    ///
    /// - Parameters:
    ///   - task: The task that carries the run on.
    ///   - wakeable: What a stop should wake besides, when the run waits in a way that cancelling does not end.
    package func attach(_ task: Task<Void, Never>, wakingForStop wakeable: (any Wakeable)? = nil) {
        let isStopped = self.state.withLock { state in
            guard state.outcome == nil else { return false }
            state.task = task
            state.parked = wakeable
            return state.reason != nil
        }
        guard isStopped else { return }
        task.cancel()
        wakeable?.wake()
    }

    /// Whether the run has a task of its own, which a stop cancels.
    package var hasTask: Bool { self.state.withLock { $0.task != nil } }

    /// A run without a task waits for something that is stopped in its place, at once if it was told to stop before;
    /// nothing when it waits no more.
    package func setPending(_ pending: (any Stoppable)?) {
        // What was waited for is let go of outside of the lock: it may be the last one who has a function of others.
        let (reason, last) = self.state.withLock { state -> (StopReason?, (any Stoppable)?) in
            guard state.outcome == nil else { return (nil, nil) }
            let last = state.pending
            state.pending = pending
            return (state.isSettled ? nil : state.reason, last)
        }
        if let reason { pending?.stop(reason) }
        withExtendedLifetime(last) {}
    }

    /// The run waits to be woken; a stop wakes it too, and one that came before wakes it now.
    package func park(_ parked: any Wakeable) {
        let isStopped = self.state.withLock { state in
            state.task = nil
            state.parked = parked
            return state.reason != nil || state.isAwake
        }
        if isStopped { parked.wake() }
    }

    /// The run was woken; answers whether it is parked.
    ///
    /// A slot can come while the run is still on its way to be parked: then it is woken again as soon as it is.
    package func markAwake() -> Bool {
        self.state.withLock { state in
            state.isAwake = true
            return state.parked != nil
        }
    }

    /// The run goes on; answers false when it does so already.
    package func unpark() -> Bool {
        self.state.withLock { $0.parked.take() != nil }
    }

    /// The work goes on even when nobody waits; answers false when everyone had left it before.
    @discardableResult
    package func keep() -> Bool {
        self.state.withLock { state in
            guard state.reason != .abandoned else { return false }
            state.isKept = true
            return true
        }
    }

    /// Gives the outcome to all who wait and all who will.
    package func resolve(_ outcome: Outcome) {
        let waiters = self.state.withLock { state in
            guard state.outcome == nil else { return [] as [Waiter<Outcome>] }
            state.outcome = outcome
            state.task = nil
            state.parked = nil
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

    /// Counts one more who will ``wait(onEscalation:)``, from before the work is started for it.
    ///
    /// - Returns: Whether it waits for this work; not when everyone had left it before.
    @discardableResult
    package func join() -> Bool {
        self.state.withLock { state in
            guard state.reason != .abandoned else { return false }
            state.waitingCount += 1
            return true
        }
    }

    /// Waits for the outcome after a ``join()``, or answers nothing when the waiting task was cancelled.
    ///
    /// The last waiter to leave work that nobody keeps stops it and sees it out, so that nothing of it is left over;
    /// unless it is told not to, where the work might wait for who waits here.
    package func wait(
        seeingOut: Bool = true, onEscalation: @escaping @Sendable (TaskPriority) -> Void = { _ in }
    ) async -> Outcome? {
        let waiter = Waiter<Outcome>()
        if let ready = self.add(waiter) { return ready }
        let outcome = await self.passingPriority(onEscalation) { await waiter.wait() }
        if let outcome { return outcome }
        let isLast = self.leave(waiter)
        return isLast && seeingOut ? await self.waitThroughCancellation() : nil
    }

    /// One waiter leaves; answers whether it was the last one of work that nobody keeps, which is stopped then.
    private func leave(_ waiter: Waiter<Outcome>) -> Bool {
        let (isLast, stopped) = self.state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            state.waitingCount -= 1
            let isLast = state.waitingCount == 0 && !state.isKept
            return (isLast, isLast ? state.stop(.abandoned) : Stopped())
        }
        stopped.carryOut(.abandoned)
        return isLast
    }

    /// Waits for the outcome, even in a task that is cancelled.
    package func waitThroughCancellation(
        onEscalation: @escaping @Sendable (TaskPriority) -> Void = { _ in }
    ) async -> Outcome? {
        let waiter = Waiter<Outcome>()
        if let ready = self.add(waiter) { return ready }
        return await self.passingPriority(onEscalation) { await waiter.waitThroughCancellation() }
    }

    private func add(_ waiter: Waiter<Outcome>) -> Outcome? {
        self.state.withLock { state in
            guard state.outcome == nil else { return state.outcome }
            state.waiters.append(waiter)
            return nil
        }
    }

    /// While a task waits, its priority is passed on to the run.
    private func passingPriority(
        _ onEscalation: @escaping @Sendable (TaskPriority) -> Void, _ wait: () async -> Outcome?
    ) async -> Outcome? {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return await wait() }
        let task = self.state.withLock { $0.task }
        return await withTaskPriorityEscalationHandler {
            await wait()
        } onPriorityEscalated: { _, priority in
            task?.escalatePriority(to: priority)
            onEscalation(priority)
        }
    }
}
