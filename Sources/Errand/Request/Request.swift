internal import ErrandMachines

/// One run of one endpoint, and everyone who waits for it.
///
/// A request is used once: it runs from ``RequestState/idle`` to one terminal state, and a second start joins the run
/// that is there. Any number of tasks may wait for it; all of them get the same outcome, at any time.
///
/// A request that was started with ``start()`` goes on whoever waits. One that began because someone asked for its
/// ``value`` goes on while anyone waits, and is cancelled when the last task that did was cancelled.
public actor Request<E: Endpoint> {
    /// What the endpoint answers.
    public typealias Value = E.Response

    /// The id, unique in the process.
    public nonisolated let id = RequestID.next()
    /// The endpoint.
    public nonisolated let endpoint: E
    /// The tag it was made with.
    public nonisolated var tag: String? { self.options.tag }
    /// What was attached to it.
    public nonisolated var userInfo: [String: any Sendable] { self.options.userInfo }

    nonisolated let options: RequestOptions
    nonisolated let parent: RequestID?
    nonisolated let environment: RequestEnvironment
    nonisolated let hooks: Hooks
    nonisolated let lifeline = Lifeline<Outcome<Value>>()

    /// What others may see without waiting for the actor.
    private nonisolated let visible = Locked(Visible())
    private var machine = RequestMachine()
    private var stateStreams = StateStreams()
    private var completions: [@Sendable (Outcome<Value>) async -> Void] = []
    /// Tells a coordinator that its child has ended; the last thing a run does.
    private var report: (@Sendable (Outcome<Value>) async -> Void)?
    var run = RunProgress()

    struct Visible {
        var state = RequestState.idle
        var host: String?
        var startedAt = Duration.zero
    }

    package init(
        _ endpoint: E, options: RequestOptions, parent: RequestID? = nil, environment: RequestEnvironment
    ) {
        self.endpoint = endpoint
        self.options = options
        self.parent = parent
        self.environment = environment
        self.hooks = environment.hooks(for: options)
    }

    // MARK: - Starting and cancelling

    /// Starts the request, or joins the run that is there; it goes on even when nobody waits.
    public func start() {
        self.lifeline.keep()
        self.begin()
    }

    /// Starts the request for code that cannot wait; the closure for its outcome runs once on the main actor.
    ///
    /// The closures run after the `willStop` hooks and before the `didStop` hooks, and are let go of then. A cancelled
    /// request calls `onFailure` with the code ``ErrandError/Code/cancelled``.
    public nonisolated func start(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (ErrandError) -> Void = { _ in }
    ) {
        // Unstructured: the caller cannot wait. Ends when the request has been started, or at once with its outcome.
        _ = spawn {
            await self.start(completing: { outcome in
                switch outcome {
                case .success(let response): await onSuccess(response.value)
                case .failure(let error): await onFailure(error)
                }
            })
        }
    }

    /// Cancels the request, in whatever state it is; returns at once. Afterwards, or a second time, it does nothing.
    ///
    /// A request that was not started fails without any hook. One that runs ends as failed with the code
    /// ``ErrandError/Code/cancelled``, unless its outcome was settled before.
    public func cancel() {
        switch self.machine.cancel() {
        case .settle: self.settle(.failure(self.complete(.cancelled())))
        case .stopRun: self.lifeline.stop(.cancelled)
        case .none: break
        }
    }

    /// Changes the place among waiting requests; without effect once the request has a slot.
    public func setPriority(_ priority: RequestPriority) async {
        self.run.priority = priority
        guard let ticket = self.run.waitingTicket else { return }
        await self.environment.scheduler.reprioritise(ticket, to: priority)
    }

    // MARK: - Looking

    /// Where the request is in its life.
    public var state: RequestState { RequestState(self.machine.phase) }

    /// The state now, then each change; ends after a terminal one.
    public var states: AsyncStream<RequestState> {
        self.stateStreams.add(showing: self.state, isOver: self.machine.conclusion != nil)
    }

    // MARK: - Waiting

    /// The value, once it is there; starts the request if need be.
    ///
    /// Cancelling the task that waits makes it leave; see ``Request`` for what becomes of the request then.
    public var value: Value {
        get async throws(ErrandError) {
            try await self.response.value
        }
    }

    /// The value with the head of the response, its source and its timings; waits like ``value``.
    public var response: TypedResponse<Value> {
        get async throws(ErrandError) {
            guard !self.machine.canStart || !Task.isCancelled else { throw self.complete(.cancelled()) }
            self.begin()
            guard let outcome = await self.lifeline.wait() else {
                throw self.complete(.cancelled("the task that waited for the request was cancelled"))
            }
            return try outcome.get()
        }
    }

    // MARK: - For coordinators

    /// Sends the request for its only user: cancelling the calling task cancels the request.
    package nonisolated func send() async -> Outcome<Value> {
        guard let task = await self.beginForSending() else {
            return self.lifeline.outcome ?? .failure(self.identify(.cancelled()))
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            self.stop(.cancelled)
        }
    }

    private func beginForSending() -> Task<Outcome<Value>, Never>? {
        if Task.isCancelled { self.cancel() }
        return self.begin()
    }

    /// Starts the request as a child: `report` is called when all of it is over.
    package func start(reporting report: @escaping @Sendable (Outcome<Value>) async -> Void) async {
        self.lifeline.keep()
        self.report = report
        if self.begin() == nil, let outcome = self.lifeline.outcome { await report(outcome) }
    }

    private func start(completing completion: @escaping @Sendable (Outcome<Value>) async -> Void) async {
        if self.machine.conclusion == nil { self.completions.append(completion) }
        self.start()
        // Refused or over: nobody will call the completion but us.
        guard let outcome = self.lifeline.outcome, self.completions.isEmpty else { return }
        await completion(outcome)
    }
}

