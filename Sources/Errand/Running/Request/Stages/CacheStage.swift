internal import ErrandMachines

/// The part of a request's way that looks for a stored response, and stores what the network answers.
final class CacheStage: Stage {
    /// What the request asks of the cache.
    let use: CacheUse
    /// What is kept, and for how long.
    let policy: CachePolicy
    /// The request as the cache tells it from others, where that is not the one that is sent.
    let keyRequest: HTTPRequest?

    init(use: CacheUse, policy: CachePolicy, keyRequest: HTTPRequest?) {
        (self.use, self.policy, self.keyRequest) = (use, policy, keyRequest)
    }

    var processesResponses: Bool { true }

    private enum Look {
        case hit(HTTPResponse)
        /// The network is to be asked; its response has this place, if it can be stored at all.
        case ask(CachePlace?)
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        let known = run.identifiedAtHand(self.keyRequest ?? request)
            .flatMap { try? CachePlace(for: run.endpoint, run.shared, self.policy, $0, in: run.environment) }
        if let known, let response = await self.responseAtHand(in: known, run) { return response }
        return try await self.ask(request, run, next, known)
    }

    /// Looks for a stored response where that may have to be waited for, or asks the network.
    @inline(never)
    private func ask(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages, _ known: CachePlace?
    ) async throws(ErrandError) -> HTTPResponse {
        guard let owner = run.owner else { throw .cancelled() }
        let look = try await owner.inCancellableTask(of: run.lifeline, immediately: true) { run throws(ErrandError) in
            try await self.look(for: request, at: known, run)
        }
        let place: CachePlace
        switch look {
        case .hit(let response): return response
        case .ask(nil): return try await run.process(try await next.enter(request, run))
        case .ask(let known?): place = known
        }
        run.exchanges.identity = place.identity
        let removals = place.removals
        let received = try await next.enter(request, run)
        let response = try await run.process(received)
        let status = response.status
        await owner.inCancellableTask(of: run.lifeline, immediately: false) { run throws(Never) in
            await self.fill(place, with: received, acceptedAs: status, run, since: removals)
        }
        return response
    }

    // MARK: - Before the network

    /// Returns the stored response where nothing has to be waited for, and no task is needed that a stop can cancel.
    private func responseAtHand(in place: CachePlace, _ run: RequestRun) async -> HTTPResponse? {
        guard self.use.reads, self.use != .thenRefresh, let (response, age) = place.responseAtHand(),
            run.isQuickToProcess(response), (try? await run.processQuickly(response)) != nil
        else { return nil }
        self.noteHit(age, run)
        return response
    }

    private func noteHit(_ age: Duration, _ run: RequestRun) {
        run.environment.cacheCounts.countHit()
        run.hooks.observe(.cacheHit(age: age), of: run.activity)
    }

    private func look(
        for request: HTTPRequest, at known: CachePlace?, _ run: RequestRun
    ) async throws(ErrandError) -> Look {
        var place = known
        do throws(CacheMiss) {
            if place == nil {
                let identified = await run.identified(self.keyRequest ?? request)
                place = try CachePlace(
                    for: run.endpoint, run.shared, self.policy, identified, in: run.environment)
            }
            guard let known = place else { return .ask(nil) }
            guard self.use.reads else { return .ask(known) }
            let (response, age) = try await self.load(from: known, run)
            self.noteHit(age, run)
            await run.reportCacheNotice()
            guard self.use == .thenRefresh else { return .hit(response) }
            await run.publishStored(response)
        } catch {
            guard self.use.reads else { return .ask(place) }
            guard run.lifeline.stopReason == nil else { throw .cancelled() }
            run.environment.cacheCounts.countMiss()
            run.hooks.observe(.cacheMiss(error), of: run.activity)
            await run.reportCacheNotice()
            if self.use == .only { throw ErrandError(error) }
        }
        return .ask(place)
    }

    /// Loads a stored answer, and takes it in: what this endpoint would not accept from the network it does not take from
    /// the cache either.
    private func load(
        from place: CachePlace, _ run: RequestRun
    ) async throws(CacheMiss) -> (HTTPResponse, age: Duration) {
        let (entry, age) = try await place.load()
        do throws(ErrandError) {
            return (try await run.accept(entry.response(at: age)), age)
        } catch {
            run.exchanges.response = nil
            throw .notAccepted
        }
    }

    // MARK: - After the network

    /// Stores a response as it was received: what a hook makes of it, it makes again of what is stored.
    private func fill(
        _ place: CachePlace, with response: HTTPResponse, acceptedAs status: HTTPStatus, _ run: RequestRun,
        since removals: Int
    ) async {
        guard run.exchanges.identity?.isAnother != true else {
            if CachePlace.canStore(response, acceptedAs: status) { self.report(Self.sentAsAnother, run) }
            return
        }
        let url = response.origin?.url == run.request?.url ? nil : response.origin?.url
        let (tag, redirects) = (run.options.tag, response.origin?.redirects ?? 0)
        let isWatched = !run.hooks.isEmpty
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
        let isQuick = run.hooks.isEmpty && run.environment.cacheAccess?.respondsToCancellation == true
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
        if let notice { run.hooks.observe(.notice(notice), of: run.activity) }
    }
}

extension RequestRun {
    /// Tells accessories what is wrong with the place where responses are kept.
    func reportCacheNotice() async {
        guard let cache = self.environment.cacheAccess, !self.hooks.isEmpty, let notice = await cache.takeNotice()
        else { return }
        self.hooks.observe(.notice(notice), of: self.activity)
    }

    /// Publishes a stored response that was accepted, while a newer one is asked for.
    func publishStored(_ response: HTTPResponse) async {
        guard self.lifeline.publishCached() else { return }
        await self.owner?.publish(self.makeAnswer(response))
        self.exchanges.response = nil
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
