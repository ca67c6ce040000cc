internal import ErrandMachines

/// The part of a request's way that looks for a stored response, and stores what the network answers.
final class CacheStage: Stage {
    /// What the request asks of the cache.
    let use: CacheUse
    /// What is kept, and for how long.
    let policy: CachePolicy

    init(use: CacheUse, policy: CachePolicy, in cache: CacheAccess?) {
        (self.use, self.policy, self.mayWait) = (use, policy, cache?.mayWait ?? false)
    }

    let mayWait: Bool

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let identified = await run.identified(run.call.keyRequest ?? request)
        let place: CachePlace
        do throws(CacheMiss) {
            place = try CachePlace(for: run.call.endpoint, run.shared, self.policy, identified, in: run.environment)
        } catch {
            try await self.note(error, run)
            return try await next.pass(request, run)
        }
        if self.use.reads, let stored = try await self.stored(in: place, run) { return stored }
        var watched = next
        let identity = place.identity
        watched.identity = identity
        let removals = place.removals
        let response = try await watched.pass(request, run).response
        let commit = Received.Cached { status in
            await self.fill(place, with: response, acceptedAs: status, run, sentAs: identity, since: removals)
        }
        return Received(response, commit)
    }

    // MARK: - Before the network

    /// Loads a stored response that is the one that counts; `nil` where the network is to be asked.
    private func stored(in place: CachePlace, _ run: RequestRun) async throws(ErrandError) -> Received? {
        do throws(CacheMiss) {
            let known = place.responseAtHand()
            let (response, age) = try await self.load(known, from: place, run)
            run.environment.cacheCounts.countHit()
            run.observe(.cacheHit(age: age))
            if known == nil || self.use == .thenRefresh { await run.reportCacheNotice() }
            guard self.use == .thenRefresh else { return Received(response, Received.Cached(isAccepted: true)) }
            await run.publishStored(response)
        } catch {
            try await self.note(error, run)
        }
        return nil
    }

    /// Notes that no stored response can be used, where one was looked for.
    ///
    /// - Throws: ``ErrandError`` where nothing else is wanted.
    private func note(_ miss: CacheMiss, _ run: RequestRun) async throws(ErrandError) {
        guard self.use.reads else { return }
        guard run.lifeline.stopReason == nil else { throw .cancelled() }
        run.environment.cacheCounts.countMiss()
        run.observe(.cacheMiss(miss))
        await run.reportCacheNotice()
        if self.use == .only { throw ErrandError(miss) }
    }

    /// Loads a stored answer, and takes it in: what this endpoint would not accept from the network it does not take from
    /// the cache either.
    private func load(
        _ known: (response: HTTPResponse, age: Duration)?, from place: CachePlace, _ run: RequestRun
    ) async throws(CacheMiss) -> (HTTPResponse, age: Duration) {
        let (response, age) = if let known { known } else { try await place.loadResponse() }
        do throws(ErrandError) {
            return (try await run.process(response), age)
        } catch {
            run.noteLast(nil)
            throw .notAccepted
        }
    }

    // MARK: - After the network

    /// Stores a response as it was received: what a hook makes of it, it makes again of what is stored.
    private func fill(
        _ place: CachePlace, with response: HTTPResponse, acceptedAs status: HTTPStatus, _ run: RequestRun,
        sentAs identity: SentIdentity, since removals: Int
    ) async {
        guard !identity.isAnother else {
            if CachePlace.canStore(response, acceptedAs: status) { self.report(Self.sentAsAnother, run) }
            return
        }
        let url = response.origin?.url == run.request.url ? nil : response.origin?.url
        let (tag, redirects) = (run.options.tag, response.origin?.redirects ?? 0)
        let isWatched = run.watch != nil
        let notice = await self.inTheTimeLeft(of: run) { () async -> String? in
            switch await place.store(
                response, acceptedAs: status, tag: tag, url: url, redirects: redirects, since: removals)
            {
            case .unfit: nil
            case .stored: isWatched ? await place.takeNotice() : nil
            case .left: "the cache did not take the answer in time: it may not be stored"
            }
        }
        if run.lifeline.stopReason == nil { self.report(notice, run) }
    }

    static let sentAsAnother =
        "the answer is not stored: it was sent with another Authorization, cookie or secret field than was declared; "
        + "where an interceptor adds it, give the CachePolicy a scope"

    /// Has a cache take the answer, and waits for that no longer than the whole request may take: the answer came in
    /// time, and stands.
    private func inTheTimeLeft(
        of run: RequestRun, _ work: @escaping @Sendable () async -> String?
    ) async -> String? {
        run.clearTotalDeadline()
        let isQuick = run.watch == nil && run.environment.cacheAccess?.respondsToCancellation == true
        guard let limit = run.timeouts.total, !isQuick else { return await work() }
        let waiter = Waiter<String?>()
        // Unstructured: the deadline ends this wait, and not the request. Ends with it, and soon when it is cancelled.
        let task = spawn { waiter.resume(await work()) }
        let deadline = run.environment.deadlines.set(
            limit, after: run.lifeline.startedAt, stopping: StoppableTask(task), because: .totalTimedOut(limit))
        defer { run.environment.deadlines.clear(deadline) }
        return await withTaskCancellationHandler {
            // Certain to be woken: who is cancelled does not wait for a cache.
            await waiter.waitThroughCancellation() ?? nil
        } onCancel: {
            task.cancel()
        }
    }

    private func report(_ notice: String?, _ run: RequestRun) {
        if let notice { run.observe(.notice(notice)) }
    }
}

extension RequestRun {
    /// Tells accessories what is wrong with the place where responses are kept.
    func reportCacheNotice() async {
        guard let cache = self.environment.cacheAccess, self.watch != nil, let notice = await cache.takeNotice()
        else { return }
        self.observe(.notice(notice))
    }

    /// Publishes a stored response that was accepted, while a newer one is asked for.
    func publishStored(_ response: HTTPResponse, _ cacheStatus: ResponseSource.CacheStatus? = nil) async {
        guard self.lifeline.publishCached() else { return }
        let answer = self.makeAnswer(response, cacheStatus)
        await self.owner?.publish(answer)
        self.noteLast(nil)
        self.lifeline.refresh()
    }
}

extension ErrandError {
    /// Makes the error of a request for which no stored response could be used.
    init(_ miss: CacheMiss) {
        self.init(.notInCache, miss.description, cause: miss)
    }

    /// Why no stored response could be used, where that is the error.
    public var cacheMiss: CacheMiss? { self.cause as? CacheMiss }
}
