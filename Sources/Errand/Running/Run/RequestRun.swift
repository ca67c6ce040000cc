internal import ErrandLocks
internal import ErrandMachines

/// The actor a run belongs to, as the run sees it.
protocol RequestOwner: Actor, RecordedWork, HostedRun {
    /// Decodes and keeps the value.
    func decode(_ response: HTTPResponse) async throws(ErrandError)
    /// Publishes a response whose value was decoded last, while a newer one is asked for.
    func publish(_ answer: ResponseSummary)
    /// Tells an endpoint with hooks how its request ended.
    func notify(_ processing: any ProcessingEndpoint, _ outcome: RunOutcome) async
    /// Makes an exchange that others share with this request, told to hooks.
    nonisolated func share(_ call: SharedCall, on terms: RequestTerms, telling hooks: Hooks) -> any Flight
    /// Sends the same call once more, by itself; returns at once.
    nonisolated func sendAnew(on terms: RequestTerms, then done: @escaping @Sendable () -> Void)
    /// Goes on in a task of its own, and waits for that.
    func finishInTask(_ first: AskedSlot?, beginningAtOnce: Bool) async
    /// Runs the closures for the outcome.
    func runCompletions(_ outcome: RunOutcome) async
    /// Ends the streams of those who read its responses.
    func endResponseStreams()
}

/// The one run of a request, the same for requests of all types: the call as it was read, and what has become of it.
///
/// A run is *direct* if nothing on its way may wait for code of others, its bodies are in memory and the transport gives
/// handles: then it goes on in the task of its sender, and is stopped by handles. Every other run has one task, made
/// at its start, which a stop cancels.
///
/// It is in two parts, `begin` and `finish`: a run that begins without a task of its own and has to wait for a slot gets
/// one only when it has that.
final class RequestRun: Sendable {
    let id: RequestID
    let call: Call
    /// The stages that it goes through besides the wire.
    let pipeline: Pipeline
    let parent: ParentLink?
    let environment: RequestEnvironment
    /// The life of the request: its state, its waiters, the reason to stop.
    let lifeline: Lifeline
    /// `true` for a run that only other requests know of: it is in no record.
    let isHidden: Bool
    /// `true` for a run in the task of its sender.
    let isDirect: Bool
    /// The calls of its interceptors, where it has some.
    let calls: InterceptedCalls?
    private let journey: Locked<Journey>
    /// `true` once there are accessories: most runs have none, and need not look under the lock.
    private let isWatched: AtomicFlag
    /// `true` once a body is received or sent in pieces, or to a file or reader; as rare.
    private let hasReception = AtomicFlag()

    /// The journey of a run so far.
    struct Journey: ~Copyable {
        /// The moment of the start, on the client's clock.
        let startedAt: Duration
        /// The actor, while the request runs: what runs is alive until it ends.
        var owner: (any RequestOwner)?
        /// The accessories; `nil` where there are none.
        var watch: Watch?
        /// The request, as the endpoint's hook has made it.
        var request: HTTPRequest
        /// The deadline of the whole request, while one is set.
        var totalDeadline: Deadlines?
        /// Its place among others that wait for slots.
        var queue: QueuePlace
        /// The number of times it went to the transport.
        var attempts = 0
        /// The number of attempts without a response yet.
        var underWay = 0
        /// The number of calls that wait for a network.
        var networkWaits = 0
        /// The number of times the authenticator was asked.
        var challenges = 0
        /// After which attempts it was sent again, and why.
        var retries: [ErrandError.Retry] = []
        /// The last response, for the context of errors.
        var response: HTTPResponse?
        /// The request that went out last.
        var sent: Sent?
        /// The reception of a body elsewhere than into memory.
        var reception: BodyReception {
            get { self.receptions.first ?? BodyReception() }
            set { self.receptions = [newValue] }
        }
        /// The same; empty for most requests, which need no room for it and wait in large numbers.
        fileprivate var receptions: [BodyReception] = []
        /// The exchange that it shares with others, while it waits for that.
        var flight: (any Flight)?
        /// The upload in several exchanges.
        var upload: ResumableUpload?
        /// `true` for an upload that no other request can go on with.
        var isUploadOver = false
    }

