internal import ErrandMachines

/// All of them: several requests that run together and end together.
///
/// A batch is used once. It ends when every request that it started has ended, so nothing of it is left over. With
/// ``FailurePolicy/failFast`` the first failure cancels the others and is the one reported; with
/// ``FailurePolicy/collectAll`` each request has its own outcome. An empty batch finishes with nothing.
///
/// A batch that was started with ``start()`` goes on whoever waits. One that began because someone asked for its
/// ``value`` or ``outcomes`` is cancelled when the last task that did was cancelled, and is over then for whoever comes
/// later.
public actor BatchRequest<Value: Sendable, Outcomes: Sendable> {
    /// The id, unique in the process.
    public nonisolated var id: RequestID { self.run.id }
    /// The tag it was made with.
    public nonisolated var tag: String? { self.run.tag }

    private nonisolated let run: CoordinatorRun
    nonisolated let children: [any BatchChild]
    private nonisolated let assembleValue: @Sendable () async throws(ErrandError) -> Value
    private nonisolated let assembleOutcomes: @Sendable () async -> Outcomes

    private var machine: BatchMachine
    private var failure: FailurePolicy.FailedRequest?
    private var cachedCount = 0
    nonisolated let progressReaders = StreamReaders<AsyncStream<BatchProgress>.Continuation>()
    /// Carries children on that waited for a slot, and tells the run to look around.
    private nonisolated let host = RunHost()

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

    /// Starts the batch; it goes on even when nobody waits.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/alreadyStarted`` for a second start, or
    ///   ``ErrandError/Code/cancelled`` when it was cancelled before.
    public func start() async throws(ErrandError) {
        switch await self.begin(isKept: true) {
        case .begin: break
        case .alreadyStarted: throw self.run.startedBefore
        case .cancelled: throw self.run.cancelledBefore
        }
    }

    /// Starts the batch for code that cannot wait; one of the closures runs once on the main actor, after all hooks.
    public nonisolated func start(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (ErrandError) -> Void = { _ in }
    ) {
        self.run.notify(onSuccess, onFailure) { () async throws(ErrandError) in
            try await self.start()
            return try await self.value
        }
    }

    /// Cancels the batch and all its requests, in whatever state it is; returns at once, and may be called from anywhere.
    ///
    /// A second time does nothing.
    public nonisolated func cancel() {
        if self.run.cancel() { self.finishProgress() }
    }

    // MARK: - Suspending

    /// Whether the batch is suspended.
    public nonisolated var isSuspended: Bool { self.run.lifeline.isSuspended }

    /// Suspends the batch with all its requests, those that start later too, until ``resume()``; returns at once.
    ///
    /// See ``Request/suspend()``.
    public nonisolated func suspend() { self.run.setSuspended(true) }

    /// Lets the batch and its requests go on, but for those that were suspended by themselves.
    public nonisolated func resume() { self.run.setSuspended(false) }

    nonisolated var timebase: Timebase { self.run.environment.timebase }

    // MARK: - Looking

    /// Where the batch is in its life; ``RequestState/cached`` when all its responses came from the cache.
    public var state: RequestState { self.run.state }

    /// The state now, then each change; ends after a terminal one.
    public var states: AsyncStream<RequestState> { self.run.states }

    /// How many requests have ended.
    public var progress: BatchProgress {
        BatchProgress(finished: self.machine.endedCount, total: self.children.count)
    }

    /// The progress now, then each change; a slow reader gets the latest.
    ///
    /// Ends with the batch.
    public var progressUpdates: AsyncStream<BatchProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: BatchProgress.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(self.progress)
        let leave = self.progressReaders.add(continuation)
        continuation.onTermination = { _ in leave() }
        // Looked at last: a cancellation from elsewhere comes before that, or ends this stream with the others.
        if self.machine.conclusion != nil || self.run.lifeline.outcome != nil { continuation.finish() }
        return stream
    }

    /// The request that failed first, if one did; requests that the batch itself cancelled do not count.
    public var failedRequest: FailurePolicy.FailedRequest? { self.failure }

    /// Tells whether every request has been answered from the cache; false for an empty batch.
    public var isFromCache: Bool {
        !self.children.isEmpty && self.cachedCount == self.children.count
    }

    // MARK: - Waiting

    /// The values in input order, once all are there; starts the batch if need be.
    ///
    /// - Throws: The first failure, with the position of its request in the context; or
    ///   ``ErrandError/Code/cancelled``.
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

    /// What became of each request, in input order, once the batch is over; starts the batch if need be.
    ///
    /// Requests that had not ended when the task that waits was cancelled count as cancelled.
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
        // Whether it was cancelled before is decided there, and only there.
        if self.machine.isIdle, !self.run.start() { _ = self.machine.cancel() }
        let action = self.machine.start()
        guard action == .begin else { return action }
        // Before anything is awaited: a waiter that joins and leaves meanwhile must not take the batch along.
        if isKept { self.run.lifeline.keep() }
        await self.run.begin(stopping: self.host) { await self.runToEnd() }
        return action
    }

    private func runToEnd() async {
        await self.run.enter()
        await self.startChildren()
        self.carryOut(self.machine.inputEnded())
        // Woken by a child that has its slot, by the last child to end, and by a stop.
        while self.machine.conclusion == nil {
            await self.host.serve()
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
            case .start(let index): await child.startAsChild(of: self.host) { await self.childEnded(index, $0) }
            case .skip: child.cancel()
            }
            self.host.resumeWoken()
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
        // Told to stop, a batch does not take the end of a child for a failure of its own.
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
        case .finish: self.host.signal()
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
    /// The same error with the position of its request in a batch or chain.
    func at(_ index: Int) -> ErrandError {
        var error = self
        error.context.index = index
        return error
    }
}
