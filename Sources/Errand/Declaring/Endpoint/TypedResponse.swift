/// The value of a call, with information about its response.
public struct TypedResponse<Value: Sendable>: Sendable {
    /// The decoded value.
    public let value: Value
    /// The id of the request.
    public let requestID: RequestID
    /// The URL of the response: the request's own, or that of the last redirect.
    ///
    /// For a cached response, it is the URL of the original response. The URL of a redirect lacks the fragment and
    /// secrets, see ``HTTPURL/redacted``.
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

    /// Returns the response with a transformed value, or `nil` if the transform returns `nil`.
    package func map<Other>(_ transform: (Value) -> Other?) -> TypedResponse<Other>? {
        transform(self.value).map {
            TypedResponse<Other>(value: $0, answer: self.answer, url: self.url, requestID: self.requestID)
        }
    }

    /// The status and header fields of the response.
    public var head: HTTPResponse.Head { self.answer.head }
    /// The source of the response: the network, or the cache.
    public var source: ResponseSource { self.answer.source }
    /// The cache's decision under the rules of HTTP; `nil` if they were not applied, see ``CachePolicy/http``.
    public var cacheStatus: ResponseSource.CacheStatus? { self.answer.cacheStatus }
    /// The time that each phase took.
    public var timings: ExchangeMetrics.Timings { self.answer.timings }
    /// Times and sizes of the last exchange, if the transport provides them.
    ///
    /// A cached response has none. For a body that was read as a stream, only the time to its head is known.
    public var metrics: ExchangeMetrics? { self.answer.metrics }
    /// The number of times the request went to the transport; 0 for a response from the cache.
    ///
    /// Each followed redirect is one more attempt, and so is each credential that is tried.
    public var attempts: Int { self.answer.attempts }
    /// The number of redirects that were followed; for a cached response, when it was stored.
    public var redirects: Int { self.answer.redirects }
}

// MARK: - Printing

extension TypedResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the source, the attempts and the URL without its secrets, then the value.
    public var description: String {
        "\(self.head.status), \(self.source), \(self.attempts == 1 ? "1 attempt" : "\(self.attempts) attempts") "
            + "[\(self.url.redacted)]: \(self.value)"
    }

    /// A mirror of the value and the information about the response, without secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "value": self.value, "status": self.head.status, "headers": self.head.headers, "source": self.source,
            "attempts": self.attempts, "redirects": self.redirects, "timings": self.timings, "url": self.url,
            "requestID": self.requestID,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// The information about a successful run, without its value.
package final class ResponseSummary: Sendable {
    let head: HTTPResponse.Head
    let source: ResponseSource
    let timings: ExchangeMetrics.Timings
    let attempts: Int
    /// The URL of the response, if it may differ from that of the request.
    let url: HTTPURL?
    let redirects: Int
    let cacheStatus: ResponseSource.CacheStatus?
    var metrics: ExchangeMetrics? { self.details?.metrics }
    private let details: HTTPResponse.Details?

    /// The summary for batches and chains, which have no response of their own.
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

/// The outcome of a run; the value stays with the request, batch or chain until it is read.
package typealias RunOutcome = Result<ResponseSummary, ErrandError>
