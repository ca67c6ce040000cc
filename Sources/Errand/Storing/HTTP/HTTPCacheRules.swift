internal import struct Foundation.Date

/// A stored response as seen by the cache rules.
struct StoredHead: Sendable {
    let head: HTTPResponse.Head
    let control: CacheControl
    /// The time of the request that fetched or last validated the response.
    let requestedAt: Date
    /// The time at which the response arrived.
    let respondedAt: Date

    init(head: HTTPResponse.Head, requestedAt: Date, respondedAt: Date) {
        (self.head, self.control) = (head, CacheControl(head.headers))
        // An invalid time, such as from a manipulated file, is in the distant past.
        func bounded(_ date: Date) -> Date { abs(date.timeIntervalSince1970) < 1e11 ? date : .distantPast }
        (self.requestedAt, self.respondedAt) = (bounded(requestedAt), bounded(respondedAt))
    }

    func freshness(at now: Date) -> HTTPFreshness { HTTPFreshness(of: self, now: now) }
}

/// Decides whether a request is answered from the cache, without I/O and without a clock.
struct HTTPCacheRules {
    private let request: HTTPRequest
    private let selected: StoredHead?
    private let tags: (() -> [String])?
    private let now: Date
    private let staleIfError: Double?
    private let asked: CacheControl
    private var decision = CacheDecision()
    /// True if the network is used although the selected response could be used; this does not count as a miss.
    private var refreshes = false

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - selected: The newest stored response that matches the request.
    ///   - tags: Returns the entity tags of all responses stored for the URL; `nil` if there are none.
    ///   - now: The current time.
    ///   - staleIfError: The staleness in seconds that the app allows if the network fails.
    ///   - use: The use that the request makes of the cache.
    ///   - hasRange: True if the selected response contains the requested range.
    ///   - isInMemory: True if the response body is kept in memory. Other bodies cannot be received twice.
    /// - Returns: The decision.
    static func decide(
        _ request: HTTPRequest, _ selected: StoredHead?, tags: (() -> [String])?, now: Date,
        staleIfError: Double? = nil, use: CacheUse = .use, hasRange: Bool = true, isInMemory: Bool = true
    ) -> CacheDecision {
        guard use.reads else { return CacheDecision(forward: request.mayBeStored ? .bypass : .method) }
        var request = request
        if use == .only { request.headers.append(name: HTTPField.Name.cacheControl, value: "only-if-cached") }
        var rules = HTTPCacheRules(
            request: request, selected: selected, tags: tags, now: now, staleIfError: staleIfError,
            asked: CacheControl(request.headers))
        rules.choose()
        rules.restrict(use, hasRange, isInMemory)
        rules.conclude()
        return rules.decision
    }

    /// Requires validation of a usable response if it is not sufficient for the request.
    private mutating func restrict(_ use: CacheUse, _ hasRange: Bool, _ isInMemory: Bool) {
        guard case .serve(let refreshes) = self.decision.action else { return }
        if !hasRange {
            self.validate(.partial, CacheReason("it does not contain the range", section: "3.3"))
        } else if use == .thenRefresh, !self.asked.contains("only-if-cached") {
            self.decision.publishesFirst = isInMemory && !refreshes
            self.refreshes = true
            self.validate(.request, CacheReason("the app asks for a newer response", ""))
        } else if refreshes, !isInMemory {
            self.validate(.stale, CacheReason("a body that is not kept in memory is received only once", ""))
        }
    }

    private mutating func conclude() {
        if case .serve = self.decision.action { return }
        if case .validate = self.decision.action, self.request.headers.isConditional {
            self.act(.ask, CacheReason("the condition of the request is sent unchanged", section: "4.3.2"))
        }
        if self.asked.contains("only-if-cached") { self.act(.fail, .onlyIfCached) }
        guard !self.refreshes, self.request.mayBeStored else { return }
        self.decision.miss = self.decision.freshness.map { .expired(age: .seconds(clamping: $0.age)) } ?? .noEntry
    }

    private mutating func choose() {
        if let (forward, reason) = self.obstacle { return self.ask(forward, reason) }
        if let selected { return self.choose(selected) }
        guard self.tags != nil else {
            return self.ask(.uriMiss, CacheReason("no response is stored for the URL", section: "4"))
        }
        self.validate(.varyMiss, CacheReason("no stored response matches the fields named by Vary", section: "4.1"))
    }

    /// The reason why no stored response can be used at all.
    private var obstacle: (ResponseSource.CacheStatus.Forward, CacheReason)? {
        let headers = self.request.headers
        guard [.get, .head, .query].contains(self.request.method) else {
            return (.method, CacheReason("stored responses are not used for \(self.request.method)", section: "4"))
        }
        guard !self.request.namesAnotherMethod else {
            return (.method, CacheReason("a field of the request names another method", section: "4"))
        }
        if let reason = self.request.uncachedContent { return (.bypass, reason) }
        if headers.contains(HTTPField.Name.ifMatch) || headers.contains("If-Unmodified-Since") {
            return (.bypass, CacheReason("only the server can evaluate the condition", section: "4.3.2"))
        }
        if let range = headers[HTTPField.Name.range], StoredRange(range) == nil || self.request.method == .head {
            return (.partial, CacheReason("only a single byte range is served from the cache", section: "3.3"))
        }
        return nil
    }

