/// The life of one request: from idle to exactly one end.
///
/// The machine never awaits, does no I/O and reads no clock. Its owner tells it what happened and does what it answers.
///
/// A start and an end are each split in two, because hooks run in between: a request whose `willStart` hooks run is
/// still idle to the world, and one whose `willStop` hooks run still shows the state it had.
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
    package enum Conclusion: Sendable, Equatable {
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
        /// Made, not started. Goes to `starting`, or to `ended` when cancelled.
        case idle
        /// Started, `willStart` hooks are running. Goes to `running`.
        case starting(isCancelled: Bool)
        /// Recorded and visible as running. Goes to `showingCached` or `ending`.
        case running(isCancelled: Bool)
        /// Answered from the cache, a refresh is on its way. Goes back to `running`, or to `ending`.
        case showingCached(isCancelled: Bool)
        /// The conclusion is settled, `willStop` hooks are running. Goes to `ended`.
        case ending(Conclusion, shown: Phase)
        /// Terminal.
        case ended(Conclusion)
    }

    private var state: State = .idle

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
            self.state = .starting(isCancelled: false)
            return .begin
        case .starting, .running, .showingCached, .ending, .ended:
            return .join
        }
    }

    package enum RefuseAction: Equatable {
        /// Settle the request as failed, no hook runs.
        case settle
        /// Late: it was started or cancelled before.
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

    package enum EnterAction: Equatable {
        /// Show the world that the request runs.
        case publish(Phase)
        /// Late: the request is past this point.
        case none
    }

    /// The `willStart` hooks have run and the request is in the record.
    package mutating func entered() -> EnterAction {
        switch self.state {
        case .starting(let isCancelled):
            self.state = .running(isCancelled: isCancelled)
            return .publish(.running)
        case .idle, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    // MARK: - Cancelling

    package enum CancelAction: Equatable {
        /// The request never started: settle it as cancelled, no hook runs.
        case settle
        /// Tell the run to stop; its end follows as an event.
        case stopRun
        /// Already stopping, or too late: nothing to do.
        case none
    }

    /// Someone asked for the request to be cancelled.
    package mutating func cancel() -> CancelAction {
        switch self.state {
        case .idle:
            self.state = .ended(.cancelled)
            return .settle
        case .starting(isCancelled: false):
            self.state = .starting(isCancelled: true)
            return .stopRun
        case .running(isCancelled: false):
            self.state = .running(isCancelled: true)
            return .stopRun
        case .showingCached(isCancelled: false):
            self.state = .showingCached(isCancelled: true)
            return .stopRun
        case .starting, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    // MARK: - Showing a cached answer first

    package enum ShowAction: Equatable {
        /// Show the cached answer, then ask the network.
        case publish(Phase)
        /// Cancelled meanwhile, or late: do not show it.
        case none
    }

    /// The cache had an answer that is shown while a newer one is fetched.
    package mutating func showedCached() -> ShowAction {
        switch self.state {
        case .running(isCancelled: false):
            self.state = .showingCached(isCancelled: false)
            return .publish(.cached)
        case .idle, .starting, .running, .showingCached, .ending, .ended:
            return .none
        }
    }

    /// The refresh behind a cached answer is being asked for.
    package mutating func refreshing() -> ShowAction {
        switch self.state {
        case .showingCached(let isCancelled):
            self.state = .running(isCancelled: isCancelled)
            return .publish(.running)
        case .idle, .starting, .running, .ending, .ended:
            return .none
        }
    }

    // MARK: - Ending

    package enum ConcludeAction: Equatable {
        /// Run the `willStop` hooks. The conclusion is the one asked for, or `cancelled` when that came first.
        case stop(Conclusion)
        /// Late: the request has a conclusion already.
        case none
    }

    /// The run has an answer or an error.
    package mutating func concluded(_ conclusion: Conclusion) -> ConcludeAction {
        switch self.state {
        case .running(let isCancelled):
            return self.end(isCancelled ? .cancelled : conclusion, shown: .running)
        case .showingCached(let isCancelled):
            return self.end(isCancelled ? .cancelled : conclusion, shown: .cached)
        case .idle, .starting, .ending, .ended:
            return .none
        }
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

    private mutating func end(_ conclusion: Conclusion, shown: Phase) -> ConcludeAction {
        self.state = .ending(conclusion, shown: shown)
        return .stop(conclusion)
    }
}
