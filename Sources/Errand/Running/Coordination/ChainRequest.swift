internal import ErrandMachines

/// A chain of requests, each made from the response of the previous one.
///
/// ```swift
/// let avatar = try await client.chain(Register(name: "n", password: "p"))
///     .then { GetUserInfo(userID: $0.userID) }
///     .then { GetImage($0.avatar) }
///     .value
/// ```
///
/// A step starts only after the previous one succeeded and its closure returned. If a step fails, later steps never
/// start, and the error contains the index of the step. A chain is used once. A chain that was started with ``start()``
/// continues without waiters. A chain that was started by reading its ``value`` is cancelled when the last task that
/// waits for it is cancelled, and remains cancelled for later readers.
public actor ChainRequest<Value: Sendable> {
    /// The ID, unique in the process.
    public nonisolated var id: RequestID { self.run.id }
    /// The tag the chain was created with.
    public nonisolated var tag: String? { self.run.tag }

    private nonisolated let run: CoordinatorRun
    /// The steps that the chain was created with.
    ///
    /// The last of them provides the value.
    private nonisolated let declared: [ChainStep]
    private var steps: [ChainStep]
    private var machine: ChainMachine
    private var values: [any Sendable] = []
    /// The response of the step whose closure is running.
    private var current: (any AnyTypedResponse)?
    private var failure: ErrandError?
    private var isWhollyCached = true

    init(_ steps: [ChainStep], run: CoordinatorRun) {
        self.declared = steps
        self.steps = steps
        self.machine = ChainMachine(stepCount: steps.count)
        self.run = run
    }

    // MARK: - Building

    /// Returns a chain with one more step, whose call is made from the value of this chain.
    ///
    /// This chain and the longer one run independently; start the longer one. Steps added with ``add(_:options:then:)``
    /// belong to this chain only.
    ///
    /// - Parameters:
    ///   - options: The options of this step, in addition to those of the chain.
    ///   - make: Makes the call.
    /// - Returns: The longer chain.
    public nonisolated func then<E: Endpoint>(
        options: RequestOptions = RequestOptions(), _ make: @escaping @Sendable (Value) async throws -> E
    ) -> ChainRequest<E.Response> {
        let step = ChainStep(options: options) { previous in
            guard let value = previous as? Value else {
                throw ErrandError(.callbackFailed, "the previous step returned no \(Value.self)")
            }
            return try await make(value)
        }
        return ChainRequest<E.Response>(self.declared + [step], run: self.run.another())
    }

    /// Returns a chain whose last step provides the value of a closure if it fails.
    ///
    /// An error of the closure fails the step. Cancellation is not recoverable. If the closure throws, a second
    /// recovery is tried. Has no effect on a chain without steps.
    public nonisolated func recover(
        _ recovery: @escaping @Sendable (ErrandError) async throws -> Value
    ) -> ChainRequest<Value> {
        var steps = self.declared
        if var last = steps.popLast() {
            let earlier = last.recovery
            last.recovery = { error in
                guard let earlier else { return try await recovery(error) }
                do {
                    return try await earlier(error)
                } catch {
                    return try await recovery(ErrandError(wrapping: error, as: .callbackFailed, "a recovery failed"))
                }
            }
            steps.append(last)
        }
        return ChainRequest(steps, run: self.run.another())
    }

    /// Adds a step at the end, even while the chain runs, for example from the closure of an earlier step.
    ///
    /// The closure is called when the step has succeeded, with its value and this chain; the next step waits for it.
    /// The value of the chain remains that of the steps it was created with.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/cancelled`` or ``ErrandError/Code/alreadyStarted`` if
    ///   the chain is stopping or over, so that the step would never run.
    public func add<E: Endpoint>(
        _ endpoint: E, options: RequestOptions = RequestOptions(),
        then callback: @escaping @Sendable (E.Response, ChainRequest<Value>) async throws -> Void = { _, _ in }
    ) throws(ErrandError) {
        self.stopIfToldTo()
        switch self.machine.addStep() {
        case .added:
            self.steps.append(
                ChainStep(options: options) { _ in
                    endpoint
                } callback: { [weak self] value in
                    guard let self else { return }
                    try await callback(value, self)
                })
        case .refused:
            guard self.run.lifeline.stopReason == nil, self.machine.conclusion != .cancelled else {
                throw self.run.complete(.cancelled("the chain was cancelled; the step would never run"))
            }
            throw self.run.complete(
                ErrandError(.alreadyStarted, "the chain has ended; the step would never run"))
        }
    }

    // MARK: - Starting and cancelling

    /// Starts the chain, which continues even without waiters.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/emptyChain`` if there are no steps,
    ///   ``ErrandError/Code/alreadyStarted`` for a second start, or ``ErrandError/Code/cancelled`` if the chain was
    ///   cancelled before.
    public func start() async throws(ErrandError) {
        try await self.begin(isKept: true)
    }

    /// Starts the chain from synchronous code.
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

    /// Cancels the chain and its current request.
    ///
    /// Returns at once, and may be called in any state and from anywhere. From the closure of a step, it ends the chain
    /// as cancelled, without starting another step. Further calls have no effect.
    public nonisolated func cancel() {
        _ = self.run.cancel()
    }

    // MARK: - Suspending

    /// A Boolean value that indicates whether the chain is suspended.
    public nonisolated var isSuspended: Bool { self.run.lifeline.isSuspended }

    /// Suspends the chain and all its requests, including later ones, until ``resume()``.
    ///
    /// Returns at once. See ``Request/suspend()``.
    public nonisolated func suspend() { self.run.setSuspended(true) }

    /// Resumes the chain and its requests, except those that were suspended individually.
    public nonisolated func resume() { self.run.setSuspended(false) }

    // MARK: - State

    /// The state of the chain.
    ///
    /// It is ``RequestState/cached`` if all its responses came from the cache.
    public var state: RequestState { self.run.state }

    /// The current state, then each change.
    ///
    /// Ends after a terminal state.
    public var states: AsyncStream<RequestState> { self.run.states }

    /// The index of the step in progress, from 0; `nil` before and after.
    public var currentStep: Int? { self.machine.currentStep }

    /// The number of steps so far.
    public var stepCount: Int { self.machine.stepCount }

    // MARK: - Waiting

    /// The value of the last step the chain was created with, once the chain is over.
    ///
    /// Starts the chain if needed.
    ///
    /// - Throws: The error of the step that failed, with its index in the context; ``ErrandError/Code/emptyChain``; or
    ///   ``ErrandError/Code/cancelled``.
    public var value: Value {
        get async throws(ErrandError) {
            guard !self.run.lifeline.canStart || !Task.isCancelled else { throw self.run.complete(.cancelled()) }
            self.run.lifeline.join()
            if self.machine.isIdle { try await self.begin() }
            guard let outcome = await self.run.lifeline.wait() else {
                throw self.run.complete(.cancelled("the task that waited for the chain was cancelled"))
            }
            _ = try outcome.get()
            if let value = () as? Value, self.declared.isEmpty { return value }
            guard self.declared.count <= self.values.count, let value = self.values[self.declared.count - 1] as? Value
            else { throw self.run.complete(ErrandError(.callbackFailed, "the chain returned no \(Value.self)")) }
            return value
        }
    }
}