    private mutating func choose(_ selected: StoredHead) {
        let control = selected.control
        let freshness = selected.freshness(at: self.now)
        self.decision.freshness = freshness
        self.decision.servesOnError = self.maySurviveError(control, freshness)
        self.decision.reasons = [
            CacheReason("a stored response matches the request", section: "4"),
            CacheReason("it is \(Int(clamping: freshness.age)) s old", section: "4.2.3"), freshness.reason,
        ]
        if control.isNoCache {
            return self.validate(
                .stale, CacheReason("the response says no-cache or is unreadable", section: "5.2.2.4"))
        }
        if let reason = self.wantsNewer(than: freshness, control) { return self.validate(.request, reason) }
        let staleness = -freshness.timeToLive
        if freshness.isFresh { return self.serve(CacheReason("it is fresh", section: "4.2")) }
        self.decision.reasons.append(CacheReason("it has been stale for \(Int(clamping: staleness)) s", section: "4.2"))
        if control.contains("must-revalidate") {
            return self.validate(.stale, CacheReason("must-revalidate forbids using it", section: "5.2.2.2"))
        }
        if let most = self.asked.maxStale, staleness <= Double(most) {
            return self.serve(CacheReason("max-stale of the request allows it", section: "5.2.1.2"))
        }
        if let most = control.seconds("stale-while-revalidate"), staleness <= Double(most) {
            return self.serve(
                CacheReason("stale-while-revalidate allows it", "RFC 5861 §3"),
                refreshes: !self.asked.contains("only-if-cached"))
        }
        self.validate(.stale, CacheReason("no directive allows using it stale", section: "4.2.4"))
    }

    /// Returns the reason why the request does not accept a response of this age, or `nil` if it does.
    private mutating func wantsNewer(than freshness: HTTPFreshness, _ control: CacheControl) -> CacheReason? {
        if self.asked.contains("no-cache") { return CacheReason("the request says no-cache", section: "5.2.1.4") }
        let pragma = self.request.headers["Pragma"]?.asciiLowercased() ?? ""
        if self.asked.isEmpty, pragma.parts(at: ",").contains(where: { $0.containsExactly("no-cache") }) {
            return CacheReason("the request says Pragma: no-cache", section: "5.4")
        }
        if let most = self.asked.seconds("max-age"), freshness.age > Double(most) || most == 0 {
            guard most == 0, freshness.isFresh, control.contains("immutable") else {
                return CacheReason("the request accepts no response older than \(most) s", section: "5.2.1.1")
            }
            self.decision.reasons.append(CacheReason("max-age=0 is ignored for an immutable response", "RFC 8246 §2"))
        }
        if let least = self.asked.minFresh, freshness.timeToLive < Double(least) {
            return CacheReason("the request requires \(least) s of remaining freshness", section: "5.2.1.3")
        }
        return nil
    }

    /// Returns true if a response may be used when the network fails (RFC 5861 §4).
    private func maySurviveError(_ control: CacheControl, _ freshness: HTTPFreshness) -> Bool {
        guard !control.isNoCache, !control.contains("must-revalidate"), !self.asked.contains("no-cache") else {
            return false
        }
        let allowed =
            [control.seconds("stale-if-error"), self.asked.seconds("stale-if-error")].compactMap { $0.map(Double.init) }
            + [self.staleIfError].compactMap { $0 }
        return allowed.max().map { -freshness.timeToLive <= $0 } ?? false
    }

    // MARK: - Actions

    private mutating func act(_ action: CacheDecision.Action, _ reason: CacheReason) {
        self.decision.action = action
        self.decision.reasons.append(reason)
    }

    private mutating func serve(_ reason: CacheReason, refreshes: Bool = false) {
        self.act(.serve(refreshes: refreshes), reason)
    }

    private mutating func ask(_ forward: ResponseSource.CacheStatus.Forward, _ reason: CacheReason) {
        self.decision.forward = forward
        self.act(.ask, reason)
    }

    private mutating func validate(_ forward: ResponseSource.CacheStatus.Forward, _ reason: CacheReason) {
        self.ask(forward, reason)
        // The response to a HEAD request itself shows whether the stored response is unchanged (§4.3.5).
        guard self.request.method != .head else { return }
        let fields = HTTPValidation.fields(for: self.selected?.head.headers, tags: self.tags?() ?? [])
        guard !fields.isEmpty else { return }
        let names = fields.map(\.name).joined(separator: ", ")
        self.act(.validate(fields), CacheReason("the request is sent with \(names)", section: "4.3.1"))
    }
}

extension HTTPFields {
    /// True if the caller has added a condition that a cache can evaluate.
    var isConditional: Bool {
        self.contains(HTTPField.Name.ifNoneMatch) || self.contains(HTTPField.Name.ifModifiedSince)
    }
}
