internal import ErrandMachines
internal import Foundation

/// One request and its cached response, with a maximum age set by the app.
final class TimedCacheTransaction: CacheTransaction {
    /// The location in the cache, or the reason why no response can be stored.
    private let place: Result<Location, CacheMiss>
    /// The request as it is sent.
    private let request: HTTPRequest
    private let options: EffectiveOptions
    private let environment: RequestEnvironment
    /// The start of the request, from which the age of a response is counted.
    private let askedAt: Date
    let identity: SentIdentity?

    private struct Location {
        let cache: CacheAccess
        let key: CacheKey

        /// The number of explicit removals of the response.
        var removals: Int { self.cache.removals(of: self.key) }

        /// Stores an entry, unless the key has been removed since `removals` was read.
        ///
        /// - Returns: False if the task was cancelled while the cache was storing.
        func store(_ entry: CacheEntry, since removals: Int) async -> Bool {
            await self.cache.store(entry, for: self.key) { self.removals != removals }
        }
    }

    init(
        _ request: HTTPRequest, presentedAs presented: HTTPRequest, of endpoint: any Endpoint,
        with options: SharedOptions, _ environment: RequestEnvironment
    ) {
        let policy = options.value.cachePolicy
        self.place = Result { () throws(CacheMiss) -> Location in
            guard options.value.isInMemory else { throw .notCacheable }
            guard policy.storesAnswers || policy.authority == .http else { throw .invalidLifetime }
            guard let cache = environment.cacheAccess else { throw .noCache }
            guard
                let key = CacheKey(
                    presented, fields: policy.fields, redirects: options.value.redirects, environment.keyFields,
                    endpoint: type(of: endpoint).declaredName, isScoped: policy.scope != nil,
                    partition: environment.cachePartition(for: options))
            else { throw .notCacheable }
            return Location(cache: cache, key: key)
        }
        (self.request, self.options) = (request, options.value)
        (self.environment, self.askedAt) = (environment, environment.date())
        self.identity = (try? self.place.get()).map { _ in
            SentIdentity(presented, fields: policy.fields, hasScope: policy.scope != nil, environment.redaction)
        }
    }

    // MARK: - Before the network

    func lookUpWithoutSuspending(for use: CacheUse) -> CacheLookup? {
        guard case .success(let place) = self.place, use.reads else {
            return use.reads ? nil : CacheLookup(CacheDecision(), nil, removals: self.removals)
        }
        return place.cache.entryWithoutSuspending(for: place.key).flatMap { try? self.lookup($0, for: use) }
    }

    func lookUp(for use: CacheUse) async -> CacheLookup {
        do throws(CacheMiss) {
            let place = try self.place.get()
            return try self.lookup(await place.cache.entry(for: place.key), for: use)
        } catch {
            return CacheLookup(CacheDecision(error, for: use), nil, removals: self.removals)
        }
    }

    /// - Throws: ``CacheMiss`` if the entry must not be used.
    private func lookup(_ entry: CacheEntry, for use: CacheUse) throws(CacheMiss) -> CacheLookup {
        let age = try self.options.cachePolicy.age(
            of: entry, at: self.environment.date(), appVersion: self.environment.appVersion)
        let response = HTTPResponse(
            head: entry.response.head, body: entry.response.body,
            origin: HTTPResponse.Origin(url: entry.url, redirects: entry.redirects, source: .cache(age: age)))
        let decision =
            use == .thenRefresh ? CacheDecision(publishesFirst: true) : CacheDecision(action: .serve(refreshes: false))
        return CacheLookup(decision, response, removals: self.removals)
    }

    private var removals: Int { (try? self.place.get().removals) ?? 0 }

    // MARK: - After the network

    func receive(
        _ response: HTTPResponse, after lookup: CacheLookup, isConditional: Bool, _ run: RequestRun
    ) -> Received? {
        guard case .success(let place) = self.place else { return Received(response) }
        let commit = Received.Cached { status in
            await self.store(response, acceptedAs: status, at: place, since: lookup.removals, run)
        }
        return Received(response, commit)
    }

    func recover(from error: ErrandError, after lookup: CacheLookup, _ run: RequestRun) -> Received? { nil }

