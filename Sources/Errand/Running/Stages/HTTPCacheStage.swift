internal import ErrandLocks

/// The part of a request's way that stores and uses responses by the rules of HTTP (RFC 9111).
///
/// What is done is decided by ``HTTPCacheRules``; this carries it out. It is around everything else, so that a stored
/// response needs no slot, no interceptor and no network.
final class HTTPCacheStage: Stage {
    /// What the request asks of the cache.
    let use: CacheUse
    let policy: CachePolicy
    let cache: CacheAccess

    init(use: CacheUse, policy: CachePolicy, in cache: CacheAccess) {
        (self.use, self.policy, self.cache) = (use, policy, cache)
    }

    var mayWait: Bool { self.cache.mayWait }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let presented = await run.identified(run.call.keyRequest ?? request)
        let call = HTTPCacheCall(request, presentedAs: presented, self, run)
        if let stored = try await call.stored(run) { return call.delivering(stored) }
        var next = next
        next.identity = call.identity
        do throws(ErrandError) {
            let received = try await next.pass(call.makeOutgoing(), run).response
            if let response = await call.receive(received, run) { return call.delivering(response) }
            // About nothing that is stored: the condition was the cache's, and the caller has none.
            call.takeBackCondition()
            let whole = try await next.pass(call.makeOutgoing(), run).response
            return call.delivering(await call.receive(whole, run) ?? received)
        } catch {
            if let response = call.survive(error, run) { return call.delivering(response) }
            throw error
        }
    }
}

extension RequestRun {
    /// Refreshes what is stored and was used though it is stale, if nobody is about to: by a request of its own.
    func refreshStored(_ key: CacheKey) {
        let environment = self.environment
        guard environment.cacheRefreshes.withLock({ $0.insert(key).inserted }) else { return }
        var terms = self.terms
        terms.options = SharedOptions(self.options.refreshing)
        self.owner?.sendAnew(on: terms) { environment.cacheRefreshes.withLock { _ = $0.remove(key) } }
    }
}
