internal import ErrandMachines

/// The common part of batches and chains: hooks, the entry in the request record, the visible state, and the end.
///
/// The coordinator's actor makes the decisions; this class carries out the parts that both have in common.
final class CoordinatorRun: RecordedWork {
    let id = RequestID.next()
    let kind: RequestActivity.Kind
    private let options: RequestOptions
    /// The options of child requests.
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

    /// Returns an independent run for a coordinator derived from this one.
    func another() -> CoordinatorRun {
        CoordinatorRun(self.kind, options: self.options, environment: self.environment)
    }

    /// Creates a request that belongs to this coordinator.
    func makeChild<E: Endpoint>(
        _ endpoint: E, at position: Int, options: RequestOptions = RequestOptions()
    ) -> Request<E> {
        Request(
            endpoint, options: self.childOptions.merging(options),
            parent: ParentLink(id: self.id, position: position), under: self.lifeline, environment: self.environment)
    }

    // MARK: - The run

    /// Starts the run; returns true if it is to begin now.
    func start() -> Bool { self.lifeline.start(at: self.environment.timebase.now) }

    /// Inserts the started run into the record, and starts its task.
    func begin(stopping carrier: TaskCarrier? = nil, _ run: @escaping @Sendable () async -> Void) async {
        // From here on, the run can be found and cancelled in the record.
        await self.environment.record.insert(self, self.id)
        // Unstructured: the run belongs to all its waiters. Ends with the coordinator.
        self.lifeline.attach(spawn { await run() }, stopping: carrier)
    }

    /// Runs the hooks and publishes the state before the first request.
    func enter() async {
        await self.lifeline.enter(telling: self.watch)
    }

    /// Runs the hooks, publishes the state, and leaves the record after the last request.
    func leave(_ found: Result<Void, ErrandError>, isFromCache: Bool = false) async {
        var outcome = found
        // From here on a stop no longer cancels the task in which the last hooks run. A stop that was accepted earlier
        // determines the outcome, unless the run failed anyway.
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

    /// Cancels the run; returns true if that ended it, because it was never started.
    func cancel() -> Bool {
        if case .settled = self.lifeline.cancel(failingWith: self.cancelledBefore) { true } else { false }
    }

    /// Ends a coordinator that never ran, without running hooks.
    func settle(_ error: ErrandError) {
        self.lifeline.refuse(self.complete(error))
    }

    /// Waits for a value on behalf of synchronous code, and calls one of the closures on the main actor.
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

    /// The error of a second start.
    var startedBefore: ErrandError {
        self.complete(
            ErrandError(.alreadyStarted, "the \(self.kind) was started before and runs only once: create another one"))
    }

    /// The error of a start after a cancellation.
    var cancelledBefore: ErrandError {
        self.complete(.cancelled("the \(self.kind) was cancelled before it was started"))
    }

    /// Reports the progress to accessories.
    func report(finished: Int, total: Int?) {
        self.watch.hooks.observe(.progress(finished: finished, total: total), of: self.watch.activity)
    }

    /// Completes an error with the details of this coordinator, unless it comes from one of its requests.
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

    // MARK: - State

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
