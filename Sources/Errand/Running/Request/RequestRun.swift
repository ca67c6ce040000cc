internal import ErrandMachines

/// The actor a run belongs to, as the run sees it.
protocol RequestOwner: Actor, RecordedWork, HostedRun {
    /// Runs a part of the way that waits for code of others: in a task that a stop cancels.
    ///
    /// - Parameters:
    ///   - scope: Whose stops cancel it.
    ///   - immediately: Whether it runs in this thread up to where it waits first, which saves a change of thread. A stop
    ///     reaches it only from there on: not for code that works for long and looks whether it is cancelled.
    ///   - step: What to run.
    /// - Returns: What it returns.
    /// - Throws: What it throws.
    func inCancellableTask<Value: Sendable, Failure: Error>(
        of scope: any StopScope, immediately: Bool,
        _ step: @escaping @Sendable (RequestRun) async throws(Failure) -> Value
    ) async throws(Failure) -> Value
    /// Runs a part of the way here, in the actor, and stops a scope when the task that waits for it is cancelled.
    func whileNotCancelled<Value: Sendable, Failure: Error>(
        _ scope: any StopScope, _ step: @escaping @Sendable (RequestRun) async throws(Failure) -> Value
    ) async throws(Failure) -> Value
    /// Returns what a look at the run finds: for code that need not run in the actor.
    func look<Value: Sendable>(_ look: @Sendable (RequestRun) -> Value) -> Value
    /// Decodes and keeps the value.
    func decode(_ response: HTTPResponse) async throws(ErrandError)
    /// Publishes a response whose value was decoded last, while a newer one is asked for.
    func publish(_ answer: ResponseSummary)
    /// Ends the streams of those who read its responses.
    func endResponseStreams()
    /// Tells an endpoint with hooks how its request ended.
    func notify(_ processing: any ProcessingEndpoint, _ outcome: RunOutcome) async
    /// Sends a request on for an interceptor; the way back into the actor for code that left it.
    func pass(
        _ request: HTTPRequest, to next: NextStages, isAnother: Bool
    ) async throws(ErrandError) -> HTTPResponse
}

extension RequestOwner {
    /// Sends the request for its only user: cancelling the calling task stops it.
    func send(_ run: RequestRun, stoppingFor reason: @escaping @Sendable () -> StopReason) async {
        await withTaskCancellationHandler {
            await run.finish(beginningWith: await run.begin(self, on: nil))
        } onCancel: {
            self.stop(reason())
        }
    }
}

/// The part of a run that is the same for requests of all types: the hooks, the record, the way to the response.
///
/// Not `Sendable`: it belongs to the actor of its request, and its functions run there. It is apart from the actor
/// because it is not generic: work that does not depend on the endpoint's type is compiled once, for all of them.
///
/// Lists that every request looks at are set as a whole: were one anywhere changed in place, by appending, each look at
/// it would be checked for overlaps while the program runs.
///
/// It is in two parts, `begin` and `finish`: a run that begins without a task of its own and has to wait for a slot gets
/// one only when it has that.
final class RequestRun {
    let endpoint: any Endpoint
    /// What its client, its endpoint and its call say.
    var terms: RequestTerms
    /// Whether the endpoint has hooks.
    let isProcessing: Bool
    let id: RequestID
    let parent: ParentLink?
    let environment: RequestEnvironment
    private(set) var hooks: Hooks
    /// Those of one that nobody but other requests knows: it has no others, and is in no record.
    let ownHooks: Hooks?
    /// Where it is in its life, and whether it has to stop.
    let lifeline: Lifeline

    /// The actor, while the request runs: what runs is alive until it ends.
    private(set) var owner: (any RequestOwner)?
    /// The request as it was resolved.
    var request: HTTPRequest?
    /// What it goes through besides the wire: the cache, if it is asked, then the interceptors.
    private(set) var stages: [any Stage] = []
    /// How accessories see it; `nil` when there are none.
    var activity: RequestActivity?
    /// The deadline of the whole request, while one is set.
    var totalDeadline: RequestDeadline?
    /// Its place among others that wait for slots.
    var queue: QueuePlace
    /// What was sent and received so far.
    let exchanges = Exchanges()
    /// Who is told the outcome besides those who wait for it.
    var audience = Audience()

    init(
        _ endpoint: any Endpoint, _ id: RequestID, _ terms: RequestTerms, _ parent: ParentLink?,
        _ environment: RequestEnvironment, _ lifeline: Lifeline, hooks: Hooks? = nil,
        _ priority: RequestPriority? = nil
    ) {
        self.endpoint = endpoint
        self.terms = terms
        // Only a call that is made of another one may have the hooks of that.
        self.isProcessing =
            endpoint is any ProcessingEndpoint
            || terms.options.value.isDerived && endpoint.processing != nil
        self.id = id
        self.parent = parent
        self.environment = environment
        self.lifeline = lifeline
        self.ownHooks = hooks
        self.hooks = hooks ?? environment.hooks(for: terms.options)
        self.queue = QueuePlace(priority: priority)
    }

    /// How it is treated, as what is compiled from that is found by.
    var shared: SharedOptions { self.terms.options }

