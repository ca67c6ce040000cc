internal import struct Foundation.Data
internal import struct Foundation.Date
internal import struct Foundation.URL

/// One request on its way through the HTTP cache; belongs to the task that takes it there.
final class HTTPCacheCall {
    /// How large the body of a file may be to be kept beside it.
    private static let mostFileBytes = 1 << 20

    private let request: HTTPRequest
    /// The request with what identifies who asks, as the cache tells it from others.
    private let presented: HTTPRequest
    private let stage: HTTPCacheStage
    private let place: HTTPCachePlace
    private let askedAt: Date
    /// The number of times something had been removed by hand before anything was looked up.
    let removals: Int
    private var found: HTTPCachePlace.Found
    private var decision: HTTPCacheDecision
    private var isConditional = false
    /// What the cache has done.
    private var status: ResponseSource.CacheStatus?
    /// What finds out whether the request goes out as the one whom the key knows.
    let identity: SentIdentity

    init(
        _ request: HTTPRequest, presentedAs presented: HTTPRequest, _ stage: HTTPCacheStage, _ run: RequestRun
    ) {
        self.request = request
        self.presented = presented
        self.stage = stage
        self.place = run.environment.httpCachePlace(
            for: presented, in: stage.cache, of: run.call.endpoint, with: run.shared, scope: stage.policy.scope)
        self.identity = SentIdentity(
            presented, fields: .standard, hasScope: stage.policy.scope != nil, run.environment.redaction)
        self.askedAt = run.environment.date()
        self.removals = self.place.removals
        self.found = HTTPCachePlace.Found(key: self.place.key, base: self.place.key)
        self.decision = HTTPCacheDecision(action: .ask, forward: .bypass, reasons: [])
    }

    /// A response with what the cache has done.
    func delivering(_ response: HTTPResponse) -> Received {
        Received(response, Received.Cached(status: self.status))
    }

    // MARK: - Before the network

    /// Looks for what is stored, and decides what is done about the request.
    ///
    /// - Returns: The stored response, where that is the one to deliver.
    /// - Throws: ``ErrandError`` where the network must not be asked, and there is none.
    func stored(_ run: RequestRun) async throws(ErrandError) -> HTTPResponse? {
        let withRedirections = run.redirects.kind == .never
        var isAtHand = false
        if self.canBeStored {
            if let found = self.place.findAtHand(withRedirections: withRedirections) {
                (self.found, isAtHand) = (found, true)
            } else {
                self.found = await self.place.find(withRedirections: withRedirections)
            }
        }
        self.decide(run)
        let response = try await self.answer(run)
        if !isAtHand || self.stage.use == .thenRefresh { await run.reportCacheNotice() }
        return response
    }

    /// Whether there may be a stored response to it.
    private var canBeStored: Bool {
        switch self.request.method {
        case .get, .head: true
        case .query: self.presented.uncachedContent == nil
        default: false
        }
    }

    private func decide(_ run: RequestRun) {
        if !self.canBeStored { self.decision.forward = .method }
        guard self.stage.use.reads else { return }
        self.decision = run.environment.decision(on: self.presented, self.found, self.stage.use, self.stage.policy)
    }

    /// Answers with what is stored, or shows that first; `nil` where the network has to be asked.
    ///
    /// - Throws: ``ErrandError`` when it must not be.
    private func answer(_ run: RequestRun) async throws(ErrandError) -> HTTPResponse? {
        guard self.stage.use == .thenRefresh, !self.isOnlyIfCached, run.lifeline.stopReason == nil,
            case .serve(let refreshes) = self.decision.action, let freshness = self.decision.freshness,
            let response = self.stored(at: freshness.age, isStale: !freshness.isFresh, run)
        else { return try self.answerAtOnce(run) }
        if case .memory = run.destination.kind, !refreshes { await self.show(response, freshness, run) }
        self.askAnew(.request)
        return nil
    }

