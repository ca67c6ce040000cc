internal import ErrandLocks

/// What a batch and a chain have in common: hooks around them, a place in the record, a state to watch, an end.
///
/// The coordinator's actor decides; this carries out the parts that are the same for both.
final class CoordinatorRun: RecordedWork {
    let id = RequestID.next()
    let kind: Activity.Kind
    let options: RequestOptions
    let environment: RequestEnvironment
    let lifeline = Lifeline<Result<Void, ErrandError>>()

    private let hooks: Hooks
    private let activity: Activity
    private let visible = Locked(Visible())

    private struct Visible {
        var state = RequestState.idle
        var startedAt = Duration.zero
        var streams = StateStreams()
    }

    init(_ kind: Activity.Kind, options: RequestOptions, environment: RequestEnvironment) {
        self.kind = kind
        self.options = options
        self.environment = environment
        self.hooks = environment.hooks(for: options)
        self.activity = Activity(id: self.id, kind: kind, options: options)
    }

    deinit {
        self.visible.withLock { $0.streams.finish() }
    }

    /// A run of its own for a coordinator that is made from this one.
    func another() -> CoordinatorRun {
        CoordinatorRun(self.kind, options: self.options, environment: self.environment)
    }

    /// Makes a request that belongs to this coordinator.
    func makeChild<E: Endpoint>(_ endpoint: E, at position: Int) -> Request<E> {
        Request(
            endpoint,
            options: RequestOptions(
                tag: self.tag, priority: self.options.priority, cacheUse: self.options.cacheUse),
            parent: ParentLink(id: self.id, position: position), environment: self.environment)
    }

    // MARK: - The run

    /// Puts it into the record and starts the task of the run.
    func begin(wakingForStop host: RunHost? = nil, _ run: @escaping @Sendable () async -> Void) async {
        let now = self.environment.timebase.now
        self.visible.withLock { $0.startedAt = now }
        // From here on whoever looks into the record finds it, and whoever cancels there reaches it.
        await self.environment.record.insert(self, self.id)
        // Unstructured: the run belongs to all who wait, and to nobody alone. Ends with the coordinator.
        self.lifeline.attach(spawn { await run() }, wakingForStop: host)
    }

    /// Before the first request: hooks, state.
    func enter() async {
        await self.hooks.willStart(self.activity)
        self.show(.running)
        await self.hooks.didStart(self.activity)
    }

    /// After the last request: hooks, state, record.
    func leave(_ outcome: Result<Void, ErrandError>, isFromCache: Bool = false) async {
        // Decided: a stop that comes now must not cancel the task that the last hooks run in.
        _ = self.lifeline.settle()
        let end = self.makeEnd(outcome, isFromCache)
        await self.hooks.willStop(self.activity, end)
        switch outcome {
        case .success: self.show(isFromCache ? .cached : .finished, isOver: true)
        case .failure: self.show(.failed, isOver: true)
        }
        await self.environment.record.remove(self.id)
        await self.hooks.didStop(self.activity, end)
        self.lifeline.resolve(outcome)
    }

    /// Ends a coordinator that never ran: no hook runs.
    func settle(_ error: ErrandError) {
        self.show(.failed, isOver: true)
        self.lifeline.resolve(.failure(self.complete(error)))
    }

    /// Waits for a value in place of code that cannot, and calls one of the closures on the main actor.
    func tell<Value: Sendable>(
        _ onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        _ onFailure: @escaping @MainActor @Sendable (ErrandError) -> Void,
        _ value: @escaping @Sendable () async throws(ErrandError) -> Value
    ) {
        // Unstructured: the caller cannot wait. Ends when one of the closures has run.
        spawn {
            do throws(ErrandError) {
                await onSuccess(try await value())
            } catch {
                await onFailure(error)
            }
        }
    }

    /// What a second start fails with.
    var startedBefore: ErrandError {
        self.complete(ErrandError(.alreadyStarted, "the \(self.kind) was started before"))
    }

    /// What a start fails with that comes too late.
    var cancelledBefore: ErrandError {
        self.complete(.cancelled("the \(self.kind) was cancelled before it was started"))
    }

    /// Tells accessories how far it has come.
    func report(finished: Int, total: Int?) {
        self.hooks.observe(.progress(finished: finished, total: total), of: self.activity)
    }

    /// Completes an error with what is known of this coordinator, unless it comes from one of its requests.
    func complete(_ error: ErrandError) -> ErrandError {
        guard error.context.requestID == nil else { return error }
        var error = error
        error.context.requestID = self.id
        error.context.endpointName = "\(self.kind)"
        return error
    }

    private func makeEnd(_ outcome: Result<Void, ErrandError>, _ isFromCache: Bool) -> ActivityEnd {
        let startedAt = self.visible.withLock { $0.startedAt }
        let result: ActivityEnd.Result
        switch outcome {
        case .success: result = isFromCache ? .cached : .finished
        case .failure(let error): result = .failed(error)
        }
        return ActivityEnd(
            result: result, head: nil, bodySize: nil, body: nil, attempts: 0,
            timings: Timings(total: self.environment.timebase.now - startedAt), trace: nil)
    }

    // MARK: - Looking

    var state: RequestState { self.visible.withLock { $0.state } }

    var states: AsyncStream<RequestState> {
        let isOver = self.lifeline.outcome != nil
        return self.visible.withLock { $0.streams.add(showing: $0.state, isOver: isOver || $0.state.isTerminal) }
    }

    private func show(_ state: RequestState, isOver: Bool = false) {
        self.visible.withLock {
            $0.state = state
            $0.streams.publish(state, isOver: isOver)
        }
    }

    // MARK: - In the record

    var tag: String? { self.options.tag }

    var isCoordinator: Bool { true }

    func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
    }

    func describe() -> WorkDescription {
        self.visible.withLock {
            WorkDescription(kind: self.kind, name: "\(self.kind)", state: $0.state, host: nil, startedAt: $0.startedAt)
        }
    }
}

extension RequestState {
    /// Tells whether a coordinator in this state is over; coordinators have no refresh behind a cached answer.
    fileprivate var isTerminal: Bool {
        switch self {
        case .idle, .running: false
        case .cached, .finished, .failed: true
        }
    }
}
