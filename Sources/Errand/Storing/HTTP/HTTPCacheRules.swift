internal import struct Foundation.Date

/// A stored response as what decides about it sees it.
struct StoredHead: Sendable {
    let head: HTTPResponse.Head
    /// Its directives.
    let control: CacheControl
    /// When the request was sent that brought it, or that validated it last.
    let requestedAt: Date
    /// When the response came.
    let respondedAt: Date

    init(head: HTTPResponse.Head, requestedAt: Date, respondedAt: Date) {
        (self.head, self.control) = (head, CacheControl(head.headers))
        // A time that is no number, as in a file that somebody made, is long ago.
        func bounded(_ date: Date) -> Date { abs(date.timeIntervalSince1970) < 1e11 ? date : .distantPast }
        (self.requestedAt, self.respondedAt) = (bounded(requestedAt), bounded(respondedAt))
    }

    func freshness(at now: Date) -> HTTPFreshness { HTTPFreshness(of: self, now: now) }
}

/// Decides what is done about a request; no I/O, no clock.
struct HTTPCacheRules {
    private let request: HTTPRequest
    private let selected: StoredHead?
    private let tags: (() -> [String])?
    private let now: Date
    private let staleIfError: Double?
    private let asked: CacheControl
    private var decision = CacheDecision()
    /// `true` if the network is asked though the selected response could be used: that is no miss.
    private var refreshes = false

    /// Decides.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - selected: The newest response that is stored and matches the request.
    ///   - tags: Looks up the entity tags of all that are stored for the URL; `nil` where nothing is.
    ///   - now: The time.
    ///   - staleIfError: How stale a response may be where the network fails, if the app says so; in seconds.
    ///   - use: The use that the request makes of the cache.
    ///   - hasRange: `true` if the selected response has the range that the request asks for.
    ///   - isInMemory: `true` if the body of the response goes into memory: another cannot be received twice.
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

    /// Asks the network about a response that could be used, where that is not what the request needs.
    private mutating func restrict(_ use: CacheUse, _ hasRange: Bool, _ isInMemory: Bool) {
        guard case .serve(let refreshes) = self.decision.action else { return }
        if !hasRange {
            self.validate(.partial, CacheReason("it does not have the range", section: "3.3"))
        } else if use == .thenRefresh, !self.asked.contains("only-if-cached") {
            self.decision.publishesFirst = isInMemory && !refreshes
            self.refreshes = true
            self.validate(.request, CacheReason("the app asks for a newer one", ""))
        } else if refreshes, !isInMemory {
            self.validate(.stale, CacheReason("a body that does not go into memory is received only once", ""))
        }
    }

    private mutating func conclude() {
        if case .serve = self.decision.action { return }
        if case .validate = self.decision.action, self.request.headers.isConditional {
            self.act(.ask, CacheReason("the condition of the request goes to the server as it is", section: "4.3.2"))
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
        self.validate(.varyMiss, CacheReason("no stored response has the fields that Vary names", section: "4.1"))
    }

    /// The reason why no stored response can be used, whatever there is.
    private var obstacle: (ResponseSource.CacheStatus.Forward, CacheReason)? {
        let headers = self.request.headers
        guard [.get, .head, .query].contains(self.request.method) else {
            return (.method, CacheReason("\(self.request.method) is answered by no stored response", section: "4"))
        }
        guard !self.request.namesAnotherMethod else {
            return (.method, CacheReason("a field of the request names another method", section: "4"))
        }
        if let reason = self.request.uncachedContent { return (.bypass, reason) }
        if headers.contains(HTTPField.Name.ifMatch) || headers.contains("If-Unmodified-Since") {
            return (.bypass, CacheReason("only the server can tell whether the condition holds", section: "4.3.2"))
        }
        if let range = headers[HTTPField.Name.range], StoredRange(range) == nil || self.request.method == .head {
            return (.partial, CacheReason("only one range of bytes is answered", section: "3.3"))
        }
        return nil
    }

    private mutating func choose(_ selected: StoredHead) {
        let control = selected.control
        let freshness = selected.freshness(at: self.now)
        self.decision.freshness = freshness
        self.decision.servesOnError = self.maySurviveError(control, freshness)
        self.decision.reasons = [
            CacheReason("a response is stored that matches the request", section: "4"),
            CacheReason("it is \(Int(clamping: freshness.age)) s old", section: "4.2.3"), freshness.reason,
        ]
        if control.isNoCache {
            return self.validate(
                .stale, CacheReason("the response says no-cache, or what cannot be read", section: "5.2.2.4"))
        }
        if let reason = self.wantsNewer(than: freshness, control) { return self.validate(.request, reason) }
        let staleness = -freshness.timeToLive
        if freshness.isFresh { return self.serve(CacheReason("it is fresh", section: "4.2")) }
        self.decision.reasons.append(CacheReason("it is stale since \(Int(clamping: staleness)) s", section: "4.2"))
        if control.contains("must-revalidate") {
            return self.validate(.stale, CacheReason("must-revalidate forbids to use it", section: "5.2.2.2"))
        }
        if let most = self.asked.maxStale, staleness <= Double(most) {
            return self.serve(CacheReason("max-stale of the request allows that", section: "5.2.1.2"))
        }
        if let most = control.seconds("stale-while-revalidate"), staleness <= Double(most) {
            return self.serve(
                CacheReason("stale-while-revalidate allows that", "RFC 5861 §3"),
                refreshes: !self.asked.contains("only-if-cached"))
        }
        self.validate(.stale, CacheReason("nothing allows to use it stale", section: "4.2.4"))
    }

    /// Returns the reason why the request does not take a response of this age, if it does not.
    private mutating func wantsNewer(than freshness: HTTPFreshness, _ control: CacheControl) -> CacheReason? {
        if self.asked.contains("no-cache") { return CacheReason("the request says no-cache", section: "5.2.1.4") }
        let pragma = self.request.headers["Pragma"]?.asciiLowercased() ?? ""
        if self.asked.isEmpty, pragma.parts(at: ",").contains(where: { $0.containsExactly("no-cache") }) {
            return CacheReason("the request says Pragma: no-cache", section: "5.4")
        }
        if let most = self.asked.seconds("max-age"), freshness.age > Double(most) || most == 0 {
            guard most == 0, freshness.isFresh, control.contains("immutable") else {
                return CacheReason("the request takes none older than \(most) s", section: "5.2.1.1")
            }
            self.decision.reasons.append(CacheReason("max-age=0 asks anew what is immutable", "RFC 8246 §2"))
        }
        if let least = self.asked.minFresh, freshness.timeToLive < Double(least) {
            return CacheReason("the request wants it fresh for \(least) s yet", section: "5.2.1.3")
        }
        return nil
    }

    /// Tells whether a response may be used where the network fails (RFC 5861 §4).
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
        // The response to a HEAD says by itself whether what is stored is still the same (§4.3.5).
        guard self.request.method != .head else { return }
        let fields = HTTPValidation.fields(for: self.selected?.head.headers, tags: self.tags?() ?? [])
        guard !fields.isEmpty else { return }
        let names = fields.map(\.name).joined(separator: ", ")
        self.act(.validate(fields), CacheReason("the server is asked by \(names)", section: "4.3.1"))
    }
}

extension HTTPFields {
    /// `true` if a caller has put a condition on a request that a cache can look at, too.
    var isConditional: Bool {
        self.contains(HTTPField.Name.ifNoneMatch) || self.contains(HTTPField.Name.ifModifiedSince)
    }
}