    /// Answers with what is stored, where nothing is shown first; `nil` where the network has to be asked.
    ///
    /// - Throws: ``ErrandError`` when it must not be.
    @inline(never)
    private func answerAtOnce(_ run: RequestRun) throws(ErrandError) -> HTTPResponse? {
        guard run.lifeline.stopReason == nil else { throw .cancelled() }
        if case .serve(let refreshes) = self.decision.action, let freshness = self.decision.freshness {
            let isForMemory = if case .memory = run.destination.kind { true } else { false }
            switch self.stored(at: freshness.age, isStale: !freshness.isFresh, run) {
            case nil: self.askAnew(.partial)
            // What goes elsewhere than into memory cannot be asked for twice.
            case _? where refreshes && !isForMemory: self.askAnew(.stale)
            case let response?:
                if refreshes { run.refreshStored(self.found.key) }
                return self.hit(response, freshness, run)
            }
        }
        let miss: CacheMiss = self.decision.freshness.map { .expired(age: .seconds(clamping: $0.age)) } ?? .noEntry
        if self.stage.use.reads, self.canBeStored {
            run.environment.cacheCounts.countMiss()
            run.observe(.cacheMiss(miss))
        }
        if case .fail = self.decision.action {
            self.note(ResponseSource.CacheStatus(forward: self.decision.forward, detail: "only-if-cached"), run)
            throw ErrandError(
                .notInCache, self.decision.reasons.map(\.description).joined(separator: "; "), cause: miss)
        }
        return nil
    }

    /// Whether nothing may be sent.
    private var isOnlyIfCached: Bool {
        self.stage.use == .only || CacheControl(self.presented.headers).contains("only-if-cached")
    }

    /// Asks the network though what is stored could be used.
    private func askAnew(_ forward: ResponseSource.CacheStatus.Forward) {
        self.decision.forward = forward
        guard !self.isOnlyIfCached else {
            self.decision.reasons.append(.onlyIfCached)
            return self.decision.action = .fail
        }
        let isForHead = self.request.method == .head || self.request.headers.isConditional
        let fields =
            isForHead
            ? [:] : HTTPValidation.fields(for: self.found.entry?.response.headers, tags: self.found.tags)
        self.decision.action = fields.isEmpty ? .ask : .validate(fields)
    }

    private func hit(_ response: HTTPResponse, _ freshness: HTTPFreshness, _ run: RequestRun) -> HTTPResponse {
        self.noteHit(freshness, run)
        return response
    }

    private func noteHit(_ freshness: HTTPFreshness, _ run: RequestRun) {
        run.environment.cacheCounts.countHit()
        run.observe(.cacheHit(age: .seconds(clamping: freshness.age)))
        self.note(ResponseSource.CacheStatus(timeToLive: .seconds(clamping: freshness.timeToLive)), run)
    }

    /// Shows a stored response, if the endpoint accepts it, while a newer one is asked for.
    @inline(never)
    private func show(_ response: HTTPResponse, _ freshness: HTTPFreshness, _ run: RequestRun) async {
        guard let accepted = try? await run.process(response) else {
            run.noteLast(nil)
            return
        }
        self.noteHit(freshness, run)
        await run.publishStored(accepted, self.status)
    }

    /// The stored response as the request gets it; `nil` where it asks for a range that is not there.
    private func stored(at age: Double?, isStale: Bool, _ run: RequestRun) -> HTTPResponse? {
        guard let entry = self.found.entry else { return nil }
        var response = entry.response
        if let age { response.head.headers[HTTPField.Name.age] = "\(Int(clamping: age))" }
        let now = run.environment.date()
        switch HTTPValidation.isNotModified(response.head, for: self.request.headers, respondedAt: now) {
        case true? where response.status == .ok:
            response = HTTPResponse(head: HTTPValidation.notModified(response.head), body: .bytes(Data()))
        case true?, false?, nil:
            guard let part = response.answering(self.request.headers) else { return nil }
            response = part
        }
        if self.request.method == .head { response.body = .bytes(Data()) }
        let source: ResponseSource =
            age.map { isStale ? .stale(age: .seconds(clamping: $0)) : .cache(age: .seconds(clamping: $0)) }
            ?? .revalidated
        return self.placed(response, source)
    }

    private func placed(_ response: HTTPResponse, _ source: ResponseSource) -> HTTPResponse {
        var response = response
        response.origin = HTTPResponse.Origin(url: self.found.entry?.url, redirects: 0, source: source)
        return response
    }

    // MARK: - To the network

    /// The request that is sent, with the conditions that ask whether what is stored may be used.
    func makeOutgoing() -> HTTPRequest {
        guard case .validate(let fields) = self.decision.action else { return self.request }
        self.isConditional = true
        var request = self.request
        request.headers.merge(fields)
        return request
    }

    /// Asks again without a condition.
    func takeBackCondition() {
        self.isConditional = false
        self.decision.action = .ask
    }

    // MARK: - After the network

