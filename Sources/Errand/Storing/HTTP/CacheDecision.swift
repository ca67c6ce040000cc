/// The decision about a request, made once by the rules of its policy: by time, or by RFC 9111 §4.
struct CacheDecision: Sendable {
    enum Action: Sendable, Hashable {
        /// The selected response is used; if it is stale, it is refreshed behind the caller's back.
        case serve(refreshes: Bool)
        /// The network is asked whether stored responses may be used, by these fields.
        case validate(HTTPFields)
        /// The network is asked.
        case ask
        /// The request fails: nothing may be sent.
        case fail
    }

    var action = Action.ask
    /// `true` if the selected response is published before the network is asked.
    var publishesFirst = false
    /// The miss that is counted; `nil` if a stored response is used, or none was looked for.
    var miss: CacheMiss?
    /// The reason why the network is asked, where RFC 9111 decides and it is.
    var forward: ResponseSource.CacheStatus.Forward?
    /// The age of the selected response, where RFC 9111 decides and there is one.
    var freshness: HTTPFreshness?
    /// `true` if the selected response may be used where the network fails.
    var servesOnError = false
    /// The reasons, in order.
    var reasons: [CacheReason] = []

    /// `true` if the selected response is delivered or published.
    var usesStored: Bool { if case .serve = self.action { true } else { self.publishesFirst } }

    /// The fields by which the network is asked about stored responses.
    var conditions: HTTPFields { if case .validate(let fields) = self.action { fields } else { [:] } }

    /// The error where nothing is sent.
    var error: ErrandError {
        ErrandError(
            .notInCache, self.reasons.map(\.description).joined(separator: "; "), cause: self.miss ?? .noEntry)
    }

    /// The decision in words.
    var summary: String {
        let what =
            switch self.action {
            case .serve(let refreshes):
                refreshes ? "the stored response is used, and refreshed" : "the stored response is used"
            case .validate: "the network is asked whether the stored response may be used"
            case .ask: "the network is asked"
            case .fail: "the request fails"
            }
        return self.servesOnError ? what + "; where the network fails the stored response is used" : what
    }
}

extension CacheDecision {
    /// Decides about a request for which no stored response can be used.
    init(_ miss: CacheMiss, for use: CacheUse) {
        self.init(action: use == .only ? .fail : .ask, miss: miss, reasons: [CacheReason(miss.description, "")])
    }
}

/// The stored response to a request, and the decision about it.
final class CacheLookup: Sendable {
    let decision: CacheDecision
    /// The stored response as the request gets it, if it is used.
    let response: HTTPResponse?
    /// The responses that are stored for the URL, where RFC 9111 decides.
    let found: HTTPCachePlace.Found?
    /// The number of removals by hand so far: a response that is requested now is not stored after a later one.
    let removals: Int

    init(_ decision: CacheDecision, _ response: HTTPResponse?, _ found: HTTPCachePlace.Found? = nil, removals: Int) {
        (self.decision, self.response, self.found, self.removals) = (decision, response, found, removals)
    }

    /// The request as it is sent.
    func outgoing(_ request: HTTPRequest) -> HTTPRequest {
        let conditions = self.decision.conditions
        guard !conditions.isEmpty else { return request }
        var request = request
        request.headers.merge(conditions)
        return request
    }
}
