internal import ErrandLocks
internal import ErrandMachines

/// The actor that owns a run, as seen by the run.
protocol RequestOwner: Actor, RecordedWork, CarriedRun {
    /// Decodes the response and keeps the value.
    func decode(_ response: HTTPResponse) async throws(ErrandError)
    /// Publishes a response whose value was decoded last, while a newer one is requested.
    func publish(_ answer: ResponseSummary)
    /// Passes the outcome to the hooks of an endpoint.
    func notify(_ processing: any ProcessingEndpoint, _ outcome: RunOutcome) async
    /// Creates an exchange that other requests can share, with hooks.
    nonisolated func share(_ call: SharedCall, on terms: RequestTerms, telling hooks: Hooks) -> any Flight
    /// Sends the same call again as a separate request; returns at once.
    nonisolated func sendAnew(on terms: RequestTerms, then done: @escaping @Sendable () -> Void)
    /// Continues in a task of its own, and waits for it.
    func finishInTask(_ first: AskedSlot?, beginningAtOnce: Bool) async
    /// Runs the closures for the outcome.
    func runCompletions(_ outcome: RunOutcome) async
    /// Ends the streams of responses.
    func endResponseStreams()
}

/// The only run of a request, common to requests of all types: the call as it was read, and its progress.
///
/// A run is *direct* if no stage or hook may suspend in user code, its bodies are in memory, and the transport provides
/// handles. It then runs in the task of its sender, and is stopped with handles. Every other run has one task, created
/// at its start, which a stop cancels.
///
/// It has two parts, `begin` and `finish`: a run that begins without a task of its own and must wait for a slot gets a
/// task only when it has the slot.
final class RequestRun: Sendable {
    let id: RequestID
    let call: Call
    /// The stages before the wire.
    let pipeline: Pipeline
    let parent: ParentLink?
    let environment: RequestEnvironment
    /// The lifeline of the request: its state, waiters, and stop reason.
    let lifeline: Lifeline
    /// True for a shared exchange, which is in no record.
    let isHidden: Bool
    /// True for a run in the task of its sender.
    let isDirect: Bool
    /// The calls of its interceptors, if it has any.
    let calls: InterceptedCalls?
    private let journey: Locked<Journey>
    /// True once there are accessories.
    ///
    /// Most runs have none, and can skip the lock.
    private let isWatched: AtomicFlag
    /// True once a body is transferred in pieces, or to a file or reader, which is equally rare.
    private let hasReception = AtomicFlag()

    /// The progress of a run.
    struct Journey: ~Copyable {
        /// The start time on the client's clock.
        let startedAt: Duration
        /// The actor, retained while the request runs.
        var owner: (any RequestOwner)?
        /// The accessories; `nil` if there are none.
        var watch: Watch?
        /// The request as changed by the endpoint's hook.
        var request: HTTPRequest
        /// The deadline of the whole request, while it is set.
        var totalDeadline: Deadlines?
        /// The state in the queue for slots.
        var queue: QueueEntry
        /// The number of attempts.
        var attempts = 0
        /// The number of attempts without a response yet.
        var underWay = 0
        /// The number of calls that wait for a network.
        var networkWaits = 0
        /// The number of challenges passed to the authenticator.
        var challenges = 0
        /// The retries, with the attempts that they followed and their reasons.
        var retries: [ErrandError.Retry] = []
        /// The last response, for the context of errors.
        var response: HTTPResponse?
        /// The request that was sent last.
        var sent: Sent?
        /// The state of receiving a body that does not go into memory.
        var reception: BodyReception {
            get { self.receptions.first ?? BodyReception() }
            set { self.receptions = [newValue] }
        }
        /// Storage for `reception`, an array because most of many waiting requests need no space for it.
        fileprivate var receptions: [BodyReception] = []
        /// The shared exchange, while the request waits for it.
        var flight: (any Flight)?
        /// The resumable upload.
        var upload: ResumableUpload?
        /// Set if a later request cannot resume the upload.
        var isUploadOver = false
    }

    /// The request that was sent last, for errors and for stages that decide about further ones.
    struct Sent: Sendable {
        /// The request with all additions.
        let request: HTTPRequest
        /// The request after redirections; `nil` if there were none.
        let redirected: HTTPRequest?
    }

    /// Reads a call and creates its run without starting it.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - terms: The terms, merged from the client, the endpoint, and the call.
    ///   - work: The part that comes from the actor.
    ///   - wantsTask: True to require a task of its own.
    /// - Throws: ``ErrandError`` if the request cannot be sent.
    @inline(__always)
    init(
        _ endpoint: some Endpoint, on terms: RequestTerms, of work: RequestWork, wantsTask: Bool
    ) throws(ErrandError) {
        let (environment, options) = (work.environment, terms.options)
        // Read in place, because it is large.
        self.call = try Call(endpoint, on: terms, in: environment)
        let pipeline = environment.pipeline(for: self.call.request, with: options)
        self.id = work.id
        self.pipeline = pipeline
        self.parent = work.parent
        self.environment = environment
        self.lifeline = work.lifeline
        self.isHidden = work.hooks != nil
        self.calls = pipeline.hasInterceptors ? InterceptedCalls() : nil
        let hooks = (work.hooks ?? environment.hooks(for: options)).adding(work.watchers)
        self.isDirect =
            !wantsTask && !self.call.isProcessing && !hooks.mayWait && !pipeline.mayWait && options.value.isInMemory
            && self.call.request.body.isInMemory && environment.transport.handlesStops && !environment.addsLater
        let watch =
            hooks.isEmpty
            ? nil : Watch(hooks: hooks, activity: RequestActivity(of: self.call, work.id, work.parent, environment))
        self.isWatched = AtomicFlag(watch != nil)
        self.journey = Locked(
            Journey(
                startedAt: environment.timebase.now, owner: work.owner, watch: watch, request: self.call.request,
                queue: QueueEntry(priority: work.priority)))
    }