    /// Stores what the network answered, and returns the response; `nil` when it says only that what is stored has not
    /// changed, and nothing is that it can mean.
    func receive(_ received: HTTPResponse, _ run: RequestRun) async -> HTTPResponse? {
        let response = await self.response(for: received, run)
        await run.reportCacheNotice()
        return response
    }

    private func response(for received: HTTPResponse, _ run: RequestRun) async -> HTTPResponse? {
        guard self.request.method == .get || self.request.method == .query else {
            await self.receiveOther(received, run)
            return received
        }
        if [500, 502, 503, 504].contains(received.status.code), let response = self.serveOnError(received.status, run) {
            return response
        }
        guard received.status == .notModified else {
            let isStored = await self.store(received, run)
            self.note(
                ResponseSource.CacheStatus(
                    forward: self.decision.forward, forwardStatus: received.status, isStored: isStored), run)
            return received
        }
        return await self.receiveNotModified(received, run)
    }

    private func receiveNotModified(_ received: HTTPResponse, _ run: RequestRun) async -> HTTPResponse? {
        let selected = self.selected(by: received)
        guard let selected, let entry = await self.place.load(selected.variant, of: self.found) else {
            guard !self.isConditional else { return nil }
            self.note(ResponseSource.CacheStatus(forward: self.decision.forward, forwardStatus: received.status), run)
            return received
        }
        let renewed = self.renewed(entry, by: received, run)
        let isStored = self.refusal(of: renewed.response.head, run) == nil && self.isSentAsPresented(received, run)
        if isStored {
            await self.place.store(renewed, beside: self.found, since: self.removals)
        } else if selected.isFirst {
            await self.place.drop(self.found)
        }
        return self.validated(renewed, by: received, isStored: isStored, run)
    }

    /// Which stored response a 304 is about, and whether it is the one that matches the request best.
    private func selected(by received: HTTPResponse) -> (variant: CacheEntry.HTTPRecord.Variant, isFirst: Bool)? {
        guard !received.isRedirected else { return nil }
        let candidates = self.found.candidates
        return HTTPValidation.position(
            selectedBy: received.head, among: candidates.map { (tag: $0.tag, modified: $0.modified) },
            isAsked: self.isConditional
        ).map { (candidates[$0], $0 == 0) }
    }

    /// An entry with the fields of a response that says how it is now.
    @inline(never)
    private func renewed(_ entry: CacheEntry, by received: HTTPResponse, _ run: RequestRun) -> CacheEntry {
        let headers = HTTPStorability.updatedFields(entry.response.headers, with: received.headers)
        let head = HTTPResponse.Head(status: entry.response.status, headers: headers)
        return self.entry(HTTPResponse(head: head, body: entry.response.body), at: entry.url, run)
    }

    /// The response where a 304 has said that what is stored has not changed.
    @inline(never)
    private func validated(
        _ renewed: CacheEntry, by received: HTTPResponse, isStored: Bool, _ run: RequestRun
    ) -> HTTPResponse {
        self.note(
            ResponseSource.CacheStatus(
                forward: self.decision.forward, forwardStatus: received.status, isStored: isStored,
                detail: self.isConditional ? "revalidated" : nil), run)
        // The caller's own condition: the 304 is for the caller.
        guard self.isConditional else { return received }
        self.found.entry = renewed
        var response = self.stored(at: nil, isStale: false, run) ?? self.placed(renewed.response, .revalidated)
        response.metrics = received.metrics
        return response
    }

    /// What a response to another method means for what is stored: to a HEAD it says how that is now.
    private func receiveOther(_ received: HTTPResponse, _ run: RequestRun) async {
        self.note(ResponseSource.CacheStatus(forward: self.decision.forward, forwardStatus: received.status), run)
        guard self.request.method == .head, received.status == .ok, !received.isRedirected,
            let entry = self.found.entry,
            self.isSentAsPresented(received, run)
        else { return }
        let renewed = self.renewed(entry, by: received, run)
        guard HTTPValidation.agrees(entry.response, withHead: received.head),
            self.refusal(of: renewed.response.head, run) == nil
        else { return await self.place.drop(self.found) }
        await self.place.store(renewed, beside: self.found, since: self.removals)
    }

