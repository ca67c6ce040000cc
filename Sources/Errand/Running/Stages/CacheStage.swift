internal import ErrandLocks

/// The stage that answers from the cache, and stores responses from the network.
///
/// The rules of the request's policy decide, see ``CacheTransaction``; this stage carries out the decision. It is the
/// outermost stage, so that a cached response needs no slot, no interceptor, and no network.
final class CacheStage: Stage {
    static let sentAsAnother =
        "the response is not cached: the request was sent with another Authorization, cookie, or secret field than "
        + "declared; if an interceptor adds it, give the CachePolicy a scope"

    private let use: CacheUse
    /// True if a cached response is used only once the endpoint has accepted it.
    ///
    /// By the rules of HTTP, responses that the endpoint refuses are stored and used, too.
    private let acceptsFirst: Bool
    let mayWait: Bool

    init(use: CacheUse, by authority: CachePolicy.Authority, in cache: CacheAccess?) {
        (self.use, self.acceptsFirst, self.mayWait) = (use, authority == .app, cache?.mayWait ?? false)
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let presented = await run.identified(run.call.keyRequest ?? request)
        let transaction = run.environment.cacheTransaction(
            for: request, presentedAs: presented, of: run.call.endpoint, with: run.shared)
        let known = transaction.lookUpWithoutSuspending(for: self.use)
        let lookup = if let known { known } else { await transaction.lookUp(for: self.use) }
        if let stored = try await self.stored(lookup, isImmediate: known != nil, run) { return stored }
        var next = next
        next.identity = transaction.identity
        do throws(ErrandError) {
            let received = try await next.pass(lookup.outgoing(request), run).response
            let isConditional = !lookup.decision.conditions.isEmpty
            let response = await transaction.receive(received, after: lookup, isConditional: isConditional, run)
            if let response { return response }
            return try await Self.receiveAgain(request, transaction, lookup, run, next)
        } catch {
            if let stored = transaction.recover(from: error, after: lookup, run) { return stored }
            throw error
        }
    }

    /// Requests again without the condition, which the cache had added.
    @inline(never)
    private static func receiveAgain(
        _ request: HTTPRequest, _ transaction: any CacheTransaction, _ lookup: CacheLookup, _ run: RequestRun,
        _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let whole = try await next.pass(request, run).response
        return await transaction.receive(whole, after: lookup, isConditional: false, run) ?? Received(whole)
    }

    // MARK: - Before the network

    /// Returns the cached response if it is the final one, or publishes it; returns `nil` if the network is to be used.
    ///
    /// - Throws: ``ErrandError`` if the network must not be used.
    private func stored(
        _ lookup: CacheLookup, isImmediate: Bool, _ run: RequestRun
    ) async throws(ErrandError) -> Received? {
        let response = await self.accepted(lookup, run)
        guard run.lifeline.stopReason == nil else { throw .cancelled() }
        guard let response else {
            let isRefused = lookup.response != nil
            try await self.note(isRefused ? CacheDecision(.notAccepted, for: self.use) : lookup.decision, run)
            return nil
        }
        let status = lookup.decision.freshness.map {
            ResponseSource.CacheStatus(timeToLive: .seconds(clamping: $0.timeToLive))
        }
        run.noteHit(response, status)
        let isPublished = lookup.decision.publishesFirst
        if !isImmediate || isPublished { await run.reportCacheNotice() }
        guard !isPublished else {
            await run.publishStored(response, status)
            return nil
        }
        if case .serve(refreshes: true) = lookup.decision.action, let key = lookup.found?.key { run.refreshStored(key) }
        return Received(response, Received.Cached(isAccepted: self.acceptsFirst, status: status))
    }

    /// The cached response, if it is used.
    ///
    /// A response that the endpoint would refuse from the network is refused from the cache, too.
    private func accepted(_ lookup: CacheLookup, _ run: RequestRun) async -> HTTPResponse? {
        guard let response = lookup.response else { return nil }
        guard self.acceptsFirst || lookup.decision.publishesFirst else { return response }
        do throws(ErrandError) { return try await run.process(response) } catch { run.noteLast(nil) }
        return nil
    }

    /// Reports that no cached response is used, if one was looked up.
    ///
    /// - Throws: ``ErrandError`` if only the cache may be used.
    private func note(_ decision: CacheDecision, _ run: RequestRun) async throws(ErrandError) {
        if let miss = decision.miss {
            run.environment.cacheCounts.countMiss()
            run.observe(.cacheMiss(miss))
        }
        if self.use.reads { await run.reportCacheNotice() }
        guard case .fail = decision.action else { return }
        if let forward = decision.forward {
            run.observe(.cacheStatus(ResponseSource.CacheStatus(forward: forward, detail: "only-if-cached")))
        }
        throw decision.error
    }
}

extension RequestRun {
    fileprivate func noteHit(_ response: HTTPResponse, _ status: ResponseSource.CacheStatus?) {
        self.environment.cacheCounts.countHit()
        switch response.origin?.source {
        case .cache(let age), .stale(let age): self.observe(.cacheHit(age: age))
        case .network, .coalesced, .revalidated, nil: break
        }
        if let status { self.observe(.cacheStatus(status)) }
    }

    /// Reports problems with the cache storage to accessories.
    func reportCacheNotice() async {
        guard let cache = self.environment.cacheAccess, self.watch != nil, let notice = await cache.takeNotice()
        else { return }
        self.observe(.notice(notice))
    }

    /// Publishes an accepted cached response while a newer one is requested.
    fileprivate func publishStored(_ response: HTTPResponse, _ cacheStatus: ResponseSource.CacheStatus?) async {
        guard self.lifeline.publishCached() else { return }
        let answer = self.makeAnswer(response, cacheStatus)
        await self.owner?.publish(answer)
        self.noteLast(nil)
        self.lifeline.refresh()
    }

    /// Refreshes a stale response that was used, with a separate request.
    ///
    /// Has no effect while a refresh is in progress.
    fileprivate func refreshStored(_ key: CacheKey) {
        let environment = self.environment
        guard environment.cacheRefreshes.withLock({ $0.insert(key).inserted }) else { return }
        var terms = self.terms
        terms.options = SharedOptions(self.options.refreshing)
        self.owner?.sendAnew(on: terms) { environment.cacheRefreshes.withLock { _ = $0.remove(key) } }
    }
}

extension ErrandError {
    /// Creates the error of a request for which no cached response could be used.
    init(_ miss: CacheMiss) {
        self.init(.notInCache, miss.description, cause: miss)
    }

    /// The reason why no cached response could be used, if that is the cause of the error.
    public var cacheMiss: CacheMiss? { self.cause as? CacheMiss }
}
