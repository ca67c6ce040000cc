internal import ErrandLocks

/// The part of a request's way that stores and uses responses by the rules of HTTP (RFC 9111).
///
/// What is done is decided by ``HTTPCacheRules``; this carries it out. It is around everything else, so that a stored
/// response needs no slot, no interceptor and no network.
struct HTTPCacheStage: Stage {
    /// What the request asks of the cache.
    let use: CacheUse
    let policy: CachePolicy
    /// The request as the cache tells it from others, where that is not the one that is sent.
    let keyRequest: HTTPRequest?

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        guard let cache = run.environment.cacheAccess else { return try await next.pass(request, run) }
        var call = await HTTPCacheCall(request, cache, self, run)
        run.exchanges.identity = call.identity
        let stored = try await call.answer()
        await run.reportCacheNotice()
        if let stored { return stored }
        do throws(ErrandError) {
            let received = try await next.pass(call.outgoing, run)
            let response = await call.receive(received)
            // About nothing that is stored: the condition was the cache's, and the caller has none.
            guard let response else {
                call.takeBackCondition()
                return await call.receive(try await next.pass(call.outgoing, run))
                    ?? received
            }
            await run.reportCacheNotice()
            return response
        } catch {
            if let response = call.survive(error) { return response }
            throw error
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
        let options = RequestOptions(tag: self.owner?.options.tag, priority: .low, cacheUse: .thenRefresh)
        let request = Request(endpoint, options: options, environment: self.environment)
        // Unstructured: who got the stale response does not wait for a newer one. Ends with that request, which is in the
        // record.
        spawn { [environment = self.environment] in
            await request.send()
            environment.cacheRefreshes.withLock { _ = $0.remove(key) }
        }
    }
}