    /// Accesses the progress under the lock.
    ///
    /// The closure must not start, finish, or notify.
    @inline(__always)
    func withJourney<Value>(_ look: (inout sending Journey) -> sending Value) -> Value {
        self.journey.withLock { look(&$0) }
    }

    var terms: RequestTerms { self.call.terms }

    /// The name of the type that declares the call.
    var declaredName: String { type(of: self.call.declared).declaredName }

    /// The options, whose identity is the key for compiled objects.
    var shared: SharedOptions { self.terms.options }

    /// The options as a value.
    var options: EffectiveOptions { self.terms.options.value }

    var destination: ResponseDestination { self.options.destination }

    var json: JSONCoding { self.environment.json }

    var timeouts: Timeouts { self.options.timeouts }

    /// The request as changed by the endpoint's hook.
    var request: HTTPRequest { !self.call.isProcessing ? self.call.request : self.withJourney { $0.request } }

    /// Accesses the progress, and records that a body is transferred in pieces or not in memory.
    func withReception<Value>(_ look: (inout sending Journey) -> sending Value) -> Value {
        self.hasReception.set()
        return self.withJourney(look)
    }

    /// True once `withReception` has been called.
    var mayHaveReception: Bool { self.hasReception.isSet }

    /// The start time on the client's clock.
    var startedAt: Duration { self.withJourney { $0.startedAt } }

    /// The actor, while the request runs.
    var owner: (any RequestOwner)? { self.withJourney { $0.owner } }

    /// True while a call waits for a network.
    var isWaitingForNetwork: Bool { self.withJourney { $0.networkWaits } > 0 }

    /// The number of attempts.
    var attempts: Int { self.withJourney { $0.attempts } }

    // MARK: - Observers

    /// Reports an event to accessories.
    ///
    /// The event is created only if there are any.
    func observe(_ event: @autoclosure () -> RequestActivity.Event) {
        guard let watch = self.watch else { return }
        watch.hooks.observe(event(), of: watch.activity)
    }

    /// The accessories; `nil` if there are none.
    var watch: Watch? { self.isWatched.isSet ? self.withJourney { $0.watch } : nil }

    /// Adds an accessory, which observes all later events.
    func watch(with accessory: any Accessory) {
        let activity = RequestActivity(of: self.call, self.id, self.parent, self.environment)
        self.withJourney { journey in
            let hooks = (journey.watch?.hooks ?? Hooks([])).adding([accessory])
            journey.watch = Watch(hooks: hooks, activity: journey.watch?.activity ?? activity)
        }
        self.isWatched.set()
    }

    // MARK: - From start to end

    /// Runs the request in the caller's task.
    func run(_ owner: any RequestOwner) async {
        let first = await self.begin(owner, on: nil)
        guard self.isDirect else { return await owner.finishInTask(first, beginningAtOnce: self.beginsAtOnce) }
        _ = await self.finish(beginningWith: first)
    }

    /// True if the request can ask for a slot without suspending before.
    private var isQuickToBegin: Bool {
        self.pipeline.stages.isEmpty && !self.call.isProcessing && self.environment.refresher?.keeper == nil
            && self.watch?.hooks.mayWait != true
    }

    /// True if its task may begin on the thread that creates it.
    ///
    /// A stop reaches such a task only after its first suspension, but long-running user code may check for
    /// cancellation.
    private var beginsAtOnce: Bool { !self.pipeline.sendsApart && self.environment.refresher?.keeper == nil }

    /// Inserts the request into the record, and into the queue, too, if it can begin without suspending.
    ///
    /// From here on it can be found and cancelled in the record.
    ///
    /// - Returns: The result of asking for a slot; `nil` if it has not asked.
    func begin(_ owner: any RequestOwner, on carrier: TaskCarrier?) async -> AskedSlot? {
        if !self.isHidden { await self.environment.record.insert(owner, self.id, isPart: self.parent != nil) }
        self.setTotalDeadline()
        guard self.isQuickToBegin else { return nil }
        await self.enter()
        return self.askForSlot(self.call.request.url.authority, carrier)
    }

    /// Continues after `begin` until everything is over.
    @inline(never)
    func finish(beginningWith first: AskedSlot?) async -> RunOutcome {
        let found = await self.outcome(beginningWith: first)
        if self.calls != nil || self.mayHaveReception { await self.endWhatIsLeft(found) }
        return await self.conclude(found)
    }