    /// How it is treated.
    var options: EffectiveOptions { self.shared.value }

    /// Where the body of the response goes.
    var destination: ResponseDestination { self.options.destination }

    /// The JSON of the client.
    var json: JSONCoding { self.environment.json }

    /// The endpoint with its hooks, if it has some.
    var processing: (any ProcessingEndpoint)? { self.isProcessing ? self.endpoint.processing : nil }

    /// The interceptors that it passes, as parts of its way.
    private var interceptorStages: [any Stage] {
        if self.shared === self.environment.options { return self.environment.stages }
        return self.environment.stages(for: self.shared)
    }

    /// The exchanges of a request so far, and what came of them.
    ///
    /// A class, because each change of a part of a structure is looked at as one of the whole.
    final class Exchanges {
        /// The number of times it went to the transport.
        var attempts = 0
        /// How many of them have no response yet.
        var underWay = 0
        /// How many wait for a network.
        var networkWaits = 0
        /// After which attempts it was sent again, and why.
        var retries: [ErrandError.Retry] = []
        /// The number of times the authenticator was asked.
        var challenges = 0
        /// The last response, for the context of errors.
        var response: HTTPResponse?
        /// The last call of the wire.
        var call: WireCall?
        /// The calls of interceptors, where there are any.
        var intercepted: InterceptedCalls?
        /// Whether the last response has no more of its body than an error keeps.
        var hasCutBody = false
        /// Its way through the HTTP cache, if it has one.
        var cacheCall: HTTPCacheCall?
        /// What the HTTP cache did, if it was asked.
        var cacheStatus: ResponseSource.CacheStatus?
        /// Whether what is sent is what the key of the cache knows, where the response may be stored.
        var identity: SentIdentity?
        /// What it has under way to receive a body elsewhere than into memory.
        var reception = BodyReception()
        /// What it waits for together with others.
        var flight: Flight?
        /// What it has under way to send a body in several exchanges.
        var upload: ResumableUpload?
        /// Whether no other request can go on with that.
        var isUploadOver = false

        /// Whether something of its bodies is left to be ended.
        var hasBodies: Bool { !self.reception.isEmpty || self.upload != nil }
    }

    /// Those who are told the outcome once the terminal state shows.
    struct Audience {
        /// Tells a coordinator that its child has ended; the last thing a run does.
        var report: (@Sendable (RunOutcome) async -> Void)?
        /// Whether someone reads its responses, and has to be told of the end.
        var hasReaders = false
        fileprivate var completions: [@Sendable (RunOutcome) async -> Void] = []
        fileprivate var outcome: RunOutcome?
    }

    // MARK: - Those who are told

    /// Keeps a closure for the outcome, or returns the outcome when it is there already.
    func addCompletion(_ completion: @escaping @Sendable (RunOutcome) async -> Void) -> RunOutcome? {
        if let outcome = self.audience.outcome ?? self.lifeline.outcome { return outcome }
        self.audience.completions = self.audience.completions + [completion]
        return nil
    }

    /// Runs the closures that came with the start of a request that was refused by it.
    func runCompletionsIfRefused() async {
        guard self.audience.outcome == nil, let outcome = self.lifeline.outcome else { return }
        await self.runCompletions(outcome)
    }

    private func runCompletions(_ outcome: RunOutcome) async {
        // None is added any more: the outcome is there.
        let completions = self.audience.completions
        self.audience.completions = []
        for completion in completions { await completion(outcome) }
    }

    /// Adds an accessory, which is told what comes from now on.
    func watch(with accessory: any Accessory) {
        self.hooks = self.hooks.adding([accessory])
        guard self.owner != nil, self.activity == nil else { return }
        self.activity = self.makeActivity()
    }

    // MARK: - A request that never runs

    /// Makes the request that is sent.
    ///
    /// - Throws: ``ErrandError`` when there is none that could be.
    func resolve() throws(ErrandError) {
        guard !self.environment.isClosed else { throw StopReason.clientShutDown.error }
        if let problem = self.environment.problem { throw problem }
        if case .file(let target) = self.destination.kind { try target.check() }
        let resolved = try self.endpoint.resolve(under: self.terms)
        let request = resolved.request
        self.request = request
        self.stages = try self.stages(for: request, knownAs: resolved.keyRequest)
    }

