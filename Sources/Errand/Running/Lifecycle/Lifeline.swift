internal import ErrandLocks
package import ErrandMachines

/// The life cycle of a request, batch, or chain under one lock: its state, stop reason, waiters, and outcome.
///
/// The machine decides, and its actions are carried out here, so that neither stopping nor waiting involves an actor.
package final class Lifeline: StopScope {
    private struct State: ~Copyable {
        var machine = RequestMachine()
        /// The task of the run.
        var task: Task<Void, Never>?
        /// The object that the run waits for, which is stopped in its place.
        var pending: (any Stoppable)?
        /// Set once everything is over.
        var outcome: RunOutcome?
        var waiters: [Waiter<RunOutcome>] = []
        var streams = StateStreams()
        /// The start time on the client's clock.
        var startedAt = Duration.zero
        /// The URL of the request, if there is one.
        var url: HTTPURL?
        /// The suspensions; `nil` if it was never suspended.
        var suspension: Suspension?
        var suspensionNotices = SuspensionNotices()
        /// The lifeline of the request that replaces this one after all waiters had left.
        ///
        /// Weak, because a successor references its predecessor. The predecessor's request keeps it alive.
        weak var successor: Lifeline?
        /// Set if there are readers besides the waiters that must be notified of the end.
        var hasReaders = false
        /// The published outcome, set with the terminal state.
        var shownOutcome: RunOutcome?

        /// Publishes the state to all streams.
        ///
        /// - Returns: True if streams must be notified outside the lock.
        mutating func publish() -> Bool {
            self.streams.note(RequestState(self.machine.phase), isOver: self.machine.conclusion != nil)
        }

        /// Ends the work.
        mutating func resolve(_ outcome: RunOutcome, isToldOfState: Bool = false) -> Effects {
            let effects = Effects(
                isToldOfState: isToldOfState, waiters: self.waiters, outcome: outcome, last: (self.task, self.pending))
            (self.outcome, self.task, self.pending, self.waiters) = (outcome, nil, nil, [])
            return effects
        }

        /// Carries out the action of the machine for a stop.
        mutating func stop(
            _ action: RequestMachine.StopAction, _ reason: StopReason, _ error: ErrandError? = nil
        ) -> Effects {
            switch action {
            case .none: return Effects()
            case .stopRun: return Effects(task: self.task, pending: self.pending, reason: reason)
            case .settle:
                let isToldOfState = self.publish()
                return self.resolve(.failure(error ?? reason.error), isToldOfState: isToldOfState)
            }
        }
    }

    /// The effects of a change that are carried out outside the lock, in this order.
    private struct Effects {
        /// The task of the run, to be cancelled.
        var task: Task<Void, Never>?
        /// The object that the run waits for, to be stopped in its place.
        var pending: (any Stoppable)?
        var reason = StopReason.cancelled
        /// True if state streams must be notified of a new state.
        var isToldOfState = false
        /// The waiters that receive the outcome.
        var waiters: [Waiter<RunOutcome>] = []
        var outcome: RunOutcome?
        /// References to be released outside the lock.
        var last: (Task<Void, Never>?, (any Stoppable)?)?
    }

    private func carryOut(_ effects: Effects) {
        effects.task?.cancel()
        effects.pending?.stop(effects.reason)
        if effects.isToldOfState { self.tellOfStates() }
        guard let outcome = effects.outcome else { return }
        for waiter in effects.waiters { waiter.resume(outcome) }
    }

    private let state = Locked<State>(State())
    /// The lifeline of the batch or chain that contains this one, or of the request that this one replaces.
    ///
    /// Suspending it suspends this one, too.
    private let parent: Lifeline?

    package init(under parent: Lifeline? = nil) {
        self.parent = parent
    }

    deinit {
        for reader in self.state.withLock({ $0.streams.removeAll() }) { reader.finish() }
    }

    // MARK: - State

    package var shown: RequestState { self.state.withLock { RequestState($0.machine.phase) } }

    /// The description of the work for the record.
    func describe(_ kind: RequestActivity.Kind, _ name: String) -> WorkDescription {
        self.state.withLock {
            WorkDescription(
                kind: kind, name: name, state: RequestState($0.machine.phase), host: $0.url?.authority,
                startedAt: $0.startedAt)
        }
    }

    /// The start time on the client's clock.
    var startedAt: Duration { self.state.withLock { $0.startedAt } }

    /// Creates a stream of the current state, then each change, which ends after a terminal state.
    func makeStateStream() -> AsyncStream<RequestState> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestState.self)
        self.state.withLock { state in
            state.streams.add(
                continuation, showing: RequestState(state.machine.phase), isOver: state.machine.conclusion != nil)
        }
        self.tellOfStates()
        return stream
    }

    /// Delivers pending notices in order and outside the lock.
    ///
    /// If another caller is delivering already, it delivers these, too.
    private func tellOfStates() {
        var isTelling = false
        while let notice = self.state.withLock({ $0.streams.next(isTelling: isTelling) }) {
            isTelling = true
            notice()
        }
    }

    /// The reason for which the run was stopped, if any.
    package var stopReason: StopReason? { self.state.withLock { $0.machine.stopReason } }

    /// The outcome, once everything is over.
    package var outcome: RunOutcome? { self.state.withLock { $0.outcome } }

    // MARK: - Stopping

    /// Stops the run by cancelling its task and stopping the object it waits for.
    ///
    /// Ends work that never began. Returns at once. Later reasons are ignored, and so is a reason given after the
    /// conclusion is settled.
    package func stop(_ reason: StopReason) {
        self.carryOut(self.state.withLock { $0.stop($0.machine.stop(reason), reason) })
    }

    /// The immediate effect of a cancellation.
    enum Cancellation {
        /// Work that never began has ended.
        ///
        /// If it has readers, they must be notified.
        case settled(hasReaders: Bool)
        /// The work continues to its end, or had ended before.
        case passedOn
    }

    /// Cancels the work and its successor on behalf of the user.
    ///
    /// Returns at once. Further calls have no effect, nor does a call after the conclusion is settled. After all
    /// waiters have left, a call also makes later waiters find the work cancelled.
    ///
    /// - Parameter error: The error of work that never began; `nil` uses the error of the reason.
    /// - Returns: Whether the cancellation ended the work.
    func cancel(failingWith error: ErrandError? = nil) -> Cancellation {
        let (effects, successor, cancellation) = self.state.withLock { state in
            let action = state.machine.stop(.cancelled)
            let isOver = action == .settle
            return (
                state.stop(action, .cancelled, error), state.successor,
                isOver ? Cancellation.settled(hasReaders: state.hasReaders) : .passedOn
            )
        }
        self.carryOut(effects)
        successor?.stop(.cancelled)
        return cancellation
    }

    /// Records that there are readers besides the waiters that must be notified of the end.
    ///
    /// - Returns: The outcome, if it has been published already.
    @discardableResult
    func noteReaders() -> RunOutcome? {
        self.state.withLock { state in
            state.hasReaders = true
            return state.shownOutcome ?? state.outcome
        }
    }

    /// Sets the successor of abandoned work, so that cancelling the work cancels the successor.
    ///
    /// - Returns: False if the work has been cancelled explicitly in the meantime, so that it must not have a
    ///   successor.
    func giveWay(to successor: Lifeline) -> Bool {
        self.state.withLock { state in
            guard state.machine.stopReason == .abandoned else { return false }
            state.successor = successor
            return true
        }
    }

    /// Sets the object that the run waits for; see ``StopScope``.
    package func setPending(_ pending: (any Stoppable)?) {
        // The previous object is released outside the lock: it may hold the last reference to user code.
        let (reason, last) = self.state.withLock { state -> (StopReason?, (any Stoppable)?) in
            guard state.outcome == nil else { return (nil, nil) }
            let last = state.pending
            state.pending = pending
            return (state.machine.stopReason, last)
        }
        if let reason { pending?.stop(reason) }
        withExtendedLifetime(last) {}
    }

    // MARK: - Suspending

    /// True while its transfers are held back.
    var isSuspended: Bool {
        self.state.withLock { $0.suspension?.isSuspended ?? false } || self.parent?.isSuspended == true
    }

    /// True if the work is neither stopped nor suspended.
    var mayGoOn: Bool {
        self.state.withLock { $0.machine.stopReason == nil && $0.suspension?.isSuspended != true }
            && self.parent?.isSuspended != true
    }

    /// Suspends or resumes its transfers, and those of its successor.
    func setSuspended(_ isSuspended: Bool, at now: Duration) {
        let waiting = self.state.withLock { state -> [any Wakeable] in
            if isSuspended != (state.suspension?.isSuspended ?? false) {
                state.suspensionNotices.note(isSuspended: isSuspended)
            }
            guard isSuspended else { return state.suspension?.resume(at: now) ?? [] }
            if state.suspension == nil { state.suspension = Suspension() }
            state.suspension?.suspend(at: now)
            return []
        }
        // Before the work resumes and may end.
        self.tellOfSuspensions()
        for waiter in waiting { waiter.wake() }
    }

    /// Sets the observer of suspensions until the end.
    ///
    /// It is called at once if the work is suspended.
    func watchSuspensions(_ watcher: @escaping @Sendable (Bool) -> Void) {
        self.state.withLock { state in
            state.suspensionNotices.watch(watcher, isSuspended: state.suspension?.isSuspended == true)
        }
        self.tellOfSuspensions()
    }

    /// Delivers pending notices in order and outside the lock.
    ///
    /// If another caller is delivering already, it delivers these, too.
    private func tellOfSuspensions() {
        var isTelling = false
        while let next = self.state.withLock({ $0.suspensionNotices.next(isTelling: isTelling) }) {
            isTelling = true
            next.watcher(next.isSuspended)
        }
    }

    /// The lifeline of the outermost batch, chain, or request, which the user can suspend.
    var outermost: Lifeline { self.parent?.outermost ?? self }

    /// Wakes a waiter when the work is resumed; returns false if it is not suspended.
    func wakeWhenResumed(_ waiter: any Wakeable) -> Bool {
        self.state.withLock { $0.suspension?.wakeWhenResumed(waiter) ?? false }
            || self.parent?.wakeWhenResumed(waiter) == true
    }

    /// The intervals during which the work was suspended, in no particular order.
    var suspensionIntervals: [Suspension.Interval] {
        let own = self.state.withLock { $0.suspension?.intervals ?? [] }
        guard let parent else { return own }
        return own + parent.suspensionIntervals
    }

    // MARK: - The run

    /// True if the run has not begun yet and still can.
    var canStart: Bool { self.state.withLock { $0.machine.canStart } }

    /// Begins the only run.
    ///
    /// - Parameters:
    ///   - now: The current time on the client's clock, for work that is shown in the record.
    ///   - url: The URL of the request, if there is one.
    /// - Returns: True if the run is to begin now; false if the work was started or stopped before.
    func start(at now: Duration = .zero, to url: HTTPURL? = nil) -> Bool {
        self.state.withLock { state in
            guard state.machine.start() == .begin else { return false }
            (state.startedAt, state.url) = (now, url)
            return true
        }
    }

    /// Records a new URL.
    func note(_ url: HTTPURL) { self.state.withLock { $0.url = url } }

    /// Fails work that cannot be sent and has not begun.
    ///
    /// Has no effect afterwards.
    func refuse(_ error: ErrandError) {
        let effects = self.state.withLock { state -> Effects in
            guard state.machine.refused() == .settle else { return Effects() }
            let isToldOfState = state.publish()
            return state.resolve(.failure(error), isToldOfState: isToldOfState)
        }
        self.carryOut(effects)
    }

    /// Publishes the running state.
    func enter() { self.publish { $0.entered() } }

    /// Publishes the cached state while a newer response is requested; returns false if the run has to stop.
    func publishCached() -> Bool { self.publish { $0.showedCached() } }

    /// Publishes the running state again while the newer response is requested.
    func refresh() { self.publish { $0.refreshing() } }

    @discardableResult
    private func publish(_ step: (inout RequestMachine) -> RequestMachine.ShowAction) -> Bool {
        let (isPublished, isToldOfState) = self.state.withLock { state in
            guard case .publish = step(&state.machine) else { return (false, false) }
            return (true, state.publish())
        }
        if isToldOfState { self.tellOfStates() }
        return isPublished
    }

    /// Settles the conclusion.
    ///
    /// The run can no longer be stopped.
    ///
    /// - Returns: The stop reason, if the run ends as stopped whatever its result.
    func conclude(_ conclusion: RequestMachine.Conclusion) -> StopReason? {
        self.state.withLock { state in
            state.suspensionNotices.end()
            return if case .endAsStopped(let reason) = state.machine.concluded(conclusion) { reason } else { nil }
        }
    }

    /// Publishes the terminal state.
    ///
    /// - Returns: True if there are readers that must be notified.
    @discardableResult
    func end(_ outcome: RunOutcome) -> Bool {
        let (hasReaders, isToldOfState) = self.state.withLock { state in
            state.shownOutcome = outcome
            guard case .publish = state.machine.stopped() else { return (state.hasReaders, false) }
            return (state.hasReaders, state.publish())
        }
        if isToldOfState { self.tellOfStates() }
        return hasReaders
    }

    /// Delivers the outcome to current and future waiters: everything is over.
    ///
    /// - Returns: True if there are readers that must be notified.
    @discardableResult
    package func resolve(_ outcome: RunOutcome) -> Bool {
        let (effects, hasReaders) = self.state.withLock { state in
            (state.outcome == nil ? state.resolve(outcome) : Effects(), state.hasReaders)
        }
        self.carryOut(effects)
        return hasReaders
    }

    /// Attaches the task of the run.
    ///
    /// An earlier stop is applied to it now.
    ///
    /// - Parameters:
    ///   - task: The task of the run.
    ///   - pending: An object to stop as well, if cancellation alone does not end the run's wait.
    package func attach(_ task: Task<Void, Never>, stopping pending: (any Stoppable)? = nil) {
        let reason = self.state.withLock { state -> StopReason? in
            guard state.outcome == nil else { return nil }
            state.task = task
            // The task may have advanced already, and be waiting for something.
            if let pending { state.pending = pending }
            return state.machine.stopReason
        }
        guard let reason else { return }
        task.cancel()
        pending?.stop(reason)
    }

    // MARK: - Waiters

    /// Lets the work continue without waiters; returns false if it had been abandoned before.
    @discardableResult
    package func keep() -> Bool { self.state.withLock { $0.machine.keep() == .stay } }

    /// Adds a waiter that will call ``wait(seeingOut:onEscalation:)``, before the work is started for it.
    ///
    /// - Returns: False if the work had been abandoned before.
    @discardableResult
    package func join() -> Bool { self.state.withLock { $0.machine.join() == .stay } }

    /// Waits for the outcome after a ``join()``; returns `nil` if the waiting task was cancelled.
    ///
    /// When the last waiter leaves work that is not kept, it stops the work and waits for its end, so that the work
    /// does not outlive it. Pass `false` for `seeingOut` if the work might itself be waiting for the waiter.
    package func wait(
        seeingOut: Bool = true, onEscalation: @escaping @Sendable (TaskPriority) -> Void = { _ in }
    ) async -> RunOutcome? {
        let waiter = Waiter<RunOutcome>()
        if let ready = self.add(waiter) { return ready }
        let outcome = await self.passingPriority(onEscalation) { await waiter.wait() }
        if let outcome { return outcome }
        let isLast = self.leave(waiter)
        return isLast && seeingOut ? await self.waitThroughCancellation() : nil
    }

    /// Removes a waiter; returns true if it was the last one of work that is not kept, which is then stopped.
    private func leave(_ waiter: Waiter<RunOutcome>) -> Bool {
        let (isLast, effects) = self.state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            guard case .seeOut(let stop) = state.machine.left() else { return (false, Effects()) }
            return (true, state.stop(stop, .abandoned))
        }
        self.carryOut(effects)
        return isLast
    }

    /// Waits for the outcome even in a cancelled task.
    private func waitThroughCancellation() async -> RunOutcome? {
        let waiter = Waiter<RunOutcome>()
        if let ready = self.add(waiter) { return ready }
        return await waiter.waitThroughCancellation()
    }

    private func add(_ waiter: Waiter<RunOutcome>) -> RunOutcome? {
        self.state.withLock { state in
            guard state.outcome == nil else { return state.outcome }
            state.waiters.append(waiter)
            return nil
        }
    }

    /// Passes priority escalations of the waiting task on to the run.
    private func passingPriority(
        _ onEscalation: @escaping @Sendable (TaskPriority) -> Void, _ wait: () async -> RunOutcome?
    ) async -> RunOutcome? {
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

extension Lifeline: TransferGate {
    package func admits(_ count: Int, _ direction: TransferProgress.Direction, waking waiter: any Wakeable) -> Bool {
        !self.wakeWhenResumed(waiter)
    }
}
