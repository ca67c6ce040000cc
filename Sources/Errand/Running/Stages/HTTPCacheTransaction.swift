internal import struct Foundation.Data
internal import struct Foundation.Date
internal import struct Foundation.URL

/// One request and its cached responses, by the rules of HTTP (RFC 9111).
///
/// ``HTTPCacheRules`` make the decision; this class carries it out. Responses that the endpoint refuses are stored,
/// too, so that storing does not wait for acceptance.
final class HTTPCacheTransaction: CacheTransaction {
    /// The maximum size of a downloaded file whose content is also stored in the cache.
    private static let mostFileBytes = 1 << 20

    private let request: HTTPRequest
    /// The request with its identity, as the cache distinguishes it.
    private let presented: HTTPRequest
    private let options: EffectiveOptions
    private let environment: RequestEnvironment
    private let place: HTTPCacheLocation
    private let askedAt: Date
    let identity: SentIdentity?

    init(
        _ request: HTTPRequest, presentedAs presented: HTTPRequest, of endpoint: any Endpoint,
        with options: SharedOptions, in cache: CacheAccess, _ environment: RequestEnvironment
    ) {
        let scope = options.value.cachePolicy.scope
        // A hook may have changed the method after the key was determined.
        var presented = presented
        presented.method = request.method
        (self.request, self.presented, self.options) = (request, presented, options.value)
        (self.environment, self.askedAt) = (environment, environment.date())
        self.place = HTTPCacheLocation(
            for: presented, in: cache, of: endpoint, with: options, scope: scope, environment)
        self.identity = SentIdentity(presented, fields: .standard, hasScope: scope != nil, environment.redaction)
    }

    // MARK: - Before the network

    func lookUpWithoutSuspending(for use: CacheUse) -> CacheLookup? {
        let removals = self.place.removals
        guard self.presented.mayBeStored,
            let found = self.place.findWithoutSuspending(withRedirections: self.options.redirects.kind == .never)
        else { return nil }
        return self.decide(on: found, use, since: removals)
    }

    func lookUp(for use: CacheUse) async -> CacheLookup {
        let removals = self.place.removals
        let found =
            self.presented.mayBeStored
            ? await self.place.find(withRedirections: self.options.redirects.kind == .never) : self.place.nothing
        return self.decide(on: found, use, since: removals)
    }

    private func decide(on found: HTTPCacheLocation.Candidates, _ use: CacheUse, since removals: Int) -> CacheLookup {
        let hasRange =
            !self.request.headers.contains(HTTPField.Name.range)
            || found.entry.map { self.response(from: $0, nil) != nil } ?? false
        let decision = HTTPCacheRules.decide(
            self.presented, found.entry?.stored, tags: found.isEmpty ? nil : { found.tags },
            now: self.environment.date(), staleIfError: self.options.cachePolicy.staleIfError.map { $0 / .seconds(1) },
            use: use, hasRange: hasRange, isInMemory: self.options.isInMemory)
        let used = decision.usesStored ? found.entry.flatMap { self.response(from: $0, decision.freshness) } : nil
        return CacheLookup(decision, used, found, removals: removals)
    }

    /// The stored response as delivered to the request; `nil` if the requested range is not available.
    ///
    /// `freshness` is `nil` if the server has just validated the response.
    private func response(from entry: CacheEntry, _ freshness: HTTPFreshness?) -> HTTPResponse? {
        var response = entry.response
        if let freshness { response.head.headers[HTTPField.Name.age] = "\(Int(clamping: freshness.age))" }
        let now = self.environment.date()
        let isNotModified = HTTPValidation.isNotModified(response.head, for: self.request.headers, respondedAt: now)
        if isNotModified == true, response.status == .ok {
            response = HTTPResponse(head: HTTPValidation.notModified(response.head), body: .bytes(Data()))
        } else {
            guard let part = response.answering(self.request.headers) else { return nil }
            response = part
        }
        if self.request.method == .head { response.body = .bytes(Data()) }
        response.origin = HTTPResponse.Origin(url: entry.url, redirects: 0, source: freshness?.source ?? .revalidated)
        return response
    }

    // MARK: - After the network

    func receive(
        _ received: HTTPResponse, after lookup: CacheLookup, isConditional: Bool, _ run: RequestRun
    ) async -> Received? {
        guard let found = lookup.found else { return Received(received) }
        let response = await self.response(for: received, found, lookup, isConditional: isConditional, run)
        await run.reportCacheNotice()
        return response
    }

    private func response(
        for received: HTTPResponse, _ found: HTTPCacheLocation.Candidates, _ lookup: CacheLookup, isConditional: Bool,
        _ run: RequestRun
    ) async -> Received? {
        let forwarded = ResponseSource.CacheStatus(
            forward: lookup.decision.forward, forwardStatus: received.status)
        guard self.request.method == .get || self.request.method == .query else {
            let delivered = Self.deliver(received, forwarded, run)
            await self.receiveOther(received, found, since: lookup.removals, run)
            return delivered
        }
        if [500, 502, 503, 504].contains(received.status.code),
            let response = self.serveOnError(forwarded, lookup, run)
        {
            return response
        }
        guard received.status == .notModified else {
            let isStored = await self.store(received, beside: found, since: lookup.removals, run)
            return Self.deliver(received, forwarded, isStored: isStored, run)
        }
        return await self.receiveNotModified(
            received, found, since: lookup.removals, forwarded, isConditional: isConditional, run)
    }

