/// Runs steps in sequence: a step starts only after the previous one succeeded and its callback returned.
///
/// Steps can be added before the chain starts and while it runs, including from the callback of a step: the chain looks
/// for a next step only once the callback has returned. Cancelling inside a callback ends the chain as cancelled, never
/// as finished.
package struct ChainMachine: ~Copyable {
    package enum Conclusion: Sendable, Equatable {
        case finished
        /// The step at this index failed.
        case failed(step: Int)
        case cancelled
        /// The chain had no steps.
        case empty
    }

    private enum State {
        /// Created, not started. Goes to `starting` or `ended`.
        case idle
        /// Started; the hooks before the first step are running. Goes to `inStep` or `ended`.
        case starting(isCancelled: Bool)
        /// The request of this step is running. Goes to `inCallback`, `inRecovery`, or `ended`.
        case inStep(Int, isCancelled: Bool)
        /// The step succeeded and its callback is running. Goes to `inStep` for the next step, or to `ended`.
        case inCallback(Int, isCancelled: Bool)
        /// The step failed and its recovery is running. Goes to `inCallback` or `ended`.
        case inRecovery(Int, isCancelled: Bool)
        /// Terminal.
        case ended(Conclusion, wasStarted: Bool)
    }

    private var state: State = .idle
    /// The number of steps so far.
    package private(set) var stepCount: Int

    package init(stepCount: Int) {
        self.stepCount = stepCount
    }

    /// True until the chain is started or ended.
    package var isIdle: Bool {
        if case .idle = self.state { true } else { false }
    }

    /// The step in progress.
    package var currentStep: Int? {
        switch self.state {
        case .inStep(let step, _), .inCallback(let step, _), .inRecovery(let step, _): step
        case .idle, .starting, .ended: nil
        }
    }

    /// The conclusion, once the chain has ended.
    package var conclusion: Conclusion? {
        guard case .ended(let conclusion, _) = self.state else { return nil }
        return conclusion
    }

    // MARK: - Adding steps and starting

    package enum AddAction: Equatable {
        /// The step was added with this index.
        case added(Int)
        /// The chain has ended or is stopping: the step would never run.
        case refused
    }

    package mutating func addStep() -> AddAction {
        switch self.state {
        case .idle, .starting(isCancelled: false), .inStep(_, isCancelled: false),
            .inCallback(_, isCancelled: false), .inRecovery(_, isCancelled: false):
            self.stepCount += 1
            return .added(self.stepCount - 1)
        case .starting, .inStep, .inCallback, .inRecovery, .ended:
            return .refused
        }
    }

    package enum StartAction: Equatable {
        /// Run the hooks, then call `entered`.
        case begin
        /// The chain has no steps: a programming error of the caller. The chain has ended.
        case empty
        /// The chain was started before: a programming error of the caller.
        case alreadyStarted
        /// The chain was cancelled before it started.
        case cancelled
    }

    package mutating func start() -> StartAction {
        switch self.state {
        case .idle where self.stepCount == 0:
            self.state = .ended(.empty, wasStarted: true)
            return .empty
        case .idle:
            self.state = .starting(isCancelled: false)
            return .begin
        case .ended(.cancelled, wasStarted: false):
            return .cancelled
        case .starting, .inStep, .inCallback, .inRecovery, .ended:
            return .alreadyStarted
        }
    }

    // MARK: - Proceeding

    package enum StepAction: Equatable {
        /// Run this step's request.
        case run(Int)
        /// Run this step's callback.
        case callback(Int)
        /// Ask this step's recovery for a replacement value.
        case recover(Int)
        /// The chain has ended.
        case finish(Conclusion)
        /// Late: no action is needed.
        case none
    }

    /// The hooks before the first step have run.
    package mutating func entered() -> StepAction {
        guard case .starting(let isCancelled) = self.state else { return .none }
        return isCancelled ? self.end(.cancelled) : self.run(0)
    }

    /// The request of a step succeeded.
    package mutating func stepSucceeded(_ step: Int) -> StepAction {
        guard case .inStep(step, let isCancelled) = self.state else { return .none }
        guard !isCancelled else { return self.end(.cancelled) }
        self.state = .inCallback(step, isCancelled: false)
        return .callback(step)
    }

    /// The request of a step failed.
    package mutating func stepFailed(_ step: Int, canRecover: Bool) -> StepAction {
        guard case .inStep(step, let isCancelled) = self.state else { return .none }
        guard !isCancelled else { return self.end(.cancelled) }
        guard canRecover else { return self.end(.failed(step: step)) }
        self.state = .inRecovery(step, isCancelled: false)
        return .recover(step)
    }

    /// The recovery of a step returned a value or failed.
    package mutating func recoveryEnded(_ step: Int, succeeded: Bool) -> StepAction {
        guard case .inRecovery(step, let isCancelled) = self.state else { return .none }
        guard !isCancelled else { return self.end(.cancelled) }
        guard succeeded else { return self.end(.failed(step: step)) }
        self.state = .inCallback(step, isCancelled: false)
        return .callback(step)
    }

    /// The callback of a step returned or threw.
    package mutating func callbackEnded(_ step: Int, succeeded: Bool) -> StepAction {
        guard case .inCallback(step, let isCancelled) = self.state else { return .none }
        guard !isCancelled else { return self.end(.cancelled) }
        guard succeeded else { return self.end(.failed(step: step)) }
        return step + 1 < self.stepCount ? self.run(step + 1) : self.end(.finished)
    }

    // MARK: - Cancelling

    package enum CancelAction: Equatable {
        /// The chain never started: settle it as cancelled, without running hooks.
        case settle
        /// Cancel the current step; its end follows as an event.
        case stopRun
        /// Already stopping, or too late.
        case none
    }

    package mutating func cancel() -> CancelAction {
        switch self.state {
        case .idle:
            self.state = .ended(.cancelled, wasStarted: false)
            return .settle
        case .starting(isCancelled: false):
            self.state = .starting(isCancelled: true)
            return .stopRun
        case .inStep(let step, isCancelled: false):
            self.state = .inStep(step, isCancelled: true)
            return .stopRun
        case .inCallback(let step, isCancelled: false):
            self.state = .inCallback(step, isCancelled: true)
            return .stopRun
        case .inRecovery(let step, isCancelled: false):
            self.state = .inRecovery(step, isCancelled: true)
            return .stopRun
        case .starting, .inStep, .inCallback, .inRecovery, .ended:
            return .none
        }
    }

    private mutating func run(_ step: Int) -> StepAction {
        self.state = .inStep(step, isCancelled: false)
        return .run(step)
    }

    private mutating func end(_ conclusion: Conclusion) -> StepAction {
        self.state = .ended(conclusion, wasStarted: true)
        return .finish(conclusion)
    }
}
