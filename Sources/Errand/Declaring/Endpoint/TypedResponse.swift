/// The value of a call, and how it came about.
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
    public var head: HTTPResponse.Head { self.answer.head }
    /// The source of the response: the network, or the cache.
    public var source: ResponseSource { self.answer.source }
    /// The decision of the cache by the rules of HTTP; `nil` where it was not asked by those, see ``CachePolicy/http``.
    public var cacheStatus: ResponseSource.CacheStatus? { self.answer.cacheStatus }
    /// The time that each phase took.
    public var timings: ExchangeMetrics.Timings { self.answer.timings }
    /// Times and sizes of the last exchange, where the transport knows: no answer from the cache has them, and of a
    /// body that was read as a stream it tells nothing but the time until its head.
    public var metrics: ExchangeMetrics? { self.answer.metrics }
    /// The number of times the request went to the transport; 0 for a response from the cache.
    ///
    /// Each redirection that is followed is one more attempt, and so is each credential that is tried.
    public var attempts: Int { self.answer.attempts }
    /// The number of redirections that were followed; for a response from the cache, when it was stored.
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
    let head: HTTPResponse.Head
    let source: ResponseSource
    let timings: ExchangeMetrics.Timings
    let attempts: Int
    /// The URL that answered, where it may be another than that of the request.
    let url: HTTPURL?
    let redirects: Int
    let cacheStatus: ResponseSource.CacheStatus?
    var metrics: ExchangeMetrics? { self.details?.metrics }
    private let details: HTTPResponse.Details?

    /// That of what is no request and has no answer of its own.
    static let none = ResponseSummary(
        nil, source: .network, timings: ExchangeMetrics.Timings(), attempts: 0, url: nil, redirects: 0)

    init(
        _ response: HTTPResponse?, source: ResponseSource, timings: ExchangeMetrics.Timings, attempts: Int,
        url: HTTPURL?,
        redirects: Int, cacheStatus: ResponseSource.CacheStatus? = nil
    ) {
        self.cacheStatus = cacheStatus
        self.head = response?.head ?? HTTPResponse.Head(status: 0)
        self.details = source.isCache ? nil : response?.details
        self.source = source
        self.timings = timings
        self.attempts = attempts
        self.url = url
        self.redirects = redirects
    }
}

/// The outcome of a run; the value stays with the request, batch or chain until someone asks for it.
package typealias RunOutcome = Result<ResponseSummary, ErrandError>