    private func receiveNotModified(
        _ received: HTTPResponse, _ found: HTTPCacheLocation.Candidates, since removals: Int,
        _ forwarded: ResponseSource.CacheStatus, isConditional: Bool, _ run: RequestRun
    ) async -> Received? {
        guard let selected = Self.selected(by: received, among: found.candidates, isConditional: isConditional),
            let entry = await self.place.load(selected, of: found)
        else { return isConditional ? nil : Self.deliver(received, forwarded, run) }
        let renewed = self.renewed(entry, by: received)
        let isStored = self.refusal(of: renewed.response.head) == nil && self.isSentAsPresented(received, run)
        if isStored {
            await self.place.store(renewed, beside: found, since: removals)
        } else if selected == found.candidates.first {
            await self.place.drop(found)
        }
        // The condition was the caller's own, and so is the 304.
        guard isConditional else { return Self.deliver(received, forwarded, isStored: isStored, run) }
        return Self.deliver(
            self.validated(renewed, by: received), forwarded, isStored: isStored, detail: "revalidated", run)
    }

    /// The stored response that a 304 refers to.
    private static func selected(
        by received: HTTPResponse, among candidates: [CacheEntry.HTTPRecord.Variant], isConditional: Bool
    ) -> CacheEntry.HTTPRecord.Variant? {
        guard !received.isRedirected else { return nil }
        return HTTPValidation.position(
            selectedBy: received.head, among: candidates.map { (tag: $0.tag, modified: $0.modified) },
            isAsked: isConditional
        ).map { candidates[$0] }
    }

    /// An entry updated with the fields of a newer response.
    @inline(never)
    private func renewed(_ entry: CacheEntry, by received: HTTPResponse) -> CacheEntry {
        let headers = HTTPStorability.updatedFields(entry.response.headers, with: received.headers)
        let head = HTTPResponse.Head(status: entry.response.status, headers: headers)
        return self.entry(HTTPResponse(head: head, body: entry.response.body), at: entry.url)
    }

    /// The stored response after a 304 has validated it.
    @inline(never)
    private func validated(_ renewed: CacheEntry, by received: HTTPResponse) -> HTTPResponse {
        var response = self.response(from: renewed, nil) ?? renewed.response
        response.origin = HTTPResponse.Origin(url: renewed.url, redirects: 0, source: .revalidated)
        response.metrics = received.metrics
        return response
    }

    /// Updates or removes the stored response after a HEAD, which describes its current state.
    private func receiveOther(
        _ received: HTTPResponse, _ found: HTTPCacheLocation.Candidates, since removals: Int, _ run: RequestRun
    ) async {
        guard self.request.method == .head, received.status == .ok, !received.isRedirected, let entry = found.entry,
            self.isSentAsPresented(received, run)
        else { return }
        let renewed = self.renewed(entry, by: received)
        guard HTTPValidation.agrees(entry.response, withHead: received.head),
            self.refusal(of: renewed.response.head) == nil
        else { return await self.place.drop(found) }
        await self.place.store(renewed, beside: found, since: removals)
    }

    /// Stores a response, or removes the one that it supersedes.
    private func store(
        _ received: HTTPResponse, beside found: HTTPCacheLocation.Candidates, since removals: Int, _ run: RequestRun
    ) async -> Bool {
        guard self.refusal(of: received.head) == nil, !received.isRedirected, self.isSentAsPresented(received, run),
            let body = await self.body(of: received)
        else {
            // A partial response, a response to a request with content, or a temporary refusal does not affect the
            // stored one.
            if (200..<400).contains(received.status.code) || [404, 410].contains(received.status.code),
                !self.request.headers.contains(HTTPField.Name.range), self.request.uncachedContent == nil
            {
                await self.place.drop(found)
            }
            return false
        }
        let head = HTTPResponse.Head(
            status: received.status, headers: HTTPStorability.storedFields(received.headers))
        let url = received.origin?.url.flatMap { $0 == self.presented.url ? nil : try? HTTPURL($0.redacted) }
        let entry = self.entry(HTTPResponse(head: head, body: .bytes(body)), at: url)
        await self.place.store(entry, beside: found, since: removals)
        return self.place.removals == removals
    }

    private func entry(_ response: HTTPResponse, at url: HTTPURL?) -> CacheEntry {
        let now = self.environment.date()
        return CacheEntry(
            response: response, storedAt: self.askedAt, receivedAt: now, tag: self.options.tag, url: url,
            http: CacheEntry.HTTPRecord(respondedAt: now))
    }

    private func refusal(of head: HTTPResponse.Head) -> CacheReason? {
        if head.status.isFollowable, self.options.redirects.kind != .never {
            return CacheReason("a followed redirection is not stored", "")
        }
        // Everything that the key depends on must be known.
        if let reason = self.presented.uncachedContent { return reason }
        // A HEAD describes the response to a GET.
        var request = self.request
        if request.method == .head { request.method = .get }
        return HTTPStorability.refusal(
            of: head, to: request, keepsForErrors: self.options.cachePolicy.staleIfError != nil)
    }