    /// The request that went out last, for errors and for those who decide about more.
    struct Sent: Sendable {
        /// With all that is added to it.
        let request: HTTPRequest
        /// The request that redirections have led to; `nil` where they have not.
        let redirected: HTTPRequest?
    }

    /// Reads a call and makes its run; nothing is started.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - terms: What client, endpoint and call say together.
    ///   - work: The part that comes from the actor.
    ///   - wantsTask: `true` for a task of its own in any case.
    /// - Throws: ``ErrandError`` when nothing can be sent.
    @inline(__always)
    init(
        _ endpoint: some Endpoint, on terms: RequestTerms, of work: RequestWork, wantsTask: Bool
    ) throws(ErrandError) {
        let (environment, options) = (work.environment, terms.options)
        // Read to where it stays: it is large.
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
                queue: QueuePlace(priority: work.priority)))
    }

    /// Looks at what has become of it, or changes that; nothing is started, finished or told here.
    @inline(__always)
    func withJourney<Value>(_ look: (inout sending Journey) -> sending Value) -> Value {
        self.journey.withLock { look(&$0) }
    }

    /// The terms of the call.
    var terms: RequestTerms { self.call.terms }

    /// The name of the type that declares the call.
    var declaredName: String { type(of: self.call.declared).declaredName }

    /// How it is treated, as what is compiled from that is found by.
    var shared: SharedOptions { self.terms.options }

    /// How it is treated.
    var options: EffectiveOptions { self.terms.options.value }

    /// Where the body of the response goes.
    var destination: ResponseDestination { self.options.destination }

    /// The JSON of the client.
    var json: JSONCoding { self.environment.json }

    var timeouts: Timeouts { self.options.timeouts }

    /// The request, as the endpoint's hook has made it.
    var request: HTTPRequest { !self.call.isProcessing ? self.call.request : self.withJourney { $0.request } }

    /// Looks at what it has under way to receive or to send a body in pieces, or changes that.
    func withReception<Value>(_ look: (inout sending Journey) -> sending Value) -> Value {
        self.hasReception.set()
        return self.withJourney(look)
    }

    /// `true` once that has been used.
    var mayHaveReception: Bool { self.hasReception.isSet }

    /// The moment of the start, on the client's clock.
    var startedAt: Duration { self.withJourney { $0.startedAt } }

    /// The actor, while the request runs.
    var owner: (any RequestOwner)? { self.withJourney { $0.owner } }

    /// `true` while it waits for a network.
    var isWaitingForNetwork: Bool { self.withJourney { $0.networkWaits } > 0 }

    /// The number of times it went to the transport.
    var attempts: Int { self.withJourney { $0.attempts } }

    // MARK: - Those who are told

    /// Tells accessories what happens; it is made only where there are some.
    func observe(_ event: @autoclosure () -> RequestActivity.Event) {
        guard let watch = self.watch else { return }
        watch.hooks.observe(event(), of: watch.activity)
    }

    /// The accessories; `nil` where there are none.
    var watch: Watch? { self.isWatched.isSet ? self.withJourney { $0.watch } : nil }

    /// Adds an accessory, which is told what comes from now on.
    func watch(with accessory: any Accessory) {
        let activity = RequestActivity(of: self.call, self.id, self.parent, self.environment)
        self.withJourney { journey in
            let hooks = (journey.watch?.hooks ?? Hooks([])).adding([accessory])
            journey.watch = Watch(hooks: hooks, activity: journey.watch?.activity ?? activity)
        }
        self.isWatched.set()
    }

    // MARK: - From start to end

    /// Runs it for its only user.
    func run(_ owner: any RequestOwner) async {
        let first = await self.begin(owner, on: nil)
        guard self.isDirect else { return await owner.finishInTask(first, beginningAtOnce: self.beginsAtOnce) }
        _ = await self.finish(beginningWith: first)
    }

    /// Tells whether nothing has to be waited for on the way to a slot.
    private var isQuickToBegin: Bool {
        self.pipeline.stages.isEmpty && !self.call.isProcessing && self.environment.refresher?.keeper == nil
            && self.watch?.hooks.mayWait != true
    }

    /// Whether its task may begin in the thread that makes it: a stop reaches it only from where it waits first, and code
    /// of others that works for long may look whether it is cancelled.
    private var beginsAtOnce: Bool { !self.pipeline.sendsApart && self.environment.refresher?.keeper == nil }

    /// Puts the request into the record, and into the queue too where nothing has to be waited for before that.
    ///
    /// From here on whoever looks into the record finds it, and whoever cancels there reaches it.
    ///
    /// - Returns: How far it got with its slot, if it asked for one.
    func begin(_ owner: any RequestOwner, on host: RunHost?) async -> AskedSlot? {
        if !self.isHidden { await self.environment.record.insert(owner, self.id, isPart: self.parent != nil) }
        self.setTotalDeadline()
        guard self.isQuickToBegin else { return nil }
        await self.enter()
        return self.askForSlot(self.call.request.url.authority, host)
    }

    /// From there to the end of everything.
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

    /// The hooks of the start.
    @inline(__always)
    func enter() async { await self.lifeline.enter(telling: self.watch) }

    /// From the outcome of the wire to the end of everything.
    private func conclude(_ found: RunOutcome) async -> RunOutcome {
        // A stop that was accepted before this point decides, even over a response that came at the same time.
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

    /// Hooks of what was stopped run in a task that is cancelled, and those of what was not in one that nobody cancels.
    @inline(never)
    private func leaveInTask(_ outcome: RunOutcome) async {
        await self.inTask(of: self.lifeline, immediately: true) { () async throws(Never) in
            await self.leave(outcome)
        }
    }

    /// Tells everyone how it ended, and leaves the record.
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

    /// The end: what others hold on to is the outcome and the value, and nothing else.
    private func release() -> (any RequestOwner)? {
        let (owner, response, watch) = self.withJourney { journey in
            (journey.owner.take(), journey.response.take(), journey.watch.take())
        }
        withExtendedLifetime((response, watch)) {}
        return owner
    }

    // MARK: - One task or none

    /// Runs what may wait for code of others, or take long, so that a stop reaches it: in the task of the run, or in one that
    /// is made for it where the run has none.
    ///
    /// A stop of the scope ends it, which is the whole run or one call. With `immediately` that task begins in this thread,
    /// which saves a change of it. A stop reaches it only from where it waits first: not for code that works for long and
    /// looks whether it is cancelled.
    func inTask<Value: Sendable, Failure: Error>(
        of scope: any StopScope, immediately: Bool, _ step: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard self.isDirect else { return try await step() }
        return try await scope.inTask(immediately: immediately, step)
    }
}

