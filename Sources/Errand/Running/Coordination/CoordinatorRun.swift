internal import ErrandMachines

/// The common part of batches and chains: hooks around them, a place in the record, a state to watch, an end.
///
/// The coordinator's actor decides; this carries out the parts that are the same for both.
final class CoordinatorRun: RecordedWork {
    let id = RequestID.next()
    let kind: RequestActivity.Kind
    private let options: RequestOptions
    /// What is said of its requests.
    private let childOptions: RequestOptions
    let tag: String?
    let environment: RequestEnvironment
    let lifeline = Lifeline()

    private let watch: Watch

    init(_ kind: RequestActivity.Kind, options: RequestOptions, environment: RequestEnvironment) {
        self.kind = kind
        self.options = options
        self.environment = environment
        self.childOptions = options.forChildren
        let own = environment.currentOptions.merging(options)
        self.tag = own.value.tag
        self.watch = Watch(
            hooks: environment.hooks(for: own),
            activity: RequestActivity(id: self.id, kind: kind, tag: own.value.tag, userInfo: own.value.userInfo))
    }

    /// A run of its own for a coordinator that is made from this one.
    func another() -> CoordinatorRun {
        CoordinatorRun(self.kind, options: self.options, environment: self.environment)
    }

    /// Makes a request that belongs to this coordinator.
    func makeChild<E: Endpoint>(
        _ endpoint: E, at position: Int, options: RequestOptions = RequestOptions()
    ) -> Request<E> {
        Request(
            endpoint, options: self.childOptions.merging(options),
            parent: ParentLink(id: self.id, position: position), under: self.lifeline, environment: self.environment)
    }

    // MARK: - The run

    /// Tells whether the one run is to begin now.
    func start() -> Bool { self.lifeline.start(at: self.environment.timebase.now) }

    /// Puts it, once it has started, into the record and starts the task of the run.
    func begin(stopping host: RunHost? = nil, _ run: @escaping @Sendable () async -> Void) async {
        // From here on whoever looks into the record finds it, and whoever cancels there reaches it.
        await self.environment.record.insert(self, self.id)
        // Unstructured: the run belongs to all who wait, and to nobody alone. Ends with the coordinator.
        self.lifeline.attach(spawn { await run() }, stopping: host)
    }

    /// Before the first request: hooks, state.
    func enter() async {
        await self.lifeline.enter(telling: self.watch)
    }

    /// After the last request: hooks, state, record.
    func leave(_ found: Result<Void, ErrandError>, isFromCache: Bool = false) async {
        var outcome = found
        // From here on a stop does not cancel the task that the last hooks run in; one that was accepted before decides,
        // unless it failed anyway.
        let reason = self.lifeline.conclude(found.conclusion(isFromCache: isFromCache))
        if let reason, case .success = found { outcome = .failure(self.complete(reason.error)) }
        let ended = outcome.map { ResponseSummary.none }
        await self.lifeline.leave(with: ended, telling: self.watch) {
            self.makeEnd(outcome, isFromCache)
        } closing: { _ in
            await self.environment.record.remove(self.id)
        }
        self.lifeline.resolve(ended)
    }

    /// Cancels it; returns whether it is over with that, because it was never started.
    func cancel() -> Bool {
        if case .settled = self.lifeline.cancel(failingWith: self.cancelledBefore) { true } else { false }
    }

    /// Ends a coordinator that never ran: no hook runs.
    func settle(_ error: ErrandError) {
        self.lifeline.refuse(self.complete(error))
    }

    /// Waits for a value in place of code that cannot, and calls one of the closures on the main actor.
    func notify<Value: Sendable>(
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
        self.complete(
            ErrandError(.alreadyStarted, "the \(self.kind) was started before, and is sent once: make another one"))
    }

    /// What a start fails with that comes too late.
    var cancelledBefore: ErrandError {
        self.complete(.cancelled("the \(self.kind) was cancelled before it was started"))
    }

    /// Tells accessories how far it has come.
    func report(finished: Int, total: Int?) {
        self.watch.hooks.observe(.progress(finished: finished, total: total), of: self.watch.activity)
    }

    /// Completes an error with what is known of this coordinator, unless it comes from one of its requests.
    func complete(_ error: ErrandError) -> ErrandError {
        guard error.context.requestID == nil else { return error }
        var error = error
        error.context.requestID = self.id
        error.context.endpointName = "\(self.kind)"
        return error
    }

    private func makeEnd(_ outcome: Result<Void, ErrandError>, _ isFromCache: Bool) -> RequestActivity.End {
        let result: RequestActivity.End.Result
        switch outcome {
        case .success: result = isFromCache ? .cached : .finished
        case .failure(let error): result = .failed(error)
        }
        return RequestActivity.End(
            result: result, head: nil, bodySize: nil, body: nil, attempts: 0,
            timings: ExchangeMetrics.Timings(total: self.environment.timebase.now - self.lifeline.startedAt), trace: nil
        )
    }

    // MARK: - Looking

    var state: RequestState { self.lifeline.shown }

    var states: AsyncStream<RequestState> { self.lifeline.makeStateStream() }

    // MARK: - In the record

    var isCoordinator: Bool { true }

    func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
    }

    func setSuspended(_ isSuspended: Bool) {
        self.lifeline.setSuspended(isSuspended, at: self.environment.timebase.now)
    }

    func describe() -> WorkDescription {
        self.lifeline.describe(self.kind, "\(self.kind)")
    }
}

extension Result<Void, ErrandError> {
    fileprivate func conclusion(isFromCache: Bool) -> RequestMachine.Conclusion {
        switch self {
        case .success: isFromCache ? .cached : .finished
        case .failure: .failed
        }
    }
}
