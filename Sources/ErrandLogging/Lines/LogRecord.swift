internal import Errand

internal import struct Foundation.Data

/// An event that is kept until its line is written: as little of it as possible, and not formatted yet.
struct LogRecord: Sendable {
    /// Seconds since 1970.
    let time: Double
    let subject: LogSubject
    let event: LogEvent
}

/// The subject of a line, shared by all lines of one activity.
///
/// A value that all lines must show is a field here, and is written where the two layouts write their subject.
struct LogSubject: Sendable {
    let id: RequestID
    let kind: RequestActivity.Kind
    /// The source of the name; `nil` for a batch or a chain.
    let call: CallName?
    let tag: String?
    let parent: RequestID?
    let position: Int
    let method: HTTPMethod?
    let url: HTTPURL?

    /// - Parameters:
    ///   - activity: The activity.
    ///   - request: The request that was sent for it, if the line is about one.
    init(_ activity: RequestActivity, sending request: HTTPRequest? = nil) {
        self.id = activity.id
        self.kind = activity.kind
        self.call = activity.call
        self.tag = activity.tag
        self.parent = activity.parent
        self.position = activity.position ?? 0
        let target = activity.target
        self.method = request?.method ?? target?.method
        self.url = request?.url ?? target?.url
    }
}

/// An event.
enum LogEvent: Sendable {
    case start
    indirect case requestHead(HTTPFields, Redaction)
    /// The head as it was sent, if it differs from the one that the request started with.
    indirect case sentHead(HTTPFields, Redaction)
    indirect case requestBody(LogBody)
    indirect case responseHead(HTTPResponse.Head, Redaction)
    indirect case responseBody(LogBody)
    indirect case attemptFailed(Int, LogError)
    case notice(String, Redaction)
    case end(LogEnd)

    /// The approximate number of bytes that it retains, in addition to the size of every record.
    var weight: Int {
        switch self {
        case .start: 0
        case .requestHead(let fields, _), .sentHead(let fields, _): fields.weight
        case .responseHead(let head, _): head.headers.weight
        case .requestBody(let body), .responseBody(let body): body.beginning.count
        case .attemptFailed(_, let error): error.message.utf8.count
        case .notice(let text, _): text.utf8.count
        case .end(let end): end.error?.message.utf8.count ?? 0
        }
    }
}

/// An error without its context, which may be large.
struct LogError: Sendable {
    let code: ErrandError.Code
    let message: String
    /// The redaction of the client.
    let redaction: Redaction

    init(_ error: ErrandError, _ redaction: Redaction) {
        self.code = error.code
        self.message = error.message
        self.redaction = redaction
    }
}

/// The end of an activity.
struct LogEnd: Sendable {
    /// Values that most ends do not have.
    private final class Rest: Sendable {
        let error: LogError?
        let trace: TraceContext?

        init(_ error: LogError?, _ trace: TraceContext?) {
            (self.error, self.trace) = (error, trace)
        }
    }

    let isCached: Bool
    let status: Int?
    let size: Int?
    let attempts: Int
    let timings: ExchangeMetrics.Timings
    private let rest: Rest?

    var error: LogError? { self.rest?.error }
    var trace: TraceContext? { self.rest?.trace }

    init(_ end: RequestActivity.End, of activity: RequestActivity) {
        var error: LogError?
        switch end.result {
        case .finished: self.isCached = false
        case .cached: self.isCached = true
        case .failed(let reason):
            self.isCached = false
            error = LogError(reason, activity.redaction)
        }
        self.status = end.statusCode
        self.size = end.bodySize
        self.attempts = end.attempts
        self.timings = end.timings
        let trace = end.trace
        self.rest = error == nil && trace == nil ? nil : Rest(error, trace)
    }

    var severity: LogSeverity {
        guard let error = self.error else { return .info }
        return error.code == .cancelled ? .info : .error
    }
}

/// The beginning of a body.
struct LogBody: Sendable {
    /// The location of the content.
    enum Location: Sendable {
        case memory
        case file(HTTPRequest.Body)
        case stream
    }

    let place: Location
    let contentType: String?
    let isCoded: Bool
    /// The total size, if known.
    let size: Int64?
    /// A copy, so that the rest of a large body is not retained.
    let beginning: [UInt8]

    init(_ data: Data, _ headers: HTTPFields, limit: Int, isCoded: Bool = false) {
        self.place = .memory
        self.contentType = headers["Content-Type"]
        self.isCoded = isCoded
        self.size = Int64(data.count)
        self.beginning = Array(data.prefix(limit))
    }

    /// The body of a request; `nil` if it has none.
    init?(of request: HTTPRequest, limit: Int) {
        switch request.body {
        case .none: return nil
        case .bytes(let data):
            self.init(
                data, request.headers, limit: limit, isCoded: request.headers.contains("Content-Encoding"))
        case .file: self.init(.file(request.body), request.headers, nil)
        case .stream(_, let length): self.init(.stream, request.headers, length)
        }
    }

    private init(_ place: Location, _ headers: HTTPFields, _ size: Int64?) {
        self.place = place
        self.contentType = headers["Content-Type"]
        self.isCoded = false
        self.size = size
        self.beginning = []
    }
}

extension HTTPFields {
    fileprivate var weight: Int { self.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count } }
}
