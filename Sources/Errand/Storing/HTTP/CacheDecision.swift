/// The decision about a request, made by the rules of its policy: by age, or by RFC 9111 §4.
struct CacheDecision: Sendable {
    enum Action: Sendable, Hashable {
        /// Use the selected response.
        ///
        /// If `refreshes` is true, it is stale and refreshed in the background.
        case serve(refreshes: Bool)
        /// Ask the network whether stored responses may be used, with these conditional fields.
        case validate(HTTPFields)
        /// Use the network.
        case ask
        /// Fail the request: it must not be sent.
        case fail
    }

    var action = Action.ask
    /// True if the selected response is published before the network is used.
    var publishesFirst = false
    /// The miss that is counted; `nil` if a cached response is used, or if none was looked up.
    var miss: CacheMiss?
    /// The reason for using the network, if RFC 9111 decides.
    var forward: ResponseSource.CacheStatus.Forward?
    /// The freshness of the selected response, if RFC 9111 decides and there is one.
    var freshness: HTTPFreshness?
    /// True if the selected response may be used when the network fails.
    var servesOnError = false
    /// The reasons, in order.
    var reasons: [CacheReason] = []

    /// True if the selected response is delivered or published.
    var usesStored: Bool { if case .serve = self.action { true } else { self.publishesFirst } }

    /// The conditional fields of the request.
    var conditions: HTTPFields { if case .validate(let fields) = self.action { fields } else { [:] } }

    /// The error if the request is not sent.
    var error: ErrandError {
        ErrandError(
            .notInCache, self.reasons.map(\.description).joined(separator: "; "), cause: self.miss ?? .noEntry)
    }

    /// A description of the decision.
    var summary: String {
        let what =
            switch self.action {
            case .serve(let refreshes):
                refreshes ? "the stored response is used and refreshed" : "the stored response is used"
            case .validate: "the request is sent to validate the stored response"
            case .ask: "the request is sent"
            case .fail: "the request fails"
            }
        return self.servesOnError ? what + "; if the network fails, the stored response is used" : what
    }
}

extension CacheDecision {
    /// Decides about a request for which no cached response can be used.
    init(_ miss: CacheMiss, for use: CacheUse) {
        self.init(action: use == .only ? .fail : .ask, miss: miss, reasons: [CacheReason(miss.description, "")])
    }
}

/// The stored response to a request, and the decision about it.
final class CacheLookup: Sendable {
    let decision: CacheDecision
    /// The cached response as delivered to the request, if it is used.
    let response: HTTPResponse?
    /// The responses stored for the URL, if RFC 9111 decides.
    let found: HTTPCacheLocation.Candidates?
    /// The number of explicit removals at the time of the request.
    ///
    /// After a later removal its response is not stored.
    let removals: Int

    init(
        _ decision: CacheDecision, _ response: HTTPResponse?, _ found: HTTPCacheLocation.Candidates? = nil,
        removals: Int
    ) {
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
