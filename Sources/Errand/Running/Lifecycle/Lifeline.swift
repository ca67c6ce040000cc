internal import ErrandLocks
package import ErrandMachines

/// The life of a request, a batch or a chain, under one lock: where it is, why it has to stop, who waits for it and how
/// it ended.
///
/// Its machine decides, and its answers are carried out here: whoever stops it or asks for it waits for no actor.
package final class Lifeline: StopScope {
    private struct State: ~Copyable {
        var machine = RequestMachine()
        /// The task that carries the run on.
        var task: Task<Void, Never>?
        /// What the run waits for, and is stopped in its place.
        var pending: (any Stoppable)?
        /// Once all is over.
        var outcome: RunOutcome?
        var waiters: [Waiter<RunOutcome>] = []
        var streams = StateStreams()
        /// When it was started, on the client's clock.
        var startedAt = Duration.zero
        /// Where it goes to, as far as there is such a place.
        var url: HTTPURL?
        /// When it was suspended; `nil` where it never was.
        var suspension: Suspension?
        var suspensionNotices = SuspensionNotices()
        /// That of the request that has taken the place of one that everyone had left.
        ///
        /// Weak: a successor knows whose place it takes. The request that is cancelled keeps it alive.
        weak var successor: Lifeline?
        /// `true` if someone besides those who wait has to hear how a request ends.
        var hasReaders = false
        /// The outcome that is shown, once the terminal state is.
        var shownOutcome: RunOutcome?

        /// Shows where it is to all who look.
        ///
        /// - Returns: `true` if somebody has to be told of it, without the lock.
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

        /// Carries out the answer of the machine to a stop.
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

    /// The part of a change that is carried out without the lock, in this order.
    private struct Effects {
        /// The run, which is cancelled.
        var task: Task<Void, Never>?
        /// The object that the run waits for, which is stopped in its place.
        var pending: (any Stoppable)?
        var reason = StopReason.cancelled
        /// `true` if those who read the states have to be told of a new one.
        var isToldOfState = false
        /// Those who waited for the outcome, and get it.
        var waiters: [Waiter<RunOutcome>] = []
        var outcome: RunOutcome?
        /// References that are released.
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
    /// That of the batch or chain it belongs to, or of the request whose place it takes: what is suspended there is
    /// suspended here.
    private let parent: Lifeline?

    package init(under parent: Lifeline? = nil) {
        self.parent = parent
    }

    deinit {
        for reader in self.state.withLock({ $0.streams.removeAll() }) { reader.finish() }
    }

    // MARK: - Looking

    /// What the world sees of it.
    package var shown: RequestState { self.state.withLock { RequestState($0.machine.phase) } }

    /// What the world sees of it, in the record.
    func describe(_ kind: RequestActivity.Kind, _ name: String) -> WorkDescription {
        self.state.withLock {
            WorkDescription(
                kind: kind, name: name, state: RequestState($0.machine.phase), host: $0.url?.authority,
                startedAt: $0.startedAt)
        }
    }

    /// When it was started, on the client's clock.
    var startedAt: Duration { self.state.withLock { $0.startedAt } }

    /// The state now, then each change; ends after a terminal one.
    func makeStateStream() -> AsyncStream<RequestState> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestState.self)
        self.state.withLock { state in
            state.streams.add(
                continuation, showing: RequestState(state.machine.phase), isOver: state.machine.conclusion != nil)
        }
        self.tellOfStates()
        return stream
    }

    /// Tells what is still to be told, one after another and without the lock; somebody who does so already goes on.
    private func tellOfStates() {
        var isTelling = false
        while let notice = self.state.withLock({ $0.streams.next(isTelling: isTelling) }) {
            isTelling = true
            notice()
        }
    }

    /// Why the run was told to stop, if it was.
    package var stopReason: StopReason? { self.state.withLock { $0.machine.stopReason } }

    /// The outcome, once all is over.
    package var outcome: RunOutcome? { self.state.withLock { $0.outcome } }

    // MARK: - Stopping

    /// Tells the run to stop by cancelling its task and stopping what it waits for; what never began is over with that.
    ///
    /// Returns at once. Later reasons are ignored, and so is one that comes when it is settled how the run ends.
    package func stop(_ reason: StopReason) {
        self.carryOut(self.state.withLock { $0.stop($0.machine.stop(reason), reason) })
    }

    /// What a cancellation has ended by itself.
    enum Cancellation {
        /// Work that never began: it is over. Someone may read its responses, who has to be told.
        case settled(hasReaders: Bool)
        /// Work that goes on to its end, or had ended before.
        case passedOn
    }

    /// Cancels the work and what has taken its place, as its user asks; returns at once.
    ///
    /// A later call does nothing, and neither does one that comes when it is settled how the run ends. One that comes after
    /// everyone has left says to those who come later that there is nothing to come for.
    ///
    /// - Parameter error: What work that never began ends with; `nil` for the error of the reason.
    /// - Returns: Whether that was the end of it.
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

    /// Notes that someone besides those who wait has to hear of the end, whoever tells of it.
    ///
    /// - Returns: The outcome, if that shows already.
    @discardableResult
    func noteReaders() -> RunOutcome? {
        self.state.withLock { state in
            state.hasReaders = true
            return state.shownOutcome ?? state.outcome
        }
    }

    /// Says what has taken the place of work that everyone has left, so that who cancels that reaches it.
    ///
    /// - Returns: Whether it has; not when the work was stopped for good since, and there is nothing to come for.
    func giveWay(to successor: Lifeline) -> Bool {
        self.state.withLock { state in
            guard state.machine.stopReason == .abandoned else { return false }
            state.successor = successor
            return true
        }
    }

    /// Says what the run waits for; see ``StopScope``.
    package func setPending(_ pending: (any Stoppable)?) {
        // What was waited for is let go of outside of the lock: it may be the last one who has a function of others.
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

    /// Whether its transfers are held back now.
    var isSuspended: Bool {
        self.state.withLock { $0.suspension?.isSuspended ?? false } || self.parent?.isSuspended == true
    }

    /// `true` for work that was not told to stop and is not suspended.
    var mayGoOn: Bool {
        self.state.withLock { $0.machine.stopReason == nil && $0.suspension?.isSuspended != true }
            && self.parent?.isSuspended != true
    }

    /// Holds its transfers back, or lets them go on, and those of what takes its place.
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
        // Before it goes on, and may end.
        self.tellOfSuspensions()
        for waiter in waiting { waiter.wake() }
    }

    /// Says who is told of each time that it is suspended, and goes on, until it ends; at once where it is suspended now.
    func watchSuspensions(_ watcher: @escaping @Sendable (Bool) -> Void) {
        self.state.withLock { state in
            state.suspensionNotices.watch(watcher, isSuspended: state.suspension?.isSuspended == true)
        }
        self.tellOfSuspensions()
    }

    /// Tells what is still to be told, one after another and without the lock; somebody who does so already goes on.
    private func tellOfSuspensions() {
        var isTelling = false
        while let next = self.state.withLock({ $0.suspensionNotices.next(isTelling: isTelling) }) {
            isTelling = true
            next.watcher(next.isSuspended)
        }
    }

    /// That of the batch, chain or request that its user has, and suspends.
    var outermost: Lifeline { self.parent?.outermost ?? self }

    /// Wakes someone when it goes on; returns false when it is not suspended.
    func wakeWhenResumed(_ waiter: any Wakeable) -> Bool {
        self.state.withLock { $0.suspension?.wakeWhenResumed(waiter) ?? false }
            || self.parent?.wakeWhenResumed(waiter) == true
    }

    /// When it was suspended, in no order.
    var suspendedSpells: [Suspension.Spell] {
        let own = self.state.withLock { $0.suspension?.spells ?? [] }
        guard let parent else { return own }
        return own + parent.suspendedSpells
    }

    // MARK: - The run

    /// Whether the one run can still begin.
    var canStart: Bool { self.state.withLock { $0.machine.canStart } }

    /// Begins the one run.
    ///
    /// - Parameters:
    ///   - now: This moment on the client's clock, for work that is shown in the record.
    ///   - url: The URL that it goes to, as far as there is one.
    /// - Returns: `true` if it is to begin now; `false` for work that was started or stopped before.
    func start(at now: Duration = .zero, to url: HTTPURL? = nil) -> Bool {
        self.state.withLock { state in
            guard state.machine.start() == .begin else { return false }
            (state.startedAt, state.url) = (now, url)
            return true
        }
    }

    /// Notes that it goes elsewhere.
    func note(_ url: HTTPURL) { self.state.withLock { $0.url = url } }

    /// Ends what cannot be sent and so never began; late, it does nothing.
    func refuse(_ error: ErrandError) {
        let effects = self.state.withLock { state -> Effects in
            guard state.machine.refused() == .settle else { return Effects() }
            let isToldOfState = state.publish()
            return state.resolve(.failure(error), isToldOfState: isToldOfState)
        }
        self.carryOut(effects)
    }

    /// Shows that it runs.
    func enter() { self.publish { $0.entered() } }

    /// Shows that the cache answered, while a newer answer is asked for; returns false when it has to stop.
    func publishCached() -> Bool { self.publish { $0.showedCached() } }

    /// Shows that the newer answer is asked for.
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

    /// Settles how it ends: nothing stops it any more.
    ///
    /// - Returns: Why it ends as stopped, whatever was found, if it does.
    func conclude(_ conclusion: RequestMachine.Conclusion) -> StopReason? {
        self.state.withLock { state in
            state.suspensionNotices.end()
            return if case .endAsStopped(let reason) = state.machine.concluded(conclusion) { reason } else { nil }
        }
    }

    /// Shows how it ended.
    ///
    /// - Returns: Whether someone besides those who wait has to hear of that.
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

    /// Gives the outcome to all who wait and all who will: all is over.
    ///
    /// - Returns: Whether someone besides those has to hear of it.
    @discardableResult
    package func resolve(_ outcome: RunOutcome) -> Bool {
        let (effects, hasReaders) = self.state.withLock { state in
            (state.outcome == nil ? state.resolve(outcome) : Effects(), state.hasReaders)
        }
        self.carryOut(effects)
        return hasReaders
    }

    /// Ties the task of the run to this lifeline; a stop that came before reaches it now.
    ///
    /// - Parameters:
    ///   - task: The task that carries the run on.
    ///   - pending: What a stop should tell besides, when the run waits in a way that cancelling does not end.
    package func attach(_ task: Task<Void, Never>, stopping pending: (any Stoppable)? = nil) {
        let reason = self.state.withLock { state -> StopReason? in
            guard state.outcome == nil else { return nil }
            state.task = task
            // The task may be further already, and wait for something.
            if let pending { state.pending = pending }
            return state.machine.stopReason
        }
        guard let reason else { return }
        task.cancel()
        pending?.stop(reason)
    }

    // MARK: - Those who wait

    /// The work goes on even when nobody waits; returns false when everyone had left it before.
    @discardableResult
    package func keep() -> Bool { self.state.withLock { $0.machine.keep() == .stay } }

    /// Counts one more who will ``wait(seeingOut:onEscalation:)``, from before the work is started for it.
    ///
    /// - Returns: Whether it waits for this work; not when everyone had left it before.
    @discardableResult
    package func join() -> Bool { self.state.withLock { $0.machine.join() == .stay } }

    /// Waits for the outcome after a ``join()``, or returns `nil` when the waiting task was cancelled.
    ///
    /// The last waiter to leave work that nobody keeps stops it and sees it out, so that nothing of it is left over;
    /// unless it is told not to, where the work might wait for who waits here.
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

    /// One waiter leaves; returns whether it was the last one of work that nobody keeps, which is stopped then.
    private func leave(_ waiter: Waiter<RunOutcome>) -> Bool {
        let (isLast, effects) = self.state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            guard case .seeOut(let stop) = state.machine.left() else { return (false, Effects()) }
            return (true, state.stop(stop, .abandoned))
        }
        self.carryOut(effects)
        return isLast
    }

    /// Waits for the outcome, even in a task that is cancelled.
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

    /// While a task waits, its priority is passed on to the run.
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