// MARK: - The run

extension Request {
    /// Begins the one run, or answers nothing when there is none to begin.
    @discardableResult
    private func begin() -> Task<Outcome<Value>, Never>? {
        guard self.machine.canStart else { return nil }
        do throws(ErrandError) {
            guard !self.environment.isClosed else { throw StopReason.clientShutDown.error }
            self.run.request = try self.endpoint.resolve(
                baseURL: self.environment.baseURL, headers: self.environment.headers)
        } catch {
            _ = self.machine.refused()
            self.settle(.failure(self.complete(error)))
            return nil
        }
        _ = self.machine.start()
        // Unstructured: the run belongs to all who wait, and to nobody alone. Ends with the request.
        let task = spawn { await self.runToEnd() }
        self.lifeline.attach(task)
        return task
    }

    private func runToEnd() async -> Outcome<Value> {
        guard let request = self.run.request else { return .failure(self.complete(.cancelled())) }
        let startedAt = self.environment.timebase.now
        self.run.startedAt = startedAt
        self.visible.withLock {
            $0.startedAt = startedAt
            $0.host = request.url.authority
        }
        if !self.hooks.isEmpty {
            let activity = self.makeActivity(request)
            self.run.activity = activity
            await self.hooks.willStart(activity)
        }
        await self.environment.record.insert(self)
        self.enter()
        if let activity = self.run.activity { await self.hooks.didStart(activity) }
        let outcome = await self.perform(request)
        return await self.conclude(outcome)
    }

    /// From the outcome of the wire to the end of everything.
    private func conclude(_ found: Outcome<Value>) async -> Outcome<Value> {
        var outcome = found
        // A stop that was accepted before this point decides, even over an answer that came at the same time.
        if let reason = self.lifeline.stopReason {
            if reason == .cancelled { _ = self.machine.cancel() }
            outcome = .failure(self.complete(reason.error))
        }
        let conclusion: RequestMachine.Conclusion
        switch outcome {
        case .success(let response): conclusion = response.source.isCache ? .cached : .finished
        case .failure(let error): conclusion = error.code == .cancelled ? .cancelled : .failed
        }
        _ = self.machine.concluded(conclusion)
        let end = self.run.activity.map { _ in self.makeEnd(outcome) }
        if let activity = self.run.activity, let end { await self.hooks.willStop(activity, end) }
        _ = self.machine.stopped()
        self.publish()
        for completion in self.completions { await completion(outcome) }
        self.completions = []
        await self.environment.record.remove(self.id)
        if let activity = self.run.activity, let end { await self.hooks.didStop(activity, end) }
        self.lifeline.resolve(outcome)
        await self.report?(outcome)
        self.report = nil
        return outcome
    }

    /// Ends a request that never ran.
    private func settle(_ outcome: Outcome<Value>) {
        self.publish()
        self.lifeline.resolve(outcome)
    }

    private func enter() {
        guard self.machine.entered() != .none else { return }
        self.publish()
    }

    /// Shows the present state to all who look.
    private func publish() {
        let state = self.state
        self.visible.withLock { $0.state = state }
        self.stateStreams.publish(state, isOver: self.machine.conclusion != nil)
    }
}

// MARK: - In the record

extension Request: RecordedWork, DeadlineTarget {
    package nonisolated var isCoordinator: Bool { false }

    package nonisolated func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
    }

    package nonisolated func describe() -> WorkDescription {
        self.visible.withLock {
            WorkDescription(
                kind: .request, name: String(describing: E.self), state: $0.state, host: $0.host,
                startedAt: $0.startedAt)
        }
    }
}