    /// True if the request was sent with the identity in the key, and with the fields that the response depends on.
    private func isSentAsPresented(_ received: HTTPResponse, _ run: RequestRun) -> Bool {
        guard self.identity?.isAnother != true else {
            run.observe(.notice(CacheStage.sentAsAnother))
            return false
        }
        guard let request = received.origin?.request else { return true }
        // The key contains the original query, not one changed by an interceptor.
        guard request.queryDigest == self.request.queryDigest else { return false }
        let sent = request.headers
        let names = HTTPVary(received.headers).names.filter { !self.environment.redaction.hides($0) }
        return names.allSatisfy { sent.values(for: $0) == self.presented.headers.values(for: $0) }
    }

    /// The content, if it is complete and fits into memory.
    private func body(of response: HTTPResponse) async -> Data? {
        switch (response.body, self.options.destination.kind) {
        case (.bytes(let data), .memory): response.isCut ? nil : data
        case (.file(let file), .file):
            (TemporaryFile.size(of: file) ?? .max) <= Self.mostFileBytes ? await Data.small(at: file) : nil
        default: nil
        }
    }

    /// Returns a response with the cache status.
    private static func deliver(
        _ response: HTTPResponse, _ status: ResponseSource.CacheStatus, isStored: Bool = false, detail: String? = nil,
        _ run: RequestRun
    ) -> Received {
        var status = status
        (status.isStored, status.detail) = (isStored, detail)
        run.observe(.cacheStatus(status))
        return Received(response, Received.Cached(status: status))
    }

    // MARK: - When the network fails

    /// Returns a cached response to replace an error, if one may be used (RFC 5861 §4).
    func recover(from error: ErrandError, after lookup: CacheLookup, _ run: RequestRun) -> Received? {
        guard run.lifeline.stopReason == nil,
            [.cannotConnect, .hostNotFound, .connectionLost, .timedOut, .circuitOpen].contains(error.obstacle.code)
        else { return nil }
        return self.serveOnError(ResponseSource.CacheStatus(forward: lookup.decision.forward), lookup, run)
    }

    private func serveOnError(
        _ forwarded: ResponseSource.CacheStatus, _ lookup: CacheLookup, _ run: RequestRun
    ) -> Received? {
        guard lookup.decision.servesOnError, let entry = lookup.found?.entry else { return nil }
        let freshness = entry.stored.freshness(at: self.environment.date())
        guard let response = self.response(from: entry, freshness) else { return nil }
        var status = forwarded
        status.timeToLive = .seconds(clamping: freshness.timeToLive)
        return Self.deliver(response, status, detail: "stale-if-error", run)
    }

    // MARK: - Explicit changes

    func store(_ response: HTTPResponse) async throws(ErrandError) {
        let refusal = HTTPStorability.refusal(
            of: response.head, to: self.presented, keepsForErrors: self.options.cachePolicy.staleIfError != nil)
        if let refusal { throw ErrandError(.unsupported, "the response cannot be stored: \(refusal)") }
        guard case .bytes = response.body else {
            throw ErrandError(.unsupported, "only a response in memory can be stored")
        }
        let head = HTTPResponse.Head(
            status: response.status, headers: HTTPStorability.storedFields(response.headers))
        let entry = self.entry(HTTPResponse(head: head, body: response.body), at: nil)
        let removals = self.place.removals
        await self.place.store(entry, beside: await self.place.find(withRedirections: true), since: removals)
    }

    func clear() async throws(ErrandError) {
        try await self.place.clear()
    }
}

extension HTTPCacheLocation {
    /// Finds the location for a request and its identity, or for another URL with the same identity.
    init(
        for request: HTTPRequest, at url: HTTPURL? = nil, in cache: CacheAccess, of endpoint: any Endpoint,
        with options: SharedOptions, scope: String?, _ environment: RequestEnvironment
    ) {
        let selecting = request.headers.byName { HTTPFields.selectingResources.contains($0) }
        let identity = scope == nil ? Array(request.headers.identity(.standard, environment.redaction)) : []
        self.init(
            in: cache, for: request, at: url, identity: HTTPFields(selecting + identity),
            endpoint: type(of: endpoint).declaredName, partition: environment.cachePartition(for: options),
            scope: scope, environment.redaction)
    }
}

extension HTTPFreshness {
    /// The source of a cached response of this age.
    fileprivate var source: ResponseSource {
        let age = Duration.seconds(clamping: self.age)
        return self.isFresh ? .cache(age: age) : .stale(age: age)
    }
}

extension HTTPResponse {
    /// True if a redirection led to this response.
    fileprivate var isRedirected: Bool { (self.origin?.redirects ?? 0) > 0 }
}

extension Data {
    /// Reads a small file off the caller's actor; `nil` if that fails.
    @concurrent
    fileprivate static func small(at file: URL) async -> Data? {
        try? Data(contentsOf: file)
    }
}
