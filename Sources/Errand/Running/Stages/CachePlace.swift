internal import Foundation

/// Where the response to one request is stored, and on which conditions.
final class CachePlace: Sendable {
    private let cache: CacheAccess
    private let key: CacheKey
    private let policy: CachePolicy
    /// The request that the key is of.
    private let request: HTTPRequest
    private let environment: RequestEnvironment
    /// When whoever asks began to: a response is as old as that.
    private let askedAt: Date

    /// Finds the place for an endpoint's answer to a request.
    ///
    /// - Throws: ``CacheMiss`` when there is none: no such answer may be or can be stored.
    init(
        for endpoint: any Endpoint, _ options: SharedOptions, _ policy: CachePolicy, _ request: HTTPRequest,
        in environment: RequestEnvironment
    ) throws(CacheMiss) {
        guard options.value.isInMemory else { throw .notCacheable }
        guard policy.storesAnswers || policy.authority == .http else { throw .invalidLifetime }
        guard let cache = environment.cacheAccess else { throw .noCache }
        guard
            let key = CacheKey(
                request, fields: policy.fields, redirects: options.value.redirects,
                environment.keyFields, endpoint: type(of: endpoint).declaredName,
                isScoped: policy.scope != nil, partition: environment.cachePartition(for: options))
        else { throw .notCacheable }
        self.cache = cache
        self.key = key
        self.policy = policy
        self.request = request
        self.environment = environment
        self.askedAt = environment.date()
    }

    /// How often something was removed by hand, by this client or from this cache; one removal may count twice.
    var removals: Int { self.environment.cacheCounts.removals[self.key] &+ self.cache.removals(of: self.key) }

    /// What finds out whether requests go out as the one whom the key knows.
    var identity: SentIdentity {
        SentIdentity(
            self.request, fields: self.policy.fields, hasScope: self.policy.scope != nil, self.environment.redaction)
    }

    /// What came of storing a response.
    enum Storing {
        case stored
        /// It is none that may be stored.
        case unfit
        /// The task was cancelled while the cache was at it.
        case left
    }

    /// Returns what is stored, and how old it is.
    ///
    /// - Throws: ``CacheMiss`` when nothing is, or it must not be used.
    func load() async throws(CacheMiss) -> (entry: CacheEntry, age: Duration) {
        let entry = try await self.cache.entry(for: self.key)
        return (entry, try self.age(of: entry))
    }

    /// The same, as a request gets it.
    ///
    /// - Throws: ``CacheMiss`` when nothing is stored, or it must not be used.
    func loadResponse() async throws(CacheMiss) -> (response: HTTPResponse, age: Duration) {
        let (entry, age) = try await self.load()
        return (entry.response(at: age), age)
    }

    /// The same where it is at hand; `nil` where the cache has to be waited for, or what it has
    /// must not be used.
    func responseAtHand() -> (response: HTTPResponse, age: Duration)? {
        guard let entry = self.cache.entryAtHand(for: self.key), let age = try? self.age(of: entry) else { return nil }
        return (entry.response(at: age), age)
    }

    private func age(of entry: CacheEntry) throws(CacheMiss) -> Duration {
        try self.policy.age(of: entry, at: self.environment.date(), appVersion: self.environment.appVersion)
    }

    /// Tells whether a response is one that can be stored: a whole one, in memory, that tells of no error.
    ///
    /// - Parameters:
    ///   - response: The response as it came.
    ///   - status: That of what an endpoint's hook made of it.
    /// - Returns: Whether it can be.
    static func canStore(_ response: HTTPResponse, acceptedAs status: HTTPStatus) -> Bool {
        guard case .bytes = response.body, (200..<400).contains(status.rawValue) else { return false }
        // Part of a response is not the response, nor is word that it has not changed (RFC 9110 §15.3.7, §15.4.5).
        return ![206, 304].contains(response.status.rawValue)
    }

    /// Stores a response that was accepted, if it is one that can be.
    ///
    /// - Parameters:
    ///   - response: The response as it came.
    ///   - status: That of what an endpoint's hook made of it.
    ///   - tag: The tag of the request.
    ///   - url: The URL that answered, if that is another than the request's own.
    ///   - redirects: How many redirections were followed to it.
    ///   - removals: The ``removals`` when it was asked for: what was removed since must not come back.
    /// - Returns: What came of it.
    @discardableResult
    func store(
        _ response: HTTPResponse, acceptedAs status: HTTPStatus, tag: String?, url: HTTPURL? = nil, redirects: Int = 0,
        since removals: Int
    ) async -> Storing {
        guard Self.canStore(response, acceptedAs: status), self.removals == removals else { return .unfit }
        var head = response.head
        // They were for the one who asked, once.
        head.headers.removeAll(named: HTTPField.Name.setCookie)
        let entry = CacheEntry(
            response: HTTPResponse(head: head, body: response.body), storedAt: self.askedAt,
            receivedAt: self.environment.date(), version: self.policy.version,
            scope: self.policy.scope.map { CacheEntry.Scope($0) }, appVersion: self.environment.appVersion, tag: tag,
            url: url.flatMap { try? HTTPURL($0.redacted) }, redirects: redirects)
        return await self.cache.store(entry, for: self.key) { self.removals != removals } ? .stored : .left
    }

    /// What is wrong with the place where responses are kept, if there is something new.
    func takeNotice() async -> String? {
        await self.cache.takeNotice()
    }

    /// Removes what is stored.
    ///
    /// - Throws: ``ErrandError``, as the cache throws it.
    func clear() async throws(ErrandError) {
        self.environment.cacheCounts.removals.note(self.key)
        try await self.environment.cache?.remove(self.key)
    }
}

extension CacheEntry {
    /// The response as a request gets it.
    func response(at age: Duration) -> HTTPResponse {
        HTTPResponse(
            head: self.response.head, body: self.response.body,
            origin: HTTPResponse.Origin(url: self.url, redirects: self.redirects, source: .cache(age: age)))
    }
}

extension CachePolicy {
    /// Returns how old an entry is.
    ///
    /// - Throws: ``CacheMiss`` when it must not be used.
    fileprivate func age(of entry: CacheEntry, at now: Date, appVersion: String?) throws(CacheMiss) -> Duration {
        // What has no sensible age at all counts as expired, too; the bounds are those of a duration that can be told.
        let seconds = now.timeIntervalSince(entry.storedAt)
        let age = Duration.seconds(seconds.isFinite ? min(max(seconds, -1e12), 1e12) : -1e12)
        guard seconds >= 0, let lifetime, age <= lifetime else { throw .expired(age: age) }
        guard entry.version == self.version else { throw .versionMismatch }
        switch (entry.scope, self.scope) {
        case (nil, nil): break
        case (let stored?, let scope?) where stored.matches(scope): break
        default: throw .scopeMismatch
        }
        guard entry.appVersion == appVersion else { throw .appVersionMismatch }
        return age
    }
}