/// The part of a run that comes from the actor it belongs to.
struct RequestWork {
    let owner: any RequestOwner
    let id: RequestID
    let parent: ParentLink?
    let lifeline: Lifeline
    let environment: RequestEnvironment
    /// The hooks of a request that only other requests know; `nil` for those of its options.
    let hooks: Hooks?
    /// Accessories that were added before the start.
    var watchers: [any Accessory] = []
    /// The priority, where it was set before the start.
    var priority: RequestPriority?
}

extension StopScope {
    /// Runs a step in a task that a stop of this cancels, and waits for it.
    func inTask<Value: Sendable, Failure: Error>(
        immediately: Bool, _ step: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome = { @Sendable () async -> Result<Value, Failure> in
            // One that is stopped already begins as cancelled.
            if self.stopReason != nil { cancelCurrentTask() }
            do throws(Failure) {
                return .success(try await step())
            } catch {
                return .failure(error)
            }
        }
        // Unstructured: a stop must be able to cancel it, and not the task of who sends. It is awaited right here.
        let task = immediately ? spawnImmediately(outcome) : spawn(outcome)
        self.setPending(StoppableTask(task))
        defer { self.setPending(nil) }
        return try await task.value.get()
    }
}

extension HTTPRequest.Body {
    /// Whether what goes out is in memory.
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
