internal import ErrandLocks

/// The part of a request's way that stores and uses responses by the rules of HTTP (RFC 9111).
///
/// What is done is decided by ``HTTPCacheRules``; this carries it out. It is around everything else, so that a stored
/// response needs no slot, no interceptor and no network.
final class HTTPCacheStage: Stage {
    /// What the request asks of the cache.
    let use: CacheUse
    let policy: CachePolicy
    /// The request as the cache tells it from others, where that is not the one that is sent.
    let keyRequest: HTTPRequest?

    init(use: CacheUse, policy: CachePolicy, keyRequest: HTTPRequest?) {
        (self.use, self.policy, self.keyRequest) = (use, policy, keyRequest)
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        guard let cache = run.environment.cacheAccess else { return try await next.pass(request, run) }
        if let stored = try await self.look(for: request, in: cache, run) { return stored }
        guard let call = run.exchanges.cacheCall else { throw .cancelled() }
        run.exchanges.identity = call.identity
        do throws(ErrandError) {
            let received = try await next.pass(call.makeOutgoing(), run)
            if let response = await self.receive(received, run) { return response }
            // About nothing that is stored: the condition was the cache's, and the caller has none.
            call.takeBackCondition()
            let whole = try await next.pass(call.makeOutgoing(), run)
            return await self.receive(whole, run) ?? received
        } catch {
            if let response = call.survive(error, run) { return response }
            throw error
        }
    }

    /// Looks for what is stored; where that is at hand nothing has to be waited for, and no task is needed that a stop can
    /// cancel.
    ///
    /// - Returns: What is stored, where that is the response.
    private func look(
        for request: HTTPRequest, in cache: CacheAccess, _ run: RequestRun
    ) async throws(ErrandError) -> HTTPResponse? {
        let keyRequest = self.keyRequest ?? request
        run.exchanges.cacheCall = run.identifiedAtHand(keyRequest)
            .map { HTTPCacheCall(request, presentedAs: $0, cache, self, run) }
        if self.use != .thenRefresh, let call = run.exchanges.cacheCall, call.lookAtHand(run) {
            return try call.answerAtOnce(run)
        }
        return try await self.lookElsewhere(for: request, keyRequest, in: cache, run)
    }

    /// The same where what is stored may have to be waited for.
    @inline(never)
    private func lookElsewhere(
        for request: HTTPRequest, _ keyRequest: HTTPRequest, in cache: CacheAccess, _ run: RequestRun
    ) async throws(ErrandError) -> HTTPResponse? {
        try await run.whileStoppable { run throws(ErrandError) in
            let call: HTTPCacheCall
            if let known = run.exchanges.cacheCall {
                call = known
            } else {
                let presented = await run.identified(keyRequest)
                call = HTTPCacheCall(request, presentedAs: presented, cache, self, run)
                run.exchanges.cacheCall = call
            }
            await call.look(run)
            let stored = try await call.answer(run)
            await run.reportCacheNotice()
            return stored
        }
    }

    private func receive(_ received: HTTPResponse, _ run: RequestRun) async -> HTTPResponse? {
        await run.whileStoppable { run throws(Never) in
            guard let call = run.exchanges.cacheCall else { return received }
            let response = await call.receive(received, run)
            await run.reportCacheNotice()
            return response
        }
    }
}

extension RequestRun {
    /// Refreshes what is stored and was used though it is stale, if nobody is about to: by a request of its own.
    func refreshStored(_ key: CacheKey) {
        guard self.environment.cacheRefreshes.withLock({ $0.insert(key).inserted }) else { return }
        self.refresh(self.endpoint, key)
    }

    private func refresh<E: Endpoint>(_ endpoint: E, _ key: CacheKey) {
        var terms = self.terms
        terms.options = SharedOptions(self.options.refreshing)
        let request = Request(endpoint, on: terms, environment: self.environment)
        // Unstructured: who got the stale response does not wait for a newer one. Ends with that request, which is in the
        // record.
        spawn { [environment = self.environment] in
            await request.send()
            environment.cacheRefreshes.withLock { _ = $0.remove(key) }
        }
    }
}
