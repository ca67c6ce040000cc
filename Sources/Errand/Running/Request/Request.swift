package import ErrandMachines

/// One run of one endpoint, and everyone who waits for it.
///
/// A request is used once: it runs from ``RequestState/idle`` to one terminal state, and a second start joins the run
/// that is there. Any number of tasks may wait for it; all of them get the same outcome, at any time.
///
/// A request that was started with ``start()`` goes on whoever waits. One that began because someone asked for its
/// ``value`` goes on while anyone waits, and is cancelled when the last task that did was cancelled. Whoever comes
/// after that gets a new run, which all who come share: it is a request of its own, with an id of its own, in place of
/// this one. Only who calls ``cancel()`` cancels for others.
public actor Request<E: Endpoint> {
    /// What the endpoint answers.
    public typealias Value = E.Response

    /// The id, unique in the process.
    public nonisolated let id: RequestID
    /// The endpoint.
    public nonisolated let endpoint: E
    /// The tag it was made with.
    public nonisolated var tag: String? { self.shared.value.tag }
    /// What was attached to it.
    public nonisolated var userInfo: [String: any Sendable] { self.shared.value.userInfo }

    /// How it is treated.
    package nonisolated let shared: SharedOptions
    /// What its endpoint and its call say, if that is merged with what the client says when it starts.
    nonisolated let said: RequestOptions?
    nonisolated let lifeline: Lifeline
    nonisolated let environment: RequestEnvironment
    nonisolated let parent: ParentLink?
    /// The hooks of a request that only other requests know; `nil` for those of its options.
    nonisolated let hooks: Hooks?
    /// The terms of the call, as they are known so far: of its client, its endpoint and itself.
    var terms: RequestTerms
    /// The one run, once it has begun.
    var run: RequestRun?
    /// The value, once it is decoded.
    var decoded: Value?
    /// The priority, where it was set before the run.
    var priority: RequestPriority?
    /// Accessories that were added before the run.
    var watchers: [any Accessory] = []
    /// Those who are told the outcome once the terminal state shows.
    private var completions: [@Sendable (RunOutcome) async -> Void] = []
    /// Tells a coordinator that its child has ended; the last thing a run does.
    var report: (@Sendable (RunOutcome) async -> Void)?
    /// Those who watch its responses, once there is someone, or something to watch.
    var responseStreams: ResponseStreams<Value>?
    /// What took its place after everyone had left it, once someone came.
    private var successor: Request<E>?

    /// Always inlined: what knows the type of the request knows the metadata of it.
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

    /// Starts the request, or joins the run that is there; it goes on even when nobody waits.
    public func start() async {
        await self.kept().begin()
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
        spawn {
            await self.kept().start(completing: { outcome in
                switch outcome {
                case .success(let response): await onSuccess(response.value)
                case .failure(let error): await onFailure(error)
                }
            })
        }
    }

    /// Cancels the request, in whatever state it is; returns at once, and may be called from anywhere.
    ///
    /// Afterwards, or a second time, it does nothing.
    ///
    /// A request that was not started fails without any hook. One that runs ends as failed with the code
    /// ``ErrandError/Code/cancelled``, unless its outcome was settled before.
    public nonisolated func cancel() {
        guard case .settled(hasReaders: true) = self.lifeline.cancel() else { return }
        // Unstructured: who cancels does not wait. Ends when those who read the responses were told.
        spawn { await self.endResponseStreams() }
    }

    /// Changes the place among waiting requests; without effect once the request has a slot.
    public func setPriority(_ priority: RequestPriority) async {
        self.priority = priority
        self.run?.setPriority(priority)
        await self.successor?.setPriority(priority)
    }

    // MARK: - Suspending

    /// Whether the request is suspended, by itself or with the batch or chain that it belongs to.
    public nonisolated var isSuspended: Bool { self.lifeline.isSuspended }

    /// Suspends the request, before it is started or while it runs, until ``resume()``; returns at once.
    ///
    /// Nothing more goes to the transport for it, and of what is there no byte of a body moves in either direction; the
    /// server is held back. Its deadlines stand still. It keeps its slot and its connection if it has them, and gets no
    /// slot otherwise. What has come completely is delivered, and so is what a cache has. Cancelling ends it as always.
    ///
    /// If the connection does not last as long, the request goes on as after any lost connection: a download that is
    /// resumed (``DownloadResumption``) asks for the rest, another one fails. Over ``URLSessionTransport`` on Linux,
    /// which cannot hold bodies back, what is under way goes on to its end. A request that is suspended lives on, with what
    /// it holds, when its client is let go of: cancel it.
    public nonisolated func suspend() {
        self.lifeline.setSuspended(true, at: self.timebase.now)
    }

    /// Lets the request go on after ``suspend()``; does nothing otherwise.
    public nonisolated func resume() {
        self.lifeline.setSuspended(false, at: self.timebase.now)
    }

    nonisolated var timebase: Timebase { self.environment.timebase }

    /// Adds an accessory, which is told what comes from now on.
    func watch(with accessory: any Accessory) async {
        if let successor { return await successor.watch(with: accessory) }
        self.watchers.append(accessory)
        self.run?.watch(with: accessory)
    }

    package nonisolated func setSuspended(_ isSuspended: Bool) {
        // Of what belongs to another, or has taken its place, that one is suspended: it is what can be told to go on.
        self.lifeline.outermost.setSuspended(isSuspended, at: self.timebase.now)
    }

    // MARK: - Looking

    /// Where the request is in its life.
    public var state: RequestState {
        get async {
            guard let successor else { return self.lifeline.shown }
            return await successor.state
        }
    }

    /// Whether the request waits for a network, as ``ConnectivityPolicy/wait(upTo:)`` has it; its ``state`` is
    /// ``RequestState/running`` then.
    public var isWaitingForConnectivity: Bool {
        get async {
            guard let successor else { return self.run?.isWaitingForNetwork ?? false }
            return await successor.isWaitingForConnectivity
        }
    }

    /// The state now, then each change; ends after a terminal one.
    public var states: AsyncStream<RequestState> {
        get async {
            guard let successor else { return self.lifeline.makeStateStream() }
            return await successor.states
        }
    }

    /// Every answer as it comes: one from the cache that is shown first, if there is one, then the one that counts.
    ///
    /// Begins with what was shown before it was asked for, and ends with the request; throws its ``ErrandError`` if it
    /// failed. It does not start the request, and giving it up does not cancel it. See ``CacheUse/thenRefresh``.
    public var responses: AsyncThrowingStream<TypedResponse<Value>, any Error> {
        get async {
            if let successor { return await successor.responses }
            return self.needResponseStreams().add(endingWith: self.settledIfOver)
        }
    }

    func needResponseStreams() -> ResponseStreams<Value> {
        let streams = self.responseStreams ?? ResponseStreams()
        self.responseStreams = streams
        // Before it is looked whether the request is over: a cancellation from elsewhere comes before that or tells them.
        self.lifeline.noteReaders()
        return streams
    }

    // MARK: - Waiting

    /// The value, once it is there; starts the request if need be.
    ///
    /// Cancelling the task that waits makes it leave; see ``Request`` for what becomes of the request then.
    ///
    /// - Throws: ``ErrandError``.
    public var value: Value {
        get async throws(ErrandError) {
            try await self.response.value
        }
    }

    /// The value with the head of the response, its source and its timings; waits like ``value``.
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

    /// Waits for the outcome of this run; returns `nil` when everyone had left it before.
    private func joined() async -> Result<TypedResponse<Value>, ErrandError>? {
        guard !self.lifeline.canStart || !Task.isCancelled else { return .failure(self.complete(.cancelled())) }
        guard self.lifeline.join() else { return nil }
        await self.begin()
        guard let outcome = await self.lifeline.wait(onEscalation: { self.raise(to: $0) }) else {
            return .failure(self.complete(.cancelled("the task that waited for the request was cancelled")))
        }
        return self.typed(outcome)
    }

    /// The request that goes on whoever waits: this one, unless everyone has left it.
    private func kept() -> Request<E> {
        var request = self
        while !request.lifeline.keep() { request = self.renewed() }
        return request
    }

    /// What takes the place of this one after everyone has left it.
    private func renewed() -> Request<E> {
        if let successor, successor.lifeline.stopReason != .abandoned { return successor }
        let successor = Request(
            self.endpoint, on: self.terms, said: self.said, under: self.lifeline, hooks: self.hooks,
            priority: self.run?.chosenPriority ?? self.priority, environment: self.environment)
        // Cancelled between the last one's leaving and here: who comes now gets that, like all who come later.
        guard self.lifeline.giveWay(to: successor.lifeline) else { return self }
        self.successor = successor
        return successor
    }

    // MARK: - For the client and coordinators

    /// Sends the request for its only user: cancelling the calling task cancels the request.
    ///
    /// When this returns, the request is over; see ``settled()`` and ``settledValue()``.
    ///
    /// - Parameter reason: What a cancelled sender stops it for.
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

    /// Starts the request as a child: `report` is called once, when all of it is over.
    package func start(
        hostedBy host: RunHost? = nil, reporting report: @escaping @Sendable (RunOutcome) async -> Void
    ) async {
        self.lifeline.keep()
        self.report = report
        await self.begin(host)
        // Refused, or cancelled before: there is no run that would report.
        guard let outcome = self.lifeline.outcome, let report = self.report.take() else { return }
        await report(outcome)
    }

    /// Sends the request for its only user, and answers its value.
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

    /// The response of a request that is over; one that never came to an end counts as cancelled.
    ///
    /// - Throws: ``ErrandError``.
    package func settled() throws(ErrandError) -> TypedResponse<Value> {
        switch self.lifeline.outcome {
        case .success(let answer): return try self.typed(answer)
        case .failure(let error): throw self.completed(error)
        case nil: throw self.complete(.cancelled())
        }
    }

    /// The same, once it is over.
    private var settledIfOver: Result<TypedResponse<Value>, ErrandError>? {
        self.lifeline.outcome.map { self.typed($0) }
    }

    func endResponseStreams() {
        if let responseStreams, let outcome = self.settledIfOver { responseStreams.finish(outcome) }
    }

    /// The outcome with the value in it.
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

    /// The error of what never ran knows nothing of the request yet.
    private func completed(_ error: ErrandError) -> ErrandError {
        error.context.requestID == nil ? self.complete(error) : error
    }

    /// Completes an error with what is known of this request.
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
        // None is added any more that would not be run by who adds it: the outcome shows.
        let completions = self.completions
        self.completions = []
        for completion in completions { await completion(outcome) }
    }
}