// MARK: - The run

extension ChainRequest {
    private func begin(isKept: Bool = false) async throws(ErrandError) {
        // Only the lifeline decides whether the chain was cancelled before. Without steps it is not started.
        if self.machine.isIdle {
            let begins = self.machine.stepCount > 0 ? self.run.start() : self.run.lifeline.canStart
            if !begins { _ = self.machine.cancel() }
        }
        switch self.machine.start() {
        case .begin:
            // Before the first suspension: a waiter that joins and leaves in the meantime must not stop the chain.
            if isKept { self.run.lifeline.keep() }
            await self.run.begin { await self.runToEnd() }
        case .empty:
            let error = ErrandError(.emptyChain, "the chain has no steps: add one before starting it")
            self.run.settle(error)
            throw self.run.complete(error)
        case .alreadyStarted: throw self.run.startedBefore
        case .cancelled: throw self.run.cancelledBefore
        }
    }

    private func runToEnd() async {
        await self.run.enter()
        self.stopIfToldTo()
        var action = self.machine.entered()
        while true {
            switch action {
            case .run(let step): action = await self.runStep(step)
            case .callback(let step): action = await self.runCallback(step)
            case .recover(let step): action = await self.runRecovery(step)
            case .finish(let conclusion):
                let outcome = self.outcome(conclusion)
                return await self.run.leave(outcome, isFromCache: self.isWhollyCached)
            case .none:
                preconditionFailure("a chain told its machine of \(action) out of turn")
            }
        }
    }

    private func runStep(_ step: Int) async -> ChainMachine.StepAction {
        let context = ChainStepContext(run: self.run, position: step)
        do {
            let response = try await self.steps[step].send(self.values.last ?? (), context)
            self.values.append(response.anyValue)
            self.isWhollyCached = self.isWhollyCached && response.source.isCache
            self.current = response
            self.stopIfToldTo()
            return self.machine.stepSucceeded(step)
        } catch {
            self.fail(step, error, "the closure that makes the call failed")
            self.stopIfToldTo()
            let canRecover = self.steps[step].recovery != nil && self.failure?.code != .cancelled
            return self.machine.stepFailed(step, canRecover: canRecover)
        }
    }

    private func runCallback(_ step: Int) async -> ChainMachine.StepAction {
        var succeeded = true
        if let callback = self.steps[step].callback, let current = self.current {
            do {
                try await callback(current)
            } catch {
                self.fail(step, error, "the closure of the step failed")
                succeeded = false
            }
        }
        self.current = nil
        self.run.report(finished: step + 1, total: self.machine.stepCount)
        self.stopIfToldTo()
        return self.machine.callbackEnded(step, succeeded: succeeded)
    }

    private func runRecovery(_ step: Int) async -> ChainMachine.StepAction {
        var succeeded = false
        if let recovery = self.steps[step].recovery, let failure = self.failure {
            do {
                self.values.append(try await recovery(failure))
                self.isWhollyCached = false
                self.failure = nil
                succeeded = true
            } catch {
                self.fail(step, error, "the recovery of the step failed")
            }
        }
        self.stopIfToldTo()
        return self.machine.recoveryEnded(step, succeeded: succeeded)
    }

    private func fail(_ step: Int, _ error: any Error, _ message: String) {
        let error = ErrandError(wrapping: error, as: .callbackFailed, message)
        self.failure = self.run.complete(error.at(step))
    }

    /// Passes an external stop to the machine before any other event.
    private func stopIfToldTo() {
        if self.run.lifeline.stopReason != nil { _ = self.machine.cancel() }
    }

    private func outcome(_ conclusion: ChainMachine.Conclusion) -> Result<Void, ErrandError> {
        switch conclusion {
        case .finished: return .success(())
        case .failed: return .failure(self.failure ?? self.run.complete(.cancelled()))
        case .cancelled, .empty:
            return .failure(self.run.complete((self.run.lifeline.stopReason ?? .cancelled).error))
        }
    }
}
