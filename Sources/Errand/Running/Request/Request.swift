package import ErrandMachines

/// One run of an endpoint, shared by all tasks that wait for it.
///
/// A request is used once: it goes from ``RequestState/idle`` to one terminal state, and a second start joins the
/// existing run. Any number of tasks may wait for it, at any time; all of them get the same outcome.
///
/// A request that was started with ``start()`` continues without waiters. A request that was started by reading its
/// ``value`` continues while a task waits for it, and is cancelled when the last waiting task is cancelled. Later
/// waiters share a new run: a request of its own, with its own ID, that replaces this one. Only ``cancel()`` cancels
/// the request for all waiters.
public actor Request<E: Endpoint> {
    /// The response type of the endpoint.
    public typealias Value = E.Response

    /// The ID, unique in the process.
    public nonisolated let id: RequestID
    /// The endpoint.
    public nonisolated let endpoint: E
    /// The tag the request was created with.
    public nonisolated var tag: String? { self.shared.value.tag }
    /// The values attached to the request.
    public nonisolated var userInfo: [String: any Sendable] { self.shared.value.userInfo }

    /// The options of the request.
    package nonisolated let shared: SharedOptions
    /// The options of the endpoint and the call; `nil` if the client's defaults are not merged again at the start.
    nonisolated let said: RequestOptions?
    nonisolated let lifeline: Lifeline
    nonisolated let environment: RequestEnvironment
    nonisolated let parent: ParentLink?
    /// The hooks of a request that is shared by other requests; `nil` uses those of its options.
    nonisolated let hooks: Hooks?
    /// The terms of the call as known so far, merged from the client, the endpoint, and the call.
    var terms: RequestTerms
    /// The only run, once it has begun.
    var run: RequestRun?
    /// The value, once it is decoded.
    var decoded: Value?
    /// The priority set before the run, if any.
    var priority: RequestPriority?
    /// Accessories that were added before the run.
    var watchers: [any Accessory] = []
    /// Closures to call with the outcome once the terminal state is published.
    private var completions: [@Sendable (RunOutcome) async -> Void] = []
    /// Reports the end of a child to its coordinator, as the last action of a run.
    var report: (@Sendable (RunOutcome) async -> Void)?
    /// The streams of responses, created when first needed.
    var responseStreams: ResponseStreams<Value>?
    /// The request that replaces this one after all waiters had left.
    private var successor: Request<E>?

    /// Always inlined: a caller that knows the type statically knows its metadata, too.
    @inline(__always)
    package init(
        _ endpoint: E, options: RequestOptions, parent: ParentLink? = nil, under coordinator: Lifeline? = nil,
        environment: RequestEnvironment
    ) {
        let said = endpoint.options.merging(options)
        self.init(
            endpoint, on: environment.terms(saying: said), said: said, parent: parent, under: coordinator,
            environment: environment)
    }

    @inline(__always)
    init(
        _ endpoint: E, on terms: RequestTerms, said: RequestOptions? = nil, parent: ParentLink? = nil,
        under coordinator: Lifeline? = nil,
        hooks: Hooks? = nil, priority: RequestPriority? = nil, environment: RequestEnvironment
    ) {
        self.id = RequestID.next()
        self.endpoint = endpoint
        self.shared = terms.options
        self.terms = terms
        self.said = said
        self.parent = parent
        self.hooks = hooks
        self.priority = priority
        self.environment = environment
        self.lifeline = Lifeline(under: coordinator)
    }

    // MARK: - Starting and cancelling

    /// Starts the request, or joins the existing run.
    ///
    /// The request continues even without waiters.
    public func start() async {
        await self.kept().begin()
    }

    /// Starts the request from synchronous code.
    ///
    /// The closure for its outcome runs once on the main actor. The closures run after the `willStop` hooks and before
    /// the `didStop` hooks, and are then released. A cancelled request calls `onFailure` with the code
    /// ``ErrandError/Code/cancelled``.
    public nonisolated func start(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (ErrandError) -> Void = { _ in }
    ) {
        // Unstructured: the caller cannot wait. Ends when the request has been started, or at once with its outcome.
        spawn {
            await self.kept().start(completing: { outcome in
                switch outcome {
                case .success(let response): await onSuccess(response.value)
                case .failure(let error): await onFailure(error)
                }
            })
        }
    }

    /// Cancels the request.
    ///
    /// Returns at once, and may be called in any state and from anywhere. Has no effect after the end, or when called
    /// again.
    ///
    /// A request that was not started fails without running hooks. A running request fails with the code
    /// ``ErrandError/Code/cancelled``, unless its outcome was settled before.
    public nonisolated func cancel() {
        guard case .settled(hasReaders: true) = self.lifeline.cancel() else { return }
        // Unstructured: the caller does not wait. Ends when the readers of responses have been notified.
        spawn { await self.endResponseStreams() }
    }

    /// Changes the priority among waiting requests.
    ///
    /// Has no effect once the request has a slot.
    public func setPriority(_ priority: RequestPriority) async {
        self.priority = priority
        self.run?.setPriority(priority)
        await self.successor?.setPriority(priority)
    }

    // MARK: - Suspending

    /// A Boolean value that indicates whether the request is suspended, by itself or with its batch or chain.
    public nonisolated var isSuspended: Bool { self.lifeline.isSuspended }

    /// Suspends the request, before or after its start, until ``resume()``.
    ///
    /// Returns at once. No further exchange is started for it, and in an exchange in progress no bytes of a body are
    /// transferred in either direction, so that the server is held back. Its deadlines are paused. It keeps its slot
    /// and its connection if it has them, and gets no slot otherwise. Completely received responses are delivered, and
    /// so are cached responses. Cancelling ends the request as always.
    ///
    /// If the connection does not survive the suspension, the request behaves as after any lost connection: a resumable
    /// download (``DownloadResumption``) requests the rest, other requests fail. A suspended request, with everything it
    /// holds, outlives the release of its client: cancel it.
    public nonisolated func suspend() {
        self.lifeline.setSuspended(true, at: self.timebase.now)
    }

    /// Resumes the request after ``suspend()``.
    ///
    /// Has no effect otherwise.
    public nonisolated func resume() {
        self.lifeline.setSuspended(false, at: self.timebase.now)
    }

    nonisolated var timebase: Timebase { self.environment.timebase }

    /// Adds an accessory, which observes all later events.
    func watch(with accessory: any Accessory) async {
        if let successor { return await successor.watch(with: accessory) }
        self.watchers.append(accessory)
        self.run?.watch(with: accessory)
    }

    package nonisolated func setSuspended(_ isSuspended: Bool) {
        // Suspend the outermost work: a user can only resume the request, batch, or chain that the user holds.
        self.lifeline.outermost.setSuspended(isSuspended, at: self.timebase.now)
    }

    // MARK: - State

    /// The state of the request.
    public var state: RequestState {
        get async {
            guard let successor else { return self.lifeline.shown }
            return await successor.state
        }
    }

    /// A Boolean value that indicates whether the request waits for a network, as set by
    /// ``ConnectivityPolicy/wait(upTo:)``.
    ///
    /// Its ``state`` is ``RequestState/running`` meanwhile.
    public var isWaitingForConnectivity: Bool {
        get async {
            guard let successor else { return self.run?.isWaitingForNetwork ?? false }
            return await successor.isWaitingForConnectivity
        }
    }

    /// The current state, then each change.
    ///
    /// Ends after a terminal state.
    public var states: AsyncStream<RequestState> {
        get async {
            guard let successor else { return self.lifeline.makeStateStream() }
            return await successor.states
        }
    }

    /// Every response as it arrives: a cached response shown first, if there is one, then the final response.
    ///
    /// Begins with a response that was shown before, and ends with the request; throws its ``ErrandError`` if it
    /// failed. Reading it does not start the request, and stopping to read does not cancel it. See
    /// ``CacheUse/thenRefresh``.
    public var responses: AsyncThrowingStream<TypedResponse<Value>, any Error> {
        get async {
            if let successor { return await successor.responses }
            return self.needResponseStreams().add(endingWith: self.settledIfOver)
        }
    }

    func needResponseStreams() -> ResponseStreams<Value> {
        let streams = self.responseStreams ?? ResponseStreams()
        self.responseStreams = streams
        // Before checking for the end: a concurrent cancellation either comes before this, or notifies the streams.
        self.lifeline.noteReaders()
        return streams
    }

    // MARK: - Waiting

    /// The value, once it is available.
    ///
    /// Starts the request if needed. If the waiting task is cancelled, it stops waiting; see ``Request`` for the effect
    /// on the request.
    ///
    /// - Throws: ``ErrandError``.
    public var value: Value {
        get async throws(ErrandError) {
            try await self.response.value
        }
    }

    /// The value with the response head, source, and timings.
    ///
    /// Waits like ``value``.
    ///
    /// - Throws: ``ErrandError``.
    public var response: TypedResponse<Value> {
        get async throws(ErrandError) {
            var request = self
            while true {
                if let result = await request.joined() { return try result.get() }
                request = self.renewed()
            }
        }
    }

    /// Waits for the outcome of this run; returns `nil` if it had been abandoned before.
    private func joined() async -> Result<TypedResponse<Value>, ErrandError>? {
        guard !self.lifeline.canStart || !Task.isCancelled else { return .failure(self.complete(.cancelled())) }
        guard self.lifeline.join() else { return nil }
        await self.begin()
        guard let outcome = await self.lifeline.wait(onEscalation: { self.raise(to: $0) }) else {
            return .failure(self.complete(.cancelled("the task that waited for the request was cancelled")))
        }
        return self.typed(outcome)
    }

    /// Returns the request that is kept running without waiters: this one, or its successor if it was abandoned.
    private func kept() -> Request<E> {
        var request = self
        while !request.lifeline.keep() { request = self.renewed() }
        return request
    }

    /// Returns the request that replaces this one after all waiters have left.
    private func renewed() -> Request<E> {
        if let successor, successor.lifeline.stopReason != .abandoned { return successor }
        let successor = Request(
            self.endpoint, on: self.terms, said: self.said, under: self.lifeline, hooks: self.hooks,
            priority: self.run?.chosenPriority ?? self.priority, environment: self.environment)
        // Cancelled since the last waiter left: this and later waiters get the cancellation.
        guard self.lifeline.giveWay(to: successor.lifeline) else { return self }
        self.successor = successor
        return successor
    }

    // MARK: - Client and coordinators

    /// Runs the request in the caller's task.
    ///
    /// Cancelling that task cancels the request. When this returns, the request is over; see ``settled()`` and
    /// ``settledValue()``.
    ///
    /// - Parameter reason: The stop reason when the task is cancelled.
    package func send(
        stoppingFor reason: @escaping @Sendable () -> StopReason = { .cancelled }
    ) async {
        if Task.isCancelled { self.cancel() }
        guard let run = self.prepare(wantsTask: false) else { return }
        // Here and not in the run, whose closure would leave the actor.
        await withTaskCancellationHandler {
            await run.run(self)
        } onCancel: {
            self.stop(reason())
        }
    }

    /// Starts the request as a child; `report` is called once, when everything is over.
    package func start(
        carriedBy carrier: TaskCarrier? = nil, reporting report: @escaping @Sendable (RunOutcome) async -> Void
    ) async {
        self.lifeline.keep()
        self.report = report
        await self.begin(carrier)
        // Refused or cancelled before: there is no run that would report.
        guard let outcome = self.lifeline.outcome, let report = self.report.take() else { return }
        await report(outcome)
    }

    /// Runs the request in the caller's task, and returns its value.
    ///
    /// - Throws: ``ErrandError``.
    package func sendForValue() async throws(ErrandError) -> Value {
        await self.send()
        return try self.settledValue()
    }

    /// The value of a request that is over.
    ///
    /// - Throws: ``ErrandError``.
    package func settledValue() throws(ErrandError) -> Value {
        if case .failure(let error) = self.lifeline.outcome { throw self.completed(error) }
        guard let decoded = self.decoded else { throw self.complete(.cancelled()) }
        return decoded
    }

    /// The response of a request that is over.
    ///
    /// A request that did not end counts as cancelled.
    ///
    /// - Throws: ``ErrandError``.
    package func settled() throws(ErrandError) -> TypedResponse<Value> {
        switch self.lifeline.outcome {
        case .success(let answer): return try self.typed(answer)
        case .failure(let error): throw self.completed(error)
        case nil: throw self.complete(.cancelled())
        }
    }

    /// The settled response, once the request is over.
    private var settledIfOver: Result<TypedResponse<Value>, ErrandError>? {
        self.lifeline.outcome.map { self.typed($0) }
    }

    func endResponseStreams() {
        if let responseStreams, let outcome = self.settledIfOver { responseStreams.finish(outcome) }
    }

    /// The outcome with the decoded value.
    package func typed(_ outcome: RunOutcome) -> Result<TypedResponse<Value>, ErrandError> {
        do throws(ErrandError) {
            return .success(try self.typed(try outcome.get()))
        } catch {
            return .failure(self.completed(error))
        }
    }

    private func typed(_ answer: ResponseSummary) throws(ErrandError) -> TypedResponse<Value> {
        guard let decoded = self.decoded, let request = self.run?.request else {
            throw self.complete(.cancelled())
        }
        return TypedResponse(value: decoded, answer: answer, request: request, requestID: self.id)
    }

    /// The error of a request that never ran lacks the details of the request.
    private func completed(_ error: ErrandError) -> ErrandError {
        error.context.requestID == nil ? self.complete(error) : error
    }

    /// Completes an error with the details of this request.
    func complete(_ error: ErrandError) -> ErrandError {
        if let run { return run.complete(error) }
        guard error.isOpen(for: self.id) else { return error }
        return error.of(self.id, self.shared.value.name ?? E.declaredName, self.parent)
    }

    private func start(
        completing completion: @escaping @Sendable (Result<TypedResponse<Value>, ErrandError>) async -> Void
    ) async {
        self.completions.append { await completion(await self.typed($0)) }
        if let outcome = self.lifeline.noteReaders() { return await self.runCompletions(outcome) }
        await self.begin()
        // Refused: there is no run that would call the completion.
        guard self.run == nil, let outcome = self.lifeline.outcome else { return }
        await self.runCompletions(outcome)
    }

    func runCompletions(_ outcome: RunOutcome) async {
        // Later completions are called by the code that adds them, because the outcome has been published.
        let completions = self.completions
        self.completions = []
        for completion in completions { await completion(outcome) }
    }
}
