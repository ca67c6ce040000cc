/// Tracks the children of a batch: counts each child once, remembers the first failure, and ends once.
///
/// A batch ends when every child that was started has ended, so that no child outlives it. A child that was not started
/// when the batch began to stop is never started. The machine serves batches of a known size, and streamed ones whose
/// children are announced one by one and whose input ends with `inputEnded`.
package struct BatchMachine: ~Copyable {
    package enum FailurePolicy: Sendable {
        /// The first failure stops the other children and is reported.
        case failFast
        /// Every child runs to completion.
        case collectAll
    }

    package enum Conclusion: Sendable, Equatable {
        case finished
        /// The child at this index failed, and the policy is to fail fast.
        case failed(child: Int)
        case cancelled
    }

    private enum State {
        /// Created, not started. Goes to `running`, or to `ended` if cancelled.
        case idle
        /// Children are starting and ending. Goes to `stopping`, or to `ended` when the input and all children have
        /// ended.
        case running
        /// No more children are started, and running ones have been cancelled. Goes to `ended` when the last child
        /// ends.
        case stopping(Conclusion)
        /// Terminal.
        case ended(Conclusion)
    }

    private let policy: FailurePolicy
    private var state: State = .idle
    private var open = Set<Int>()
    private var isInputOver = false
    /// The number of children that have been started.
    package private(set) var startedCount = 0
    /// The number of children that have ended.
    package private(set) var endedCount = 0
    /// The child that failed first in time.
    package private(set) var firstFailure: Int?

    package init(policy: FailurePolicy) {
        self.policy = policy
    }

    /// The number of running children.
    package var openCount: Int { self.open.count }

    /// True until the batch is started or cancelled.
    package var isIdle: Bool {
        if case .idle = self.state { true } else { false }
    }

    /// True while children may be started.
    package var isRunning: Bool {
        if case .running = self.state { true } else { false }
    }

    /// The conclusion, once the batch has ended.
    package var conclusion: Conclusion? {
        guard case .ended(let conclusion) = self.state else { return nil }
        return conclusion
    }

    // MARK: - Starting

    package enum StartAction: Equatable {
        /// Start the children, announcing each with `startChild`, then call `inputEnded`.
        case begin
        /// The batch was started before: a programming error of the caller.
        case alreadyStarted
        /// The batch was cancelled before it started.
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
        /// Start the child with this index.
        case start(Int)
        /// The batch is stopping or has ended: do not start the child.
        case skip
    }

    /// Announces that a child is about to be started.
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
        /// Continue.
        case none
        /// Cancel the running children; the batch ends with the last of them.
        case stopOthers
        /// The last child has ended, and with it the batch.
        case finish(Conclusion)
    }

    /// Announces that there are no more children to start.
    ///
    /// Has no effect before the start or after the end.
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
    /// Has no effect if the child has been reported before.
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
        /// The batch never started: settle it as cancelled, without running hooks.
        case settle
        /// Cancel the running children, and call `inputEnded` once no child is being started.
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