    @inline(never)
    private func endWhatIsLeft(_ found: RunOutcome) async {
        await self.calls?.endStrays()
        if self.hasBodies { await self.endBodies(found) }
    }

    /// Runs the start hooks.
    @inline(__always)
    func enter() async { await self.lifeline.enter(telling: self.watch) }

    /// Continues from the outcome of the wire until everything is over.
    private func conclude(_ found: RunOutcome) async -> RunOutcome {
        // A stop that was accepted before this point determines the outcome, even if a response arrived at the same
        // time.
        let reason = self.lifeline.conclude(found.conclusion)
        let outcome = reason.map { RunOutcome.failure(self.complete($0.error)) } ?? self.addingResumeData(to: found)
        if self.isDirect, let hooks = self.watch?.hooks, reason != nil || hooks.mayWait {
            await self.leaveInTask(outcome)
        } else {
            await self.leave(outcome)
        }
        let owner = self.release()
        if self.lifeline.resolve(outcome) { await owner?.endResponseStreams() }
        return outcome
    }

    /// Runs the hooks of a stopped request in a cancelled task, and those of others in a task that is not cancelled.
    @inline(never)
    private func leaveInTask(_ outcome: RunOutcome) async {
        await self.inTask(of: self.lifeline, immediately: true) { () async throws(Never) in
            await self.leave(outcome)
        }
    }

    /// Runs the end hooks with the outcome, and leaves the record.
    private func leave(_ outcome: RunOutcome) async {
        if self.call.isProcessing { await self.notifyEndpoint(outcome) }
        guard let watch = self.watch else { return await self.close(self.lifeline.end(outcome), outcome) }
        await self.leave(outcome, telling: watch)
    }

    @inline(never)
    private func notifyEndpoint(_ outcome: RunOutcome) async {
        if let processing = self.call.processing { await self.owner?.notify(processing, outcome) }
    }

    @inline(never)
    private func leave(_ outcome: RunOutcome, telling watch: Watch) async {
        await self.lifeline.leave(with: outcome, telling: watch) {
            self.makeEnd(outcome)
        } closing: {
            await self.close($0, outcome)
        }
    }

    @inline(__always)
    private func close(_ hasReaders: Bool, _ outcome: RunOutcome) async {
        if hasReaders { await self.owner?.runCompletions(outcome) }
        if !self.isHidden { await self.environment.record.remove(self.id) }
    }

    /// Releases everything except for the outcome and the value, which others may still hold.
    private func release() -> (any RequestOwner)? {
        let (owner, response, watch) = self.withJourney { journey in
            (journey.owner.take(), journey.response.take(), journey.watch.take())
        }
        withExtendedLifetime((response, watch)) {}
        return owner
    }

    // MARK: - Tasks

    /// Runs a step that may suspend in user code, or take long, so that a stop reaches it.
    ///
    /// The step runs in the task of the run, or in a new one if the run has none. A stop of the scope, which is the
    /// whole run or one call, cancels it. With `immediately`, the new task begins on this thread, which saves a thread
    /// hop. A stop then reaches it only after its first suspension, so that this is not suitable for long-running code
    /// that checks for cancellation.
    func inTask<Value: Sendable, Failure: Error>(
        of scope: any StopScope, immediately: Bool, _ step: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard self.isDirect else { return try await step() }
        return try await scope.inTask(immediately: immediately, step)
    }
}

/// The part of a run that comes from its actor.
struct RequestWork {
    let owner: any RequestOwner
    let id: RequestID
    let parent: ParentLink?
    let lifeline: Lifeline
    let environment: RequestEnvironment
    /// The hooks of a shared exchange; `nil` uses those of its options.
    let hooks: Hooks?
    /// Accessories that were added before the start.
    var watchers: [any Accessory] = []
    /// The priority set before the start, if any.
    var priority: RequestPriority?
}

extension StopScope {
    /// Runs a step in a task that a stop of this scope cancels, and waits for it.
    func inTask<Value: Sendable, Failure: Error>(
        immediately: Bool, _ step: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome = { @Sendable () async -> Result<Value, Failure> in
            // If the scope is stopped already, the task begins as cancelled.
            if self.stopReason != nil { cancelCurrentTask() }
            do throws(Failure) {
                return .success(try await step())
            } catch {
                return .failure(error)
            }
        }
        // Unstructured: a stop must be able to cancel this task, but not that of the sender. Awaited right here.
        let task = immediately ? spawnImmediately(outcome) : spawn(outcome)
        self.setPending(StoppableTask(task))
        defer { self.setPending(nil) }
        return try await task.value.get()
    }
}

extension HTTPRequest.Body {
    /// True if the content to be sent is in memory.
    var isInMemory: Bool {
        switch self {
        case .none, .bytes: true
        case .file, .stream: false
        }
    }
}

extension RunOutcome {
    fileprivate var conclusion: RequestMachine.Conclusion {
        switch self {
        case .success(let answer): answer.source.isCache ? .cached : .finished
        case .failure(let error): error.code == .cancelled ? .cancelled : .failed
        }
    }
}
