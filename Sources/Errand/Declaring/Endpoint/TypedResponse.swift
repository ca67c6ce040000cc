/// What a call answers, and how it came about.
public struct TypedResponse<Value: Sendable>: Sendable {
    /// The decoded value.
    public let value: Value
    /// The id of the request.
    public let requestID: RequestID
    /// The URL that answered: the request's own, or the last one that it was redirected to.
    ///
    /// For a response from the cache it is the one that answered then; of one that it was redirected to without the
    /// fragment and what is secret in it, see ``HTTPURL/redacted``.
    public let url: HTTPURL

    private let answer: ResponseSummary

    package init(value: Value, answer: ResponseSummary, request: HTTPRequest, requestID: RequestID) {
        self.value = value
        self.url = answer.url ?? request.url
        self.answer = answer
        self.requestID = requestID
    }

    private init(value: Value, answer: ResponseSummary, url: HTTPURL, requestID: RequestID) {
        self.value = value
        self.url = url
        self.answer = answer
        self.requestID = requestID
    }

    /// The same response with another value; `nil` for none.
    package func map<Other>(_ transform: (Value) -> Other?) -> TypedResponse<Other>? {
        transform(self.value).map {
            TypedResponse<Other>(value: $0, answer: self.answer, url: self.url, requestID: self.requestID)
        }
    }

    /// The status and header fields of the response.
    public var head: HTTPResponseHead { self.answer.head }
    /// Where the response came from.
    public var source: ResponseSource { self.answer.source }
    /// What the cache did by the rules of HTTP; `nil` where it was not asked by those, see ``CachePolicy/http``.
    public var cacheStatus: CacheStatus? { self.answer.cacheStatus }
    /// Where the time went.
    public var timings: Timings { self.answer.timings }
    /// Where the time of the last exchange went, where the transport knows: no answer from the cache has it, and of a
    /// body that was read as a stream it tells nothing but the time until its head.
    public var metrics: ExchangeMetrics? { self.answer.metrics }
    /// How often the request went to the transport; 0 for a response from the cache.
    ///
    /// Each redirection that is followed is one more attempt, and so is each credential that is tried.
    public var attempts: Int { self.answer.attempts }
    /// How many redirections were followed to it; for a response from the cache that is how many were then.
    public var redirects: Int { self.answer.redirects }
}

// MARK: - Printing

extension TypedResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the source, the attempts and the URL without its secrets, then the value.
    public var description: String {
        "\(self.head.status), \(self.source), \(self.attempts == 1 ? "1 attempt" : "\(self.attempts) attempts") "
            + "[\(self.url.redacted)]: \(self.value)"
    }

    /// A mirror of the value and of what is known about the response, without secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "value": self.value, "status": self.head.status, "headers": self.head.headers, "source": self.source,
            "attempts": self.attempts, "redirects": self.redirects, "timings": self.timings, "url": self.url,
            "requestID": self.requestID,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// All that is known of a successful run but its value.
package final class ResponseSummary: Sendable {
    let head: HTTPResponseHead
    let source: ResponseSource
    let timings: Timings
    let attempts: Int
    /// The URL that answered, where it may be another than that of the request.
    let url: HTTPURL?
    let redirects: Int
    let cacheStatus: CacheStatus?
    var metrics: ExchangeMetrics? { self.details?.metrics }
    private let details: HTTPResponse.Details?

    /// That of what is no request and has no answer of its own.
    static let none = ResponseSummary(nil, source: .network, timings: Timings(), attempts: 0, url: nil, redirects: 0)

    init(
        _ response: HTTPResponse?, source: ResponseSource, timings: Timings, attempts: Int, url: HTTPURL?,
        redirects: Int, cacheStatus: CacheStatus? = nil
    ) {
        self.cacheStatus = cacheStatus
        self.head = response?.head ?? HTTPResponseHead(status: 0)
        self.details = source.isCache ? nil : response?.details
        self.source = source
        self.timings = timings
        self.attempts = attempts
        self.url = url
        self.redirects = redirects
    }
}

/// What a run comes to; the value stays with the request, batch or chain until someone asks for it.
package typealias RunOutcome = Result<ResponseSummary, ErrandError>