    /// Stores a response as it was received.
    ///
    /// Hooks are applied again when it is used.
    private func store(
        _ response: HTTPResponse, acceptedAs status: HTTPStatus, at place: Location, since removals: Int,
        _ run: RequestRun
    ) async {
        guard Self.canStore(response, acceptedAs: status) else { return }
        guard self.identity?.isAnother != true else { return run.observe(.notice(CacheStage.sentAsAnother)) }
        guard place.removals == removals else { return }
        let entry = self.entry(response)
        let isWatched = run.watch != nil
        let notice = await self.inTheTimeLeft(of: run) { () async -> String? in
            guard await place.store(entry, since: removals) else {
                return "the cache did not store the response in time: it may be missing"
            }
            return isWatched ? await place.cache.takeNotice() : nil
        }
        if run.lifeline.stopReason == nil, let notice { run.observe(.notice(notice)) }
    }

    /// True if a response can be stored: complete, in memory, and without an error status.
    private static func canStore(_ response: HTTPResponse, acceptedAs status: HTTPStatus) -> Bool {
        guard case .bytes = response.body, (200..<400).contains(status.rawValue) else { return false }
        // A partial response and a 304 are not complete responses (RFC 9110 §15.3.7, §15.4.5).
        return ![206, 304].contains(response.status.rawValue)
    }

    private func entry(_ response: HTTPResponse) -> CacheEntry {
        let (policy, origin) = (self.options.cachePolicy, response.origin)
        var head = response.head
        // Cookies were meant for one request only.
        head.headers.removeAll(named: HTTPField.Name.setCookie)
        return CacheEntry(
            response: HTTPResponse(head: head, body: response.body), storedAt: self.askedAt,
            receivedAt: self.environment.date(), version: policy.version,
            scope: policy.scope.map { CacheEntry.Scope($0) }, appVersion: self.environment.appVersion,
            tag: self.options.tag,
            url: origin?.url.flatMap { $0 == self.request.url ? nil : try? HTTPURL($0.redacted) },
            redirects: origin?.redirects ?? 0)
    }

    /// Lets the cache store the response, for at most the remaining time of the request.
    ///
    /// The response itself arrived in time and is delivered in any case.
    private func inTheTimeLeft(
        of run: RequestRun, _ work: @escaping @Sendable () async -> String?
    ) async -> String? {
        run.clearTotalDeadline()
        let isQuick = run.watch == nil && run.environment.cacheAccess?.respondsToCancellation == true
        guard let limit = run.timeouts.total, !isQuick else { return await work() }
        let waiter = Waiter<String?>()
        // Unstructured: the deadline ends this wait, not the request. Ends with the store, and soon when cancelled.
        let task = spawn { waiter.resume(await work()) }
        let deadline = run.environment.deadlines.set(
            limit, after: run.lifeline.startedAt, stopping: StoppableTask(task), because: .totalTimedOut(limit))
        defer { run.environment.deadlines.clear(deadline) }
        return await withTaskCancellationHandler {
            // Certain to be woken: a cancelled task does not wait for a cache.
            await waiter.waitThroughCancellation() ?? nil
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: - Explicit changes

    func store(_ response: HTTPResponse) async throws(ErrandError) {
        guard Self.canStore(response, acceptedAs: response.status) else {
            throw ErrandError(.unsupported, "only a complete response in memory without an error status can be stored")
        }
        let place = try self.place.mapError { ErrandError($0) }.get()
        // Without an origin: the URL is that of the request itself.
        let entry = self.entry(HTTPResponse(head: response.head, body: response.body))
        _ = await place.store(entry, since: place.removals)
    }

    func clear() async throws(ErrandError) {
        let place = try self.place.mapError { ErrandError($0) }.get()
        place.cache.noteRemoval(of: place.key)
        try await self.environment.cache?.remove(place.key)
    }
}

extension CachePolicy {
    /// Returns the age of an entry.
    ///
    /// - Throws: ``CacheMiss`` if the entry must not be used.
    fileprivate func age(of entry: CacheEntry, at now: Date, appVersion: String?) throws(CacheMiss) -> Duration {
        // An age that is not a number counts as expired, too. The bounds keep it within the range of a duration.
        let seconds = now.timeIntervalSince(entry.storedAt)
        let age = Duration.seconds(seconds.isFinite ? min(max(seconds, -1e12), 1e12) : -1e12)
        guard seconds >= 0, let lifetime, age <= lifetime else { throw .expired(age: age) }
        guard entry.version == self.version else { throw .versionMismatch }
        guard entry.isStored(for: self.scope) else { throw .scopeMismatch }
        guard entry.appVersion == appVersion else { throw .appVersionMismatch }
        return age
    }
}
