/// Why something was told to stop; the first reason stays.
package enum StopReason: Sendable, Equatable {
    case cancelled
    /// Everyone who waited for it has left.
    case abandoned
    case connectTimedOut(Duration)
    case firstByteTimedOut(Duration)
    case idleTimedOut(Duration)
    case attemptTimedOut(Duration)
    case authenticationTimedOut(Duration)
    case totalTimedOut(Duration)
    case clientShutDown

    /// How what was stopped for it ends.
    package var conclusion: RequestMachine.Conclusion {
        switch self {
        case .cancelled, .abandoned: .cancelled
        case .connectTimedOut, .firstByteTimedOut, .idleTimedOut, .attemptTimedOut: .failed
        case .authenticationTimedOut, .totalTimedOut, .clientShutDown: .failed
        }
    }
}

/// The life of one request: from idle to exactly one end, and who is interested in it.
///
/// The machine never awaits, does no I/O and reads no clock. Its owner tells it what happened and does what it answers.
///
/// A start and an end are each split in two, because hooks run in between: a request whose `willStart` hooks run is
/// still idle to the world, and one whose `willStop` hooks run still shows the state it had.
///
/// What was started for its own sake is kept. What began only because someone waited for it is stopped when the last
/// of those has left. Leaving and that are one step, as joining is: who comes before it keeps the request alive, and who
/// comes after it is told, so that nobody is cancelled because of what strangers did.
package struct RequestMachine: ~Copyable {
    /// What the world sees of a request.
    package enum Phase: UInt8, Sendable, CaseIterable {
        case idle, running, cached, finished, failed

        /// Tells whether a request in this phase never changes again.
        ///
        /// `cached` is not in here: whether it is terminal depends on whether a refresh follows.
        package var isTerminal: Bool {
            self == .finished || self == .failed
        }
    }

    /// How a request can end.
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
        /// Made, not started. Goes to `starting`, or to `ended` when it is stopped.
        case idle
        /// Started, `willStart` hooks are running. Goes to `running`.
        case starting
        /// Recorded and visible as running. Goes to `showingCached` or `ending`.
        case running
        /// Answered from the cache, a refresh is on its way. Goes back to `running`, or to `ending`.
        case showingCached
        /// The conclusion is settled, `willStop` hooks are running. Goes to `ended`.
        case ending(Conclusion, shown: Phase)
        /// Terminal.
        case ended(Conclusion)
    }

    private var state: State = .idle
    /// Why it was told to stop, if that was in time.
    package private(set) var stopReason: StopReason?
    /// It goes on even when nobody waits.
    private var isKept = false
    /// How many wait for it.
    private var waitingCount: UInt32 = 0

    package init() {}

    /// What the world sees right now.
    package var phase: Phase {
        switch self.state {
        case .idle, .starting: .idle
        case .running: .running
        case .showingCached: .cached
        case .ending(_, let shown): shown
        case .ended(let conclusion): conclusion.phase
        }
    }

    /// How it ended, once it did.
    package var conclusion: Conclusion? {
        guard case .ended(let conclusion) = self.state else { return nil }
        return conclusion
    }

    /// Tells whether `start` would begin the run.
    package var canStart: Bool {
        if case .idle = self.state { true } else { false }
    }

    // MARK: - Starting

    package enum StartAction: Equatable {
        /// Begin the one run of this request.
        case begin
        /// A run is under way or over: wait for its outcome.
        case join
    }

    /// Someone asked for the request to be sent.
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
        /// Settle the request as failed, no hook runs.
        case settle
        /// Late: it was started or stopped before.
        case none
    }

    /// The request cannot be sent at all: its endpoint could not be resolved, or its client was shut down.
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
        /// Show the world this phase.
        case publish(Phase)
        /// Late, or stopped meanwhile: there is nothing to show.
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

    // MARK: - Who is interested

    package enum JoinAction: Equatable {
        /// It stays alive for who asked.
        case stay
        /// Everyone had left it before: there is nothing to wait for.
        case tooLate
    }

    /// Someone is going to wait for the outcome.
    package mutating func join() -> JoinAction {
        guard self.stopReason != .abandoned else { return .tooLate }
        self.waitingCount += 1
        return .stay
    }

    /// It is to go on even when nobody waits.
    package mutating func keep() -> JoinAction {
        guard self.stopReason != .abandoned else { return .tooLate }
        self.isKept = true
        return .stay
    }

    package enum LeaveAction: Equatable {
        /// The last one has left what nobody keeps: carry out the stop, and see it out.
        case seeOut(StopAction)
        /// It goes on without who left.
        case none
    }

    /// Someone who waited has left before the end.
    package mutating func left() -> LeaveAction {
        self.waitingCount = self.waitingCount == 0 ? 0 : self.waitingCount - 1
        guard self.waitingCount == 0, !self.isKept else { return .none }
        return .seeOut(self.stop(.abandoned))
    }

    // MARK: - Stopping

    package enum StopAction: Equatable {
        /// The request never started: settle it as stopped, no hook runs.
        case settle
        /// Tell the run to stop; its end follows as an event.
        case stopRun
        /// Already stopping, or too late: nothing to do.
        case none
    }

    /// Someone asked for the request to be stopped.
    package mutating func stop(_ reason: StopReason) -> StopAction {
        // Who cancels what everyone has left means those, too, who might still come.
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

    // MARK: - Showing a cached answer first

    /// The cache had an answer that is shown while a newer one is fetched.
    package mutating func showedCached() -> ShowAction {
        switch self.state {
        case .running where self.stopReason == nil:
            self.state = .showingCached
            return .publish(.cached)
        case .idle, .starting, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    /// The refresh behind a cached answer is being asked for.
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
        /// Run the `willStop` hooks: it ends as it was found to.
        case end
        /// Run the `willStop` hooks: it ends as what was stopped before, whatever was found.
        case endAsStopped(StopReason)
        /// Late: the request has a conclusion already.
        case none
    }

    /// The run has an answer or an error; nothing stops it any more.
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
        /// Show the world the terminal state.
        case publish(Conclusion)
        /// Late or early: nothing to show.
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
