internal import struct Foundation.Data
internal import struct Foundation.Date
internal import struct Foundation.URL

/// One request and its stored responses, by the rules of HTTP (RFC 9111).
///
/// ``HTTPCacheRules`` decide; this carries out. Responses that the endpoint refuses are stored, too: no commit waits until
/// one is accepted.
final class HTTPCacheTransaction: CacheTransaction {
    /// The size up to which the body of a file is kept beside it.
    private static let mostFileBytes = 1 << 20

    private let request: HTTPRequest
    /// The request with what identifies who asks, as the cache tells it from others.
    private let presented: HTTPRequest
    private let options: EffectiveOptions
    private let environment: RequestEnvironment
    private let place: HTTPCachePlace
    private let askedAt: Date
    let identity: SentIdentity?

    init(
        _ request: HTTPRequest, presentedAs presented: HTTPRequest, of endpoint: any Endpoint,
        with options: SharedOptions, in cache: CacheAccess, _ environment: RequestEnvironment
    ) {
        let scope = options.value.cachePolicy.scope
        // A hook may have given the request another method than it is known by.
        var presented = presented
        presented.method = request.method
        (self.request, self.presented, self.options) = (request, presented, options.value)
        (self.environment, self.askedAt) = (environment, environment.date())
        self.place = HTTPCachePlace(for: presented, in: cache, of: endpoint, with: options, scope: scope, environment)
        self.identity = SentIdentity(presented, fields: .standard, hasScope: scope != nil, environment.redaction)
    }

    // MARK: - Before the network

    func lookUpWithoutSuspending(for use: CacheUse) -> CacheLookup? {
        let removals = self.place.removals
        guard self.presented.mayBeStored,
            let found = self.place.findAtHand(withRedirections: self.options.redirects.kind == .never)
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

    private func decide(on found: HTTPCachePlace.Found, _ use: CacheUse, since removals: Int) -> CacheLookup {
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

    /// A stored response as the request gets it; `nil` where it asks for a range that is not there.
    ///
    /// It has no freshness where the server has just validated it.
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
        for received: HTTPResponse, _ found: HTTPCachePlace.Found, _ lookup: CacheLookup, isConditional: Bool,
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
        _ received: HTTPResponse, _ found: HTTPCachePlace.Found, since removals: Int,
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
        // The caller's own condition: the 304 is for the caller.
        guard isConditional else { return Self.deliver(received, forwarded, isStored: isStored, run) }
        return Self.deliver(
            self.validated(renewed, by: received), forwarded, isStored: isStored, detail: "revalidated", run)
    }

    /// The stored response that a 304 is about.
    private static func selected(
        by received: HTTPResponse, among candidates: [CacheEntry.HTTPRecord.Variant], isConditional: Bool
    ) -> CacheEntry.HTTPRecord.Variant? {
        guard !received.isRedirected else { return nil }
        return HTTPValidation.position(
            selectedBy: received.head, among: candidates.map { (tag: $0.tag, modified: $0.modified) },
            isAsked: isConditional
        ).map { candidates[$0] }
    }

    /// An entry with the fields of a response that says how it is now.
    @inline(never)
    private func renewed(_ entry: CacheEntry, by received: HTTPResponse) -> CacheEntry {
        let headers = HTTPStorability.updatedFields(entry.response.headers, with: received.headers)
        let head = HTTPResponse.Head(status: entry.response.status, headers: headers)
        return self.entry(HTTPResponse(head: head, body: entry.response.body), at: entry.url)
    }

    /// The response where a 304 has said that what is stored has not changed.
    @inline(never)
    private func validated(_ renewed: CacheEntry, by received: HTTPResponse) -> HTTPResponse {
        var response = self.response(from: renewed, nil) ?? renewed.response
        response.origin = HTTPResponse.Origin(url: renewed.url, redirects: 0, source: .revalidated)
        response.metrics = received.metrics
        return response
    }

    /// Updates or removes the stored response by a response to a HEAD, which says how that is now.
    private func receiveOther(
        _ received: HTTPResponse, _ found: HTTPCachePlace.Found, since removals: Int, _ run: RequestRun
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
        _ received: HTTPResponse, beside found: HTTPCachePlace.Found, since removals: Int, _ run: RequestRun
    ) async -> Bool {
        guard self.refusal(of: received.head) == nil, !received.isRedirected, self.isSentAsPresented(received, run),
            let body = await self.body(of: received)
        else {
            // A part, one to a request with content, or one that is refused for now, says nothing of what is stored.
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
            return CacheReason("a redirection is followed, and not stored", "")
        }
        // All that the key is made of has to be known, too.
        if let reason = self.presented.uncachedContent { return reason }
        // A HEAD says how the response to a GET would be.
        var request = self.request
        if request.method == .head { request.method = .get }
        return HTTPStorability.refusal(
            of: head, to: request, keepsForErrors: self.options.cachePolicy.staleIfError != nil)
    }

    /// Tells whether the request went out as the one whom the key knows, with the fields that the response depends on.
    private func isSentAsPresented(_ received: HTTPResponse, _ run: RequestRun) -> Bool {
        guard self.identity?.isAnother != true else {
            run.observe(.notice(CacheStage.sentAsAnother))
            return false
        }
        guard let request = received.origin?.request else { return true }
        // The key knows the query that was made, and not what an interceptor has made of it.
        guard request.queryDigest == self.request.queryDigest else { return false }
        let sent = request.headers
        let names = HTTPVary(received.headers).names.filter { !self.environment.redaction.hides($0) }
        return names.allSatisfy { sent.values(for: $0) == self.presented.headers.values(for: $0) }
    }

    /// The content, if it is all there and goes into memory.
    private func body(of response: HTTPResponse) async -> Data? {
        switch (response.body, self.options.destination.kind) {
        case (.bytes(let data), .memory): response.isCut ? nil : data
        case (.file(let file), .file):
            (TemporaryFile.size(of: file) ?? .max) <= Self.mostFileBytes ? await Data.small(at: file) : nil
        default: nil
        }
    }

    /// A response with what the cache has done.
    private static func deliver(
        _ response: HTTPResponse, _ status: ResponseSource.CacheStatus, isStored: Bool = false, detail: String? = nil,
        _ run: RequestRun
    ) -> Received {
        var status = status
        (status.isStored, status.detail) = (isStored, detail)
        run.observe(.cacheStatus(status))
        return Received(response, Received.Cached(status: status))
    }

    // MARK: - Where the network fails

    /// Returns a stored response in place of an error, if one may be used (RFC 5861 §4).
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

    // MARK: - By hand

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

extension HTTPCachePlace {
    /// Finds the place for a request and the one who asks, or that for another URL of theirs.
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
    /// The source of a stored response of this age.
    fileprivate var source: ResponseSource {
        let age = Duration.seconds(clamping: self.age)
        return self.isFresh ? .cache(age: age) : .stale(age: age)
    }
}

extension HTTPResponse {
    /// `true` if it came by way of a redirection.
    fileprivate var isRedirected: Bool { (self.origin?.redirects ?? 0) > 0 }
}

extension Data {
    /// Reads a file of few bytes, away from the actor that asks; `nil` where that fails.
    @concurrent
    fileprivate static func small(at file: URL) async -> Data? {
        try? Data(contentsOf: file)
    }
}
