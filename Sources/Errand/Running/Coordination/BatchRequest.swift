internal import ErrandMachines

/// A batch of requests that run concurrently and end together.
///
/// A batch is used once. It ends when every request that it started has ended, so that no request outlives it. With
/// ``FailurePolicy/failFast`` the first failure cancels the other requests and is reported; with
/// ``FailurePolicy/collectAll`` each request has its own outcome. An empty batch finishes with an empty result.
///
/// A batch that was started with ``start()`` continues without waiters. A batch that was started by reading its
/// ``value`` or ``outcomes`` is cancelled when the last task that waits for it is cancelled, and remains cancelled for
/// later readers.
public actor BatchRequest<Value: Sendable, Outcomes: Sendable> {
    /// The ID, unique in the process.
    public nonisolated var id: RequestID { self.run.id }
    /// The tag the batch was created with.
    public nonisolated var tag: String? { self.run.tag }

    private nonisolated let run: CoordinatorRun
    nonisolated let children: [any BatchChild]
    private nonisolated let assembleValue: @Sendable () async throws(ErrandError) -> Value
    private nonisolated let assembleOutcomes: @Sendable () async -> Outcomes

    private var machine: BatchMachine
    private var failure: FailurePolicy.FailedRequest?
    private var cachedCount = 0
    nonisolated let progressReaders = StreamReaders<AsyncStream<BatchProgress>.Continuation>()
    /// Resumes children that waited for a slot, and wakes the run.
    private nonisolated let carrier = TaskCarrier()

    init(
        _ children: [any BatchChild], failure policy: FailurePolicy, run: CoordinatorRun,
        value: @escaping @Sendable () async throws(ErrandError) -> Value,
        outcomes: @escaping @Sendable () async -> Outcomes
    ) {
        self.children = children
        self.run = run
        self.machine = BatchMachine(policy: policy.machine)
        self.assembleValue = value
        self.assembleOutcomes = outcomes
    }

    deinit {
        for reader in self.progressReaders.removeAll() { reader.finish() }
    }

    // MARK: - Starting and cancelling

    /// Starts the batch, which continues even without waiters.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/alreadyStarted`` for a second start, or
    ///   ``ErrandError/Code/cancelled`` if the batch was cancelled before.
    public func start() async throws(ErrandError) {
        switch await self.begin(isKept: true) {
        case .begin: break
        case .alreadyStarted: throw self.run.startedBefore
        case .cancelled: throw self.run.cancelledBefore
        }
    }

    /// Starts the batch from synchronous code.
    ///
    /// One of the closures runs once on the main actor, after all hooks.
    public nonisolated func start(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (ErrandError) -> Void = { _ in }
    ) {
        self.run.notify(onSuccess, onFailure) { () async throws(ErrandError) in
            try await self.start()
            return try await self.value
        }
    }

    /// Cancels the batch and all its requests.
    ///
    /// Returns at once, and may be called in any state and from anywhere. Further calls have no effect.
    public nonisolated func cancel() {
        if self.run.cancel() { self.finishProgress() }
    }

    // MARK: - Suspending

    /// A Boolean value that indicates whether the batch is suspended.
    public nonisolated var isSuspended: Bool { self.run.lifeline.isSuspended }

    /// Suspends the batch and all its requests, including later ones, until ``resume()``.
    ///
    /// Returns at once. See ``Request/suspend()``.
    public nonisolated func suspend() { self.run.setSuspended(true) }

    /// Resumes the batch and its requests, except those that were suspended individually.
    public nonisolated func resume() { self.run.setSuspended(false) }

    nonisolated var timebase: Timebase { self.run.environment.timebase }

    // MARK: - State

    /// The state of the batch.
    ///
    /// It is ``RequestState/cached`` if all its responses came from the cache.
    public var state: RequestState { self.run.state }

    /// The current state, then each change.
    ///
    /// Ends after a terminal state.
    public var states: AsyncStream<RequestState> { self.run.states }

    /// The progress of the batch.
    public var progress: BatchProgress {
        BatchProgress(finished: self.machine.endedCount, total: self.children.count)
    }

    /// The current progress, then each change.
    ///
    /// A slow reader gets only the latest. Ends with the batch.
    public var progressUpdates: AsyncStream<BatchProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: BatchProgress.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(self.progress)
        let leave = self.progressReaders.add(continuation)
        continuation.onTermination = { _ in leave() }
        // Checked last: a concurrent cancellation is either visible here, or ends this stream with the others.
        if self.machine.conclusion != nil || self.run.lifeline.outcome != nil { continuation.finish() }
        return stream
    }

    /// The request that failed first, if any.
    ///
    /// Requests that the batch itself cancelled do not count.
    public var failedRequest: FailurePolicy.FailedRequest? { self.failure }

    /// A Boolean value that indicates whether every response came from the cache.
    ///
    /// `false` for an empty batch.
    public var isFromCache: Bool {
        !self.children.isEmpty && self.cachedCount == self.children.count
    }

    // MARK: - Waiting

    /// The values in input order, once all are available.
    ///
    /// Starts the batch if needed.
    ///
    /// - Throws: The first failure, with the index of its request in the context; or ``ErrandError/Code/cancelled``.
    public var value: Value {
        get async throws(ErrandError) {
            guard let outcome = await self.finish() else {
                throw self.run.complete(.cancelled("the task that waited for the batch was cancelled"))
            }
            _ = try outcome.get()
            // Under `collectAll` the batch finishes although a request failed.
            if let failure = self.failure { throw failure.error }
            return try await self.assembleValue()
        }
    }

    /// The outcome of each request in input order, once the batch is over.
    ///
    /// Starts the batch if needed. Requests that have not ended when the waiting task is cancelled count as cancelled.
    public var outcomes: Outcomes {
        get async {
            _ = await self.finish()
            return await self.assembleOutcomes()
        }
    }

    private func finish() async -> RunOutcome? {
        guard !self.run.lifeline.canStart || !Task.isCancelled else { return nil }
        self.run.lifeline.join()
        if self.machine.isIdle { _ = await self.begin() }
        return await self.run.lifeline.wait { [children] priority in
            for child in children { child.raise(to: priority) }
        }
    }
}

