internal import ErrandMachines

/// What a run has to do with the cache.
extension RequestRun {
    /// Whether the cache is asked for this request at all.
    var asksCache: Bool { self.cacheUse != .use || self.endpoint.caching.lifetime != nil }

    // MARK: - Before the network

    /// Looks for a stored answer.
    ///
    /// - Returns: How the request ends without the network, if it does.
    @inline(never)
    func askCache() async -> Approach? {
        do throws(CacheMiss) {
            let place = try await self.findPlace()
            guard self.cacheUse.reads else { return nil }
            let age = try await self.load(from: place)
            self.environment.cacheCounts.countHit()
            self.hooks.observe(.cacheHit(age: age), of: self.activity)
            await self.tellNotice()
            guard self.cacheUse == .thenRefresh else { return .cached(age: age) }
            await self.show(age)
            return nil
        } catch {
            guard self.cacheUse.reads else { return nil }
            guard self.lifeline.stopReason == nil else { return .failed(.cancelled()) }
            self.environment.cacheCounts.countMiss()
            self.hooks.observe(.cacheMiss(error), of: self.activity)
            await self.tellNotice()
            return self.cacheUse == .only ? .failed(ErrandError(error)) : nil
        }
    }

    private func findPlace() async throws(CacheMiss) -> CachePlace {
        guard var request = self.request else { throw .notCacheable }
        if case .other(let other) = self.keyRequest { request = other }
        let place = try CachePlace(for: self.endpoint, await self.dress(request), in: self.environment)
        self.cachePlace = place
        return place
    }

    /// Loads a stored answer, and the value with it.
    private func load(from place: CachePlace) async throws(CacheMiss) -> Duration {
        let (entry, age) = try await place.load()
        let stored = entry.response
        (self.storedURL, self.storedRedirects) = (entry.url, entry.redirects)
        do throws(ErrandError) {
            // What this endpoint would not accept from the network it does not take from the cache either.
            let response = self.isAccepted(stored) ? stored : try await self.accept(try await self.process(stored))
            try await self.owner?.decode(response)
            self.response = response
        } catch {
            self.response = nil
            throw .notAccepted
        }
        return age
    }

    /// Shows a stored answer, while a newer one is asked for.
    private func show(_ age: Duration) async {
        guard self.lifeline.showCached() else { return }
        await self.owner?.show(self.makeAnswer(.cache(age: age)))
        self.response = nil
        self.lifeline.refresh()
    }

    // MARK: - After the network

    /// Stores a response as it was received: what a hook makes of it, it makes again of what is stored.
    func fillCache(_ response: HTTPResponse, acceptedAs status: HTTPStatus) async {
        guard let place = self.cachePlace, let removals = self.removalWatch else { return }
        guard !self.isSentAsAnother else {
            if CachePlace.canStore(response, acceptedAs: status) { self.tell(Self.sentAsAnother) }
            return
        }
        let url = self.wireCall?.sent.url == self.request?.url ? nil : self.wireCall?.sent.url
        let (tag, redirects) = (self.owner?.options.tag, self.wireCall?.redirects ?? 0)
        let isWatched = !self.hooks.isEmpty
        let notice = await self.inTheTimeLeft { () async -> String? in
            switch await place.store(
                response, acceptedAs: status, tag: tag, url: url, redirects: redirects, unless: removals)
            {
            case .unfit: nil
            case .stored: isWatched ? await place.noticeAfterStoring() : nil
            case .left: "the cache did not take the answer in time: it may not be stored"
            }
        }
        if self.lifeline.stopReason == nil { self.tell(notice) }
    }

    private static let sentAsAnother =
        "the answer is not stored: it was sent with another Authorization, cookie or secret field than was declared; "
        + "where an interceptor adds it, give the CachePolicy a scope"

    /// Has a cache take the answer, and waits for that no longer than the whole request may take: the answer came in
    /// time, and stands.
    private func inTheTimeLeft(_ work: @escaping @Sendable () async -> String?) async -> String? {
        self.clearTotalDeadline()
        let isQuick = self.hooks.isEmpty && self.environment.askedCache?.isPrompt == true
        guard let limit = self.timeouts.total, !isQuick else { return await work() }
        let waiter = Waiter<String?>()
        // Unstructured: the deadline ends this wait, and not the request. Ends with it, and soon when it is cancelled.
        let task = spawn { waiter.resume(await work()) }
        let deadline = self.environment.deadlines.set(
            limit, after: self.lifeline.startedAt, stopping: StoppableTask(task), because: .totalTimedOut(limit))
        defer { self.environment.deadlines.clear(deadline) }
        return await withTaskCancellationHandler {
            // Certain to be woken: who is cancelled does not wait for a cache.
            await waiter.waitThroughCancellation() ?? nil
        } onCancel: {
            task.cancel()
        }
    }

    /// Tells accessories what is wrong with the place where responses are kept.
    private func tellNotice() async {
        guard let cache = self.environment.askedCache, !self.hooks.isEmpty else { return }
        self.tell(await cache.notice(afterStoring: nil))
    }

    private func tell(_ notice: String?) {
        if let notice { self.hooks.observe(.notice(notice), of: self.activity) }
    }
}

/// The request as the cache tells it from others; small in the many runs that have no other than the one they send.
enum KeyRequest {
    /// The one that is sent.
    case sent
    /// One of its own.
    indirect case other(HTTPRequest)
}

extension ErrandError {
    /// Makes the error of a request for which no stored answer could be used.
    init(_ miss: CacheMiss) {
        self.init(.notInCache, miss.description, cause: miss)
    }

    /// Why no stored answer could be used, where that is the error.
    public var cacheMiss: CacheMiss? { self.cause as? CacheMiss }
}