    /// What a request goes through besides the wire.
    private func stages(
        for request: HTTPRequest, knownAs keyRequest: HTTPRequest?
    ) throws(ErrandError) -> [any Stage] {
        var stages: [any Stage] = []
        // It grows at once to what most clients with policies have.
        if self.environment.circuits != nil { stages.reserveCapacity(2) }
        let (caching, cacheUse) = (self.options.cachePolicy, self.options.cacheUse)
        let usesHTTP = caching.authority == .http && self.environment.cacheAccess != nil
        // What there is may have been stored by the rules of HTTP before this start, or by another process.
        let invalidates = self.environment.cacheAccess != nil && HTTPValidation.mayInvalidate(request.method)
        let asksCache = usesHTTP || cacheUse != .use || caching.lifetime != nil
        if asksCache || invalidates {
            if usesHTTP {
                stages.append(HTTPCacheStage(use: cacheUse, policy: caching, keyRequest: keyRequest))
            } else if asksCache {
                stages.append(CacheStage(use: cacheUse, policy: caching, keyRequest: keyRequest))
            }
            if invalidates { stages.append(InvalidationStage(keyRequest: keyRequest)) }
        }
        let upload = self.resumesUpload ? UploadStage(resumption: self.options.uploadResumption) : nil
        let download = try self.destination.resumption(of: request)
        if let upload { stages.append(upload) }
        if let download { stages.append(download) }
        if let coalescing = self.coalescing { stages.append(coalescing) }
        if let circuit = self.circuit { stages.append(circuit) }
        let hedge = self.hedge
        if let hedge { stages.append(hedge) }
        if let retry = self.retry(isHedged: hedge != nil) { stages.append(retry) }
        let interceptors = self.interceptorStages
        let connectivity = self.connectivity
        guard
            !interceptors.isEmpty || upload != nil || download != nil
                || connectivity != nil || hedge != nil
        else { return stages }
        stages += interceptors
        if let connectivity { stages.append(connectivity) }
        self.exchanges.intercepted = InterceptedCalls()
        return stages
    }

    // MARK: - From start to end

    /// Tells whether nothing has to be waited for on the way to a slot.
    private var isQuickToBegin: Bool {
        !self.hooksMayWait && self.stages.isEmpty && self.environment.refresher?.keeper == nil
    }

    /// Tells whether the hooks of others may be waited for.
    var hooksMayWait: Bool { self.hooks.mayWait || self.isProcessing }

    /// Puts the request into the record, and into the queue too where nothing has to be waited for before that.
    ///
    /// From here on whoever looks into the record finds it, and whoever cancels there reaches it.
    ///
    /// - Returns: How far it got with its slot, if it asked for one.
    func begin(_ owner: any RequestOwner, on host: RunHost?) async -> AskedSlot? {
        self.owner = owner
        self.lifeline.note(startedAt: self.environment.timebase.now, url: self.request?.url)
        if self.ownHooks == nil {
            await self.environment.record.insert(owner, self.id, isPart: self.parent != nil)
        }
        self.setTotalDeadline()
        guard self.isQuickToBegin, let authority = self.request?.url.authority else { return nil }
        await self.enter()
        return self.askForSlot(authority, host)
    }

    /// From there to the end of everything.
    func finish(beginningWith first: AskedSlot?) async {
        let found = await self.outcome(beginningWith: first)
        await self.exchanges.intercepted?.endStrays()
        if self.exchanges.hasBodies { await self.endBodies(found) }
        let outcome = await self.conclude(found)
        let owner = self.owner
        self.release()
        self.lifeline.resolve(outcome)
        if self.audience.hasReaders { await owner?.endResponseStreams() }
        guard let report = self.audience.report.take() else { return }
        await report(outcome)
    }

    /// The hooks of the start.
    @inline(__always)
    func enter() async {
        guard self.hooks.isEmpty else { return await self.enterWithHooks() }
        self.lifeline.enter()
    }

    @inline(never)
    private func enterWithHooks() async {
        let activity = self.makeActivity()
        self.activity = activity
        await self.hooks.willStart(activity)
        self.lifeline.enter()
        await self.hooks.didStart(activity)
        self.lifeline.watchSuspensions(self.hooks.suspensionObserver(of: activity))
    }

    /// The end: what others hold on to is the outcome and the value, and nothing else.
    private func release() {
        self.owner = nil
        self.activity = nil
        self.exchanges.response = nil
        self.exchanges.intercepted = nil
        self.exchanges.identity = nil
        self.exchanges.cacheCall = nil
    }

    /// From the outcome of the wire to the end of everything.
    private func conclude(_ found: RunOutcome) async -> RunOutcome {
        // A stop that was accepted before this point decides, even over a response that came at the same time.
        let reason = self.lifeline.conclude(found.conclusion)
        let outcome = reason.map { RunOutcome.failure(self.complete($0.error)) } ?? self.addingResumeData(to: found)
        // Hooks of what was stopped run in a task that is cancelled, and those of what was not in one that nobody cancels.
        if let owner = self.owner, self.hooksMayWait || reason != nil && !self.hooks.isEmpty {
            await owner.inCancellableTask(of: self.lifeline, immediately: true) { run throws(Never) in
                await run.leave(outcome)
            }
        } else {
            await self.leave(outcome)
        }
        return outcome
    }

    /// Tells everyone how it ended, and leaves the record.
    private func leave(_ outcome: RunOutcome) async {
        if let processing = self.processing, let owner = self.owner { await owner.notify(processing, outcome) }
        let end = self.activity == nil ? nil : self.makeEnd(outcome)
        if let activity = self.activity, let end { await self.hooks.willStop(activity, end) }
        self.audience.outcome = outcome
        self.lifeline.end()
        if !self.audience.completions.isEmpty { await self.runCompletions(outcome) }
        if self.ownHooks == nil { await self.environment.record.remove(self.id) }
        if let activity = self.activity, let end { await self.hooks.didStop(activity, end) }
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
