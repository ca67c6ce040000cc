internal import Errand

/// The outcome of a request from an origin, as far as the labels distinguish it.
struct OutcomeKey: Hashable, Sendable {
    /// The source of a response.
    enum Source: String, Sendable {
        case network, cache, none
    }

    let origin: Int
    /// The code, or only its first digit if codes are not distinguished, or `nil`.
    let status: Int?
    let source: Source?
    let error: ErrandError.Code?

    init(_ notes: ActivityNotes, _ end: RequestActivity.End, _ choice: LabelChoice) {
        self.origin = notes.origin
        let status = end.statusCode
        self.status = choice.wantsStatus ? status : choice.wantsStatusClass ? status.map(Self.leadingDigit) : nil
        self.source = choice.wantsSource ? Source(end, isCoalesced: notes.isCoalesced) : nil
        self.error = choice.wantsError ? end.errorCode : nil
    }

    /// The labels in addition to those of the origin.
    func labels(_ choice: LabelChoice) -> [MetricLabel: String] {
        var labels: [MetricLabel: String] = [:]
        if let status = self.status {
            if choice.wantsStatus { labels[.status] = "\(status)" }
            if choice.wantsStatusClass {
                let digit = choice.wantsStatus ? Self.leadingDigit(of: status) : status
                labels[.statusClass] = digit == 0 ? "other" : "\(digit)xx"
            }
        }
        labels[.source] = self.source?.rawValue
        labels[.error] = self.error?.description
        return labels
    }

    /// The first digit of a status code; 0 if the code is invalid.
    private static func leadingDigit(of code: Int) -> Int {
        100...599 ~= code ? code / 100 : 0
    }
}

extension OutcomeKey.Source {
    fileprivate init(_ end: RequestActivity.End, isCoalesced: Bool) {
        switch end.result {
        case .finished: self = .network
        case .cached: self = .cache
        case .failed where end.statusCode == nil: self = .none
        case .failed: self = end.attempts > 0 || isCoalesced ? .network : .cache
        }
    }
}

/// An attempt that failed.
struct AttemptFailureKey: Hashable, Sendable {
    let origin: Int
    let error: ErrandError.Code?
}

/// A cache lookup that found no response.
struct CacheMissKey: Hashable, Sendable {
    let origin: Int
    let reason: String
}

extension CacheMiss {
    /// The reason as a label.
    var metricReason: String {
        switch self {
        case .noEntry: "no_entry"
        case .expired: "expired"
        case .versionMismatch: "version_mismatch"
        case .scopeMismatch: "scope_mismatch"
        case .appVersionMismatch: "app_version_mismatch"
        case .invalidLifetime: "invalid_lifetime"
        case .corruptHead: "corrupt_head"
        case .corruptBody: "corrupt_body"
        case .otherFormat: "other_format"
        case .unreadable: "unreadable"
        case .notAccepted: "not_accepted"
        case .notCacheable: "not_cacheable"
        case .noCache: "no_cache"
        }
    }
}
