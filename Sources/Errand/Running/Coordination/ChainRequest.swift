internal import ErrandMachines

/// One after another: each step is made from what the last one answered.
///
/// ```swift
/// let avatar = try await client.chain(Register(name: "n", password: "p"))
///     .then { GetUserInfo(userID: $0.userID) }
///     .then { GetImage($0.avatar) }
///     .value
/// ```
///
/// A step starts only after the one before it succeeded and its closure returned. When a step fails, the steps after it
/// never start, and the error names its position. A chain is used once; one that was started with ``start()`` goes on
/// whoever waits, one that began because someone asked for its ``value`` is cancelled when the last task that did was,
/// and is over then for whoever comes later.
public actor ChainRequest<Value: Sendable> {
    /// The id, unique in the process.
    public nonisolated var id: RequestID { self.run.id }
    /// The tag it was made with.
    public nonisolated var tag: String? { self.run.tag }

    private nonisolated let run: CoordinatorRun
    /// The steps that the chain was made with; the last of them gives the value.
    private nonisolated let declared: [ChainStep]
    private var steps: [ChainStep]
    private var machine: ChainMachine
    private var values: [any Sendable] = []
    /// The response of the step whose closure runs.
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

    /// Makes a chain with one more step, whose call is made from the value of this chain.
    ///
    /// This chain and the longer one are runs of their own; start the longer one. Steps that were added with
    /// ``add(_:options:then:)`` stay with this one.
    ///
    /// - Parameters:
    ///   - options: The options of this step, beside those of the chain.
    ///   - make: Makes the call.
    /// - Returns: The longer chain.
    public nonisolated func then<E: Endpoint>(
        options: RequestOptions = RequestOptions(), _ make: @escaping @Sendable (Value) async throws -> E
    ) -> ChainRequest<E.Response> {
        let step = ChainStep(options: options) { previous in
            guard let value = previous as? Value else {
                throw ErrandError(.callbackFailed, "the step before gave no \(Value.self)")
            }
            return try await make(value)
        }
        return ChainRequest<E.Response>(self.declared + [step], run: self.run.another())
    }

    /// Makes a chain whose last step gives the value of a closure when it fails; what the closure throws fails it.
    ///
    /// Cancellation is not recovered from. A second recovery is asked when the first one throws; a chain without steps
    /// has nothing to recover from.
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

    /// Adds a step at the end, also while the chain runs: from inside the closure of an earlier step, for example.
    ///
    /// The closure is called when the step succeeded, with its value and this chain; the next step waits for it. The
    /// value of the chain stays that of the steps it was made with.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/cancelled`` or ``ErrandError/Code/alreadyStarted``
    ///   when the chain is stopping or over, so that the step would never run.
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
                ErrandError(.alreadyStarted, "the chain is over; the step would never run"))
        }
    }

    // MARK: - Starting and cancelling

    /// Starts the chain; it goes on even when nobody waits.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/emptyChain`` when there is no step,
    ///   ``ErrandError/Code/alreadyStarted`` for a second start, or ``ErrandError/Code/cancelled`` when it was
    ///   cancelled before.
    public func start() async throws(ErrandError) {
        try await self.begin(isKept: true)
    }

    /// Starts the chain for code that cannot wait; one of the closures runs once on the main actor, after all hooks.
    public nonisolated func start(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (ErrandError) -> Void = { _ in }
    ) {
        self.run.notify(onSuccess, onFailure) { () async throws(ErrandError) in
            try await self.start()
            return try await self.value
        }
    }

    /// Cancels the chain and the request that runs, in whatever state it is; returns at once, from anywhere.
    ///
    /// Inside a step's closure this ends the chain as cancelled: no further step starts. A second time does nothing.
    public nonisolated func cancel() {
        _ = self.run.cancel()
    }

    // MARK: - Suspending

    /// Whether the chain is suspended.
    public nonisolated var isSuspended: Bool { self.run.lifeline.isSuspended }

    /// Suspends the chain with all its requests, those that start later too, until ``resume()``; returns at once.
    ///
    /// See ``Request/suspend()``.
    public nonisolated func suspend() { self.run.setSuspended(true) }

    /// Lets the chain and its requests go on, but for those that were suspended by themselves.
    public nonisolated func resume() { self.run.setSuspended(false) }

    // MARK: - Looking

    /// The state of the chain; ``RequestState/cached`` when all its responses came from the cache.
    public var state: RequestState { self.run.state }

    /// The state now, then each change; ends after a terminal one.
    public var states: AsyncStream<RequestState> { self.run.states }

    /// The position of the step that is being worked on, from 0; `nil` before and after.
    public var currentStep: Int? { self.machine.currentStep }

    /// The number of steps so far.
    public var stepCount: Int { self.machine.stepCount }

    // MARK: - Waiting

    /// The value of the last step the chain was made with, once the chain is over; starts the chain if need be.
    ///
    /// - Throws: The error of the step that failed, with its position in the context;
    ///   ``ErrandError/Code/emptyChain``; or ``ErrandError/Code/cancelled``.
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
            else { throw self.run.complete(ErrandError(.callbackFailed, "the chain gave no \(Value.self)")) }
            return value
        }
    }
}

// MARK: - The run

extension ChainRequest {
    private func begin(isKept: Bool = false) async throws(ErrandError) {
        // Whether it was cancelled before is decided by the lifeline, and only there; without steps there is no start.
        if self.machine.isIdle {
            let begins = self.machine.stepCount > 0 ? self.run.start() : self.run.lifeline.canStart
            if !begins { _ = self.machine.cancel() }
        }
        switch self.machine.start() {
        case .begin:
            // Before anything is awaited: a waiter that joins and leaves meanwhile must not take the chain along.
            if isKept { self.run.lifeline.keep() }
            await self.run.begin { await self.runToEnd() }
        case .empty:
            let error = ErrandError(.emptyChain, "the chain has no step: add one before it is sent")
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

    /// Brings a stop that came from outside into the machine, before it is told anything else.
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