// MARK: - The run

extension BatchRequest {
    private func begin(isKept: Bool = false) async -> BatchMachine.StartAction {
        // Only the lifeline decides whether the batch was cancelled before.
        if self.machine.isIdle, !self.run.start() { _ = self.machine.cancel() }
        let action = self.machine.start()
        guard action == .begin else { return action }
        // Before the first suspension: a waiter that joins and leaves in the meantime must not stop the batch.
        if isKept { self.run.lifeline.keep() }
        await self.run.begin(stopping: self.carrier) { await self.runToEnd() }
        return action
    }

    private func runToEnd() async {
        await self.run.enter()
        await self.startChildren()
        self.carryOut(self.machine.inputEnded())
        // Woken when a child gets its slot, when the last child ends, and by a stop.
        while self.machine.conclusion == nil {
            await self.carrier.serve()
            self.stopIfToldTo()
        }
        let outcome = self.outcome
        await self.run.leave(outcome, isFromCache: self.isFromCache)
        self.finishProgress()
    }

    private func startChildren() async {
        for child in self.children {
            self.stopIfToldTo()
            switch self.machine.startChild() {
            case .start(let index): await child.startAsChild(of: self.carrier) { await self.childEnded(index, $0) }
            case .skip: child.cancel()
            }
            self.carrier.resumeWoken()
        }
    }

    private func stopIfToldTo() {
        guard self.run.lifeline.stopReason != nil, self.machine.cancel() == .stopChildren else { return }
        self.stopChildren()
    }

    private func stopChildren() {
        let reason = self.run.lifeline.stopReason ?? .cancelled
        for child in self.children { child.stop(reason) }
    }

    private func childEnded(_ index: Int, _ end: ChildEnd) {
        // If the batch is being stopped, the end of a child does not count as its failure.
        self.stopIfToldTo()
        let isFirstFailure = self.machine.firstFailure == nil
        let action = self.machine.childEnded(index, succeeded: end.error == nil)
        if let error = end.error, isFirstFailure, self.machine.firstFailure == index {
            self.failure = FailurePolicy.FailedRequest(
                index: index, endpointName: self.children[index].endpointName, error: error.at(index))
        }
        if end.isFromCache { self.cachedCount += 1 }
        self.run.report(finished: self.machine.endedCount, total: self.children.count)
        for reader in self.progressReaders.all { reader.yield(self.progress) }
        self.carryOut(action)
    }

    private func carryOut(_ action: BatchMachine.ProgressAction) {
        switch action {
        case .none: break
        case .stopOthers: self.stopChildren()
        case .finish: self.carrier.signal()
        }
    }

    private var outcome: Result<Void, ErrandError> {
        switch self.machine.conclusion {
        case .finished?: return .success(())
        case .failed?: return .failure(self.failure?.error ?? self.run.complete(.cancelled()))
        case .cancelled?, nil:
            return .failure(self.run.complete((self.run.lifeline.stopReason ?? .cancelled).error))
        }
    }

    private nonisolated func finishProgress() {
        for reader in self.progressReaders.removeAll() { reader.finish() }
    }
}

extension ErrandError {
    /// Returns the error with the index of its request in a batch or chain.
    func at(_ index: Int) -> ErrandError {
        var error = self
        error.context.index = index
        return error
    }
}
