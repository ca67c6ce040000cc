/// The reason for stopping a request.
///
/// Only the first reason counts.
package enum StopReason: Sendable, Equatable {
    case cancelled
    /// All waiters have left.
    case abandoned
    case connectTimedOut(Duration)
    case firstByteTimedOut(Duration)
    case idleTimedOut(Duration)
    case attemptTimedOut(Duration)
    case authenticationTimedOut(Duration)
    case totalTimedOut(Duration)
    case clientShutDown

    /// The conclusion of a request that is stopped for this reason.
    package var conclusion: RequestMachine.Conclusion {
        switch self {
        case .cancelled, .abandoned: .cancelled
        case .connectTimedOut, .firstByteTimedOut, .idleTimedOut, .attemptTimedOut: .failed
        case .authenticationTimedOut, .totalTimedOut, .clientShutDown: .failed
        }
    }
}

/// The life cycle of one request, from idle to exactly one end, and its waiters.
///
/// The machine never awaits, does no I/O, and reads no clock. Its owner reports events and carries out the returned
/// actions.
///
/// Start and end are each split in two because hooks run in between: a request whose `willStart` hooks are running is
/// still idle to observers, and one whose `willStop` hooks are running still shows its previous state.
///
/// A request that was started for its own sake is kept. A request that was started only for its waiters is stopped when
/// the last of them leaves. Leaving and stopping are one step, as joining is: a waiter that joins before it keeps the
/// request alive, and one that comes after it is rejected, so that no waiter is cancelled because of unrelated ones.
package struct RequestMachine: ~Copyable {
    /// The state of a request as seen by observers.
    package enum Phase: UInt8, Sendable, CaseIterable {
        case idle, running, cached, finished, failed

        /// True if a request in this phase never changes again.
        ///
        /// False for `cached`, which is terminal only if no refresh follows.
        package var isTerminal: Bool {
            self == .finished || self == .failed
        }
    }

    /// The possible ends of a request.
    package enum Conclusion: UInt8, Sendable, Equatable {
        case finished, cached, failed, cancelled

        package var phase: Phase {
            switch self {
            case .finished: .finished
            case .cached: .cached
            case .failed, .cancelled: .failed
            }
        }
    }

    private enum State {
        /// Created, not started. Goes to `starting`, or to `ended` if stopped.
        case idle
        /// Started; `willStart` hooks are running. Goes to `running`.
        case starting
        /// Recorded and visible as running. Goes to `showingCached` or `ending`.
        case running
        /// Served from the cache while a refresh follows. Goes back to `running`, or to `ending`.
        case showingCached
        /// The conclusion is settled; `willStop` hooks are running. Goes to `ended`.
        case ending(Conclusion, shown: Phase)
        /// Terminal.
        case ended(Conclusion)
    }

    private var state: State = .idle
    /// The reason for the stop; `nil` if the request was not stopped or the stop came too late.
    package private(set) var stopReason: StopReason?
    /// Set if the request continues without waiters.
    private var isKept = false
    /// The number of waiters.
    private var waitingCount: UInt32 = 0

    package init() {}

    /// The phase as seen by observers.
    package var phase: Phase {
        switch self.state {
        case .idle, .starting: .idle
        case .running: .running
        case .showingCached: .cached
        case .ending(_, let shown): shown
        case .ended(let conclusion): conclusion.phase
        }
    }

    /// The conclusion, once the request has ended.
    package var conclusion: Conclusion? {
        guard case .ended(let conclusion) = self.state else { return nil }
        return conclusion
    }

    /// True if `start` would begin the run.
    package var canStart: Bool {
        if case .idle = self.state { true } else { false }
    }

    // MARK: - Starting

    package enum StartAction: Equatable {
        /// Begin the only run of this request.
        case begin
        /// A run is in progress or over: wait for its outcome.
        case join
    }

    /// Requests that the request be sent.
    package mutating func start() -> StartAction {
        switch self.state {
        case .idle:
            self.state = .starting
            return .begin
        case .starting, .running, .showingCached, .ending, .ended:
            return .join
        }
    }

    package enum RefuseAction: Equatable {
        /// Settle the request as failed, without running hooks.
        case settle
        /// Late: the request was started or stopped before.
        case none
    }

    /// The request cannot be sent: its endpoint could not be resolved, or its client was shut down.
    package mutating func refused() -> RefuseAction {
        switch self.state {
        case .idle:
            self.state = .ended(.failed)
            return .settle
        case .starting, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    package enum ShowAction: Equatable {
        /// Publish this phase to observers.
        case publish(Phase)
        /// Late, or stopped in the meantime: no phase is to be published.
        case none
    }

    /// The `willStart` hooks have run and the request is in the record.
    package mutating func entered() -> ShowAction {
        switch self.state {
        case .starting:
            self.state = .running
            return .publish(.running)
        case .idle, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    // MARK: - Waiters

    package enum JoinAction: Equatable {
        /// The request stays alive for the caller.
        case stay
        /// All waiters had left before: the request is being stopped.
        case tooLate
    }

    /// Adds a waiter for the outcome.
    package mutating func join() -> JoinAction {
        guard self.stopReason != .abandoned else { return .tooLate }
        self.waitingCount += 1
        return .stay
    }

    /// Lets the request continue without waiters.
    package mutating func keep() -> JoinAction {
        guard self.stopReason != .abandoned else { return .tooLate }
        self.isKept = true
        return .stay
    }

    package enum LeaveAction: Equatable {
        /// The last waiter of a request that is not kept has left: carry out the stop, and wait for the end.
        case seeOut(StopAction)
        /// The request continues.
        case none
    }

    /// A waiter left before the end.
    package mutating func left() -> LeaveAction {
        self.waitingCount = self.waitingCount == 0 ? 0 : self.waitingCount - 1
        guard self.waitingCount == 0, !self.isKept else { return .none }
        return .seeOut(self.stop(.abandoned))
    }

    // MARK: - Stopping

    package enum StopAction: Equatable {
        /// The request never started: settle it as stopped, without running hooks.
        case settle
        /// Stop the run; its end follows as an event.
        case stopRun
        /// Already stopping, or too late: no action is needed.
        case none
    }

    /// Requests that the request be stopped.
    package mutating func stop(_ reason: StopReason) -> StopAction {
        // Cancelling an abandoned request also applies to waiters that might still join.
        if self.stopReason == .abandoned, reason == .cancelled || reason == .clientShutDown { self.stopReason = reason }
        guard self.stopReason == nil else { return .none }
        switch self.state {
        case .idle:
            self.stopReason = reason
            self.state = .ended(reason.conclusion)
            return .settle
        case .starting, .running, .showingCached:
            self.stopReason = reason
            return .stopRun
        case .ending, .ended:
            return .none
        }
    }

    // MARK: - Serving a cached response first

    /// A cached response is shown while a newer one is fetched.
    package mutating func showedCached() -> ShowAction {
        switch self.state {
        case .running where self.stopReason == nil:
            self.state = .showingCached
            return .publish(.cached)
        case .idle, .starting, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    /// The refresh that follows a cached response begins.
    package mutating func refreshing() -> ShowAction {
        switch self.state {
        case .showingCached:
            self.state = .running
            return .publish(.running)
        case .idle, .starting, .running, .ending, .ended:
            return .none
        }
    }

    // MARK: - Ending

    package enum ConcludeAction: Equatable {
        /// Run the `willStop` hooks; the conclusion is the reported one.
        case end
        /// Run the `willStop` hooks; the request ends as stopped, whatever was reported.
        case endAsStopped(StopReason)
        /// Late: the request already has a conclusion.
        case none
    }

    /// The run has a response or an error and can no longer be stopped.
    package mutating func concluded(_ conclusion: Conclusion) -> ConcludeAction {
        let shown: Phase
        switch self.state {
        case .running: shown = .running
        case .showingCached: shown = .cached
        case .idle, .starting, .ending, .ended: return .none
        }
        self.state = .ending(self.stopReason?.conclusion ?? conclusion, shown: shown)
        return self.stopReason.map { .endAsStopped($0) } ?? .end
    }

    package enum StoppedAction: Equatable {
        /// Publish the terminal state to observers.
        case publish(Conclusion)
        /// Late or early: no state is to be published.
        case none
    }

    /// The `willStop` hooks have run.
    package mutating func stopped() -> StoppedAction {
        switch self.state {
        case .ending(let conclusion, _):
            self.state = .ended(conclusion)
            return .publish(conclusion)
        case .idle, .starting, .running, .showingCached, .ended:
            return .none
        }
    }
}
