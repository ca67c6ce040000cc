/// All of them: counts each child once, remembers the first failure, ends once.
///
/// A batch ends when every child that was started has ended, so that nothing of it is left over; a child that was
/// not started when the batch began to stop is never started. The machine serves batches of a known size and streamed
/// ones, whose children are announced one by one and whose input ends with `inputEnded`.
package struct BatchMachine: ~Copyable {
    package enum FailurePolicy: Sendable {
        /// The first failure stops the others and is the one reported.
        case failFast
        /// Every child runs to its own end.
        case collectAll
    }

    package enum Conclusion: Sendable, Equatable {
        case finished
        /// The child at this index failed, and the policy is to fail with it.
        case failed(child: Int)
        case cancelled
    }

    private enum State {
        /// Made, not started. Goes to `running`, or to `ended` when cancelled.
        case idle
        /// Children are started and end. Goes to `stopping`, or to `ended` when the input and all children have ended.
        case running
        /// No child is started any more, those that run were told to stop. Goes to `ended` with the last of them.
        case stopping(Conclusion)
        /// Terminal.
        case ended(Conclusion)
    }

    private let policy: FailurePolicy
    private var state: State = .idle
    private var open = Set<Int>()
    private var isInputOver = false
    /// How many children have been started.
    package private(set) var startedCount = 0
    /// How many children have ended.
    package private(set) var endedCount = 0
    /// The first child that failed, in time.
    package private(set) var firstFailure: Int?

    package init(policy: FailurePolicy) {
        self.policy = policy
    }

    /// How many children run.
    package var openCount: Int { self.open.count }

    /// Tells whether it was neither started nor cancelled.
    package var isIdle: Bool {
        if case .idle = self.state { true } else { false }
    }

    /// Tells whether children may be started.
    package var isRunning: Bool {
        if case .running = self.state { true } else { false }
    }

    /// How it ended, once it did.
    package var conclusion: Conclusion? {
        guard case .ended(let conclusion) = self.state else { return nil }
        return conclusion
    }

    // MARK: - Starting

    package enum StartAction: Equatable {
        /// Start the children, announcing each with `startChild`, then say `inputEnded`.
        case begin
        /// A batch starts once: this is an error of the caller.
        case alreadyStarted
        /// It was cancelled before it started.
        case cancelled
    }

    package mutating func start() -> StartAction {
        switch self.state {
        case .idle:
            self.state = .running
            return .begin
        case .ended(.cancelled) where self.startedCount == 0 && !self.isInputOver:
            return .cancelled
        case .running, .stopping, .ended:
            return .alreadyStarted
        }
    }

    package enum ChildAction: Equatable {
        /// Start the child under this index.
        case start(Int)
        /// The batch is stopping or over: leave the child alone.
        case skip
    }

    /// A child is about to be started.
    package mutating func startChild() -> ChildAction {
        switch self.state {
        case .running:
            let index = self.startedCount
            self.startedCount += 1
            self.open.insert(index)
            return .start(index)
        case .idle, .stopping, .ended:
            return .skip
        }
    }

    package enum ProgressAction: Equatable {
        /// Go on.
        case none
        /// Cancel the children that run; the batch ends with the last of them.
        case stopOthers
        /// The last child has ended: so has the batch.
        case finish(Conclusion)
    }

    /// There are no more children to start.
    ///
    /// Before the start, or late, it does nothing.
    package mutating func inputEnded() -> ProgressAction {
        switch self.state {
        case .running, .stopping:
            self.isInputOver = true
            return self.settleIfDone()
        case .idle, .ended:
            return .none
        }
    }

    // MARK: - Ending

    /// A child ended.
    ///
    /// A second word about the same child is late and does nothing.
    package mutating func childEnded(_ index: Int, succeeded: Bool) -> ProgressAction {
        guard self.open.remove(index) != nil else { return .none }
        self.endedCount += 1
        switch self.state {
        case .running:
            if !succeeded, self.firstFailure == nil { self.firstFailure = index }
            if !succeeded, case .failFast = self.policy {
                return self.beginStopping(.failed(child: index))
            }
            return self.settleIfDone()
        case .stopping:
            return self.settleIfDone()
        case .idle, .ended:
            return .none
        }
    }

    package enum CancelAction: Equatable {
        /// It never started: settle it as cancelled, no hook runs.
        case settle
        /// Cancel the children that run, and say `inputEnded` once no child is being started.
        case stopChildren
        /// Already stopping, or too late.
        case none
    }

    package mutating func cancel() -> CancelAction {
        switch self.state {
        case .idle:
            self.state = .ended(.cancelled)
            return .settle
        case .running:
            self.state = .stopping(.cancelled)
            return .stopChildren
        case .stopping, .ended:
            return .none
        }
    }

    private mutating func beginStopping(_ conclusion: Conclusion) -> ProgressAction {
        self.state = .stopping(conclusion)
        let settled = self.settleIfDone()
        return settled == .none ? .stopOthers : settled
    }

    private mutating func settleIfDone() -> ProgressAction {
        guard self.isInputOver, self.open.isEmpty else { return .none }
        switch self.state {
        case .running:
            self.state = .ended(.finished)
            return .finish(.finished)
        case .stopping(let conclusion):
            self.state = .ended(conclusion)
            return .finish(conclusion)
        case .idle, .ended:
            return .none
        }
    }
}