    /// Stores a response, or removes the one that it supersedes.
    private func store(_ received: HTTPResponse, _ run: RequestRun) async -> Bool {
        guard self.refusal(of: received.head, run) == nil, !received.isRedirected,
            self.isSentAsPresented(received, run),
            let body = await self.body(of: received, run)
        else {
            // A part, one to a request with content, or one that is refused for now, says nothing of what is stored.
            if (200..<400).contains(received.status.code) || [404, 410].contains(received.status.code),
                !self.request.headers.contains(HTTPField.Name.range), self.request.uncachedContent == nil
            {
                await self.place.drop(self.found)
            }
            return false
        }
        let head = HTTPResponse.Head(
            status: received.status, headers: HTTPStorability.storedFields(received.headers))
        let url = received.origin?.url.flatMap { $0 == self.presented.url ? nil : try? HTTPURL($0.redacted) }
        let entry = self.entry(HTTPResponse(head: head, body: .bytes(body)), at: url, run)
        await self.place.store(entry, beside: self.found, since: self.removals)
        return self.place.removals == self.removals
    }

    private func entry(_ response: HTTPResponse, at url: HTTPURL?, _ run: RequestRun) -> CacheEntry {
        let now = run.environment.date()
        return CacheEntry(
            response: response, storedAt: self.askedAt, receivedAt: now, tag: run.options.tag, url: url,
            http: CacheEntry.HTTPRecord(respondedAt: now))
    }

    private func refusal(of head: HTTPResponse.Head, _ run: RequestRun) -> CacheReason? {
        if head.status.isFollowable, run.redirects.kind != .never {
            return CacheReason("a redirection is followed, and not stored", "")
        }
        // What the key is made of has to be known, too.
        if let reason = self.presented.uncachedContent { return reason }
        // A HEAD says how the response to a GET would be.
        var request = self.request
        if request.method == .head { request.method = .get }
        return HTTPStorability.refusal(
            of: head, to: request, keepsForErrors: self.stage.policy.staleIfError != nil)
    }

    /// Tells whether the request went out as the one whom the key knows, with the fields that the response depends on.
    private func isSentAsPresented(_ received: HTTPResponse, _ run: RequestRun) -> Bool {
        guard !self.identity.isAnother else {
            run.observe(.notice(CacheStage.sentAsAnother))
            return false
        }
        guard let request = received.origin?.request else { return true }
        // The key knows the query that was made, and not what an interceptor has made of it.
        guard request.queryDigest == self.request.queryDigest else { return false }
        let sent = request.headers
        let names = HTTPVary(received.headers).names.filter { !self.place.redaction.hides($0) }
        return names.allSatisfy { sent.values(for: $0) == self.presented.headers.values(for: $0) }
    }

    /// The content, if it is all there and goes into memory.
    private func body(of response: HTTPResponse, _ run: RequestRun) async -> Data? {
        switch (response.body, run.destination.kind) {
        case (.bytes(let data), .memory): response.isCut ? nil : data
        case (.file(let file), .file):
            (TemporaryFile.size(of: file) ?? .max) <= Self.mostFileBytes ? await Data.small(at: file) : nil
        default: nil
        }
    }

    private func note(_ status: ResponseSource.CacheStatus, _ run: RequestRun) {
        self.status = status
        run.observe(.cacheStatus(status))
    }

    // MARK: - Where the network fails

    /// A stored response in place of an error, if one may be used (RFC 5861 §4).
    func survive(_ error: ErrandError, _ run: RequestRun) -> HTTPResponse? {
        guard run.lifeline.stopReason == nil,
            [.cannotConnect, .hostNotFound, .connectionLost, .timedOut, .circuitOpen].contains(
                error.obstacle.code)
        else { return nil }
        return self.serveOnError(nil, run)
    }

    private func serveOnError(_ status: HTTPStatus?, _ run: RequestRun) -> HTTPResponse? {
        guard self.decision.servesOnError,
            let freshness = self.found.entry?.stored.freshness(at: run.environment.date()),
            let response = self.stored(at: freshness.age, isStale: !freshness.isFresh, run)
        else { return nil }
        self.note(
            ResponseSource.CacheStatus(
                forward: self.decision.forward, forwardStatus: status,
                timeToLive: .seconds(clamping: freshness.timeToLive),
                detail: "stale-if-error"), run)
        return response
    }
}

extension HTTPResponse {
    /// Whether it came by way of a redirection.
    fileprivate var isRedirected: Bool { (self.origin?.redirects ?? 0) > 0 }
}

extension Data {
    /// Reads a file of few bytes, away from the actor that asks; `nil` where that fails.
    @concurrent
    fileprivate static func small(at file: URL) async -> Data? {
        try? Data(contentsOf: file)
    }
}
