public import struct Foundation.Data
public import struct Foundation.URL

extension HTTPResponse {
    /// The status and header fields of a response (RFC 9110 §6.2, §6.3).
    public struct Head: Sendable {
        /// The status code.
        public var status: HTTPStatus
        /// The header fields, in the order in which they came.
        public var headers: HTTPFields

        /// Creates a head.
        public init(status: HTTPStatus, headers: HTTPFields = [:]) {
            self.status = status
            self.headers = headers
        }

        /// The media type of the content, where the server told one; without parameters that have a flaw.
        public var contentType: MIMEType? {
            self.headers[HTTPField.Name.contentType].flatMap(MIMEType.received)
        }
    }
}

/// One HTTP response as a transport received it.
///
/// Copies are cheap, and each change makes one: give a response with very many header fields all of them at once.
public struct HTTPResponse: Sendable {
    /// The content: in memory, in a file, or as a stream.
    public enum Body: Sendable {
        /// All of it, in memory.
        case bytes(Data)
        /// Chunks that come as they are read.
        indirect case stream(BodyStream)
        /// All of it, in this file.
        case file(URL)
    }

    /// The status and header fields.
    public var head: HTTPResponse.Head {
        get { self.box.parts.head }
        set { self.parts.head = newValue }
    }

    /// The content.
    public var body: Body {
        get { self.box.parts.body }
        set { self.parts.body = newValue }
    }

    /// Times and sizes of the exchange, where the transport knows; for a streamed body, until its head.
    public var metrics: ExchangeMetrics? {
        get { self.details?.metrics }
        set { self.parts.details = Details(newValue, self.trailers) }
    }

    /// The fields that came behind the content (RFC 9110 §6.5), which are no part of the head; empty where none came.
    ///
    /// There are none for a body that is a stream, because they come after it, and none of what a cache has stored. Not
    /// every transport receives them: ``URLSessionTransport`` does not.
    public var trailers: HTTPFields {
        get { self.details?.trailers ?? [:] }
        set { self.parts.details = Details(self.metrics, newValue) }
    }

    /// Where it came from, in all its copies; `nil` where that is the request's own URL.
    var origin: Origin? {
        get { self.box.parts.origin }
        set { self.parts.origin = newValue }
    }

    /// Whether the body is only the beginning of what came, in all its copies.
    var isCut: Bool {
        get { self.box.parts.isCut }
        set { self.parts.isCut = newValue }
    }

    /// What is known of the exchange that brought it.
    var details: Details? { self.box.parts.details }

    /// Responses pass through many hands: one pointer makes that cheap.
    private var box: Box

    private var parts: Parts {
        get { self.box.parts }
        set { self.box = Box(newValue) }
    }

    private struct Parts {
        var head: HTTPResponse.Head
        var body: Body
        var origin: Origin?
        var details: Details?
        var isCut = false
    }

    private final class Box: Sendable {
        let parts: Parts

        init(_ parts: Parts) {
            self.parts = parts
        }
    }

    /// Details of an exchange besides its response.
    final class Details: Sendable {
        let metrics: ExchangeMetrics?
        let trailers: HTTPFields

        init?(_ metrics: ExchangeMetrics?, _ trailers: HTTPFields) {
            guard metrics != nil || !trailers.isEmpty else { return nil }
            self.metrics = metrics
            self.trailers = trailers
        }
    }

    /// The origin of a response.
    final class Origin: Sendable {
        /// The request that brought it, if one did.
        let request: HTTPRequest?
        /// The URL that answered, where it may be another than that of the request that was made.
        let url: HTTPURL?
        /// The number of redirections that were followed to it.
        let redirects: Int
        let source: ResponseSource

        init(request: HTTPRequest? = nil, url: HTTPURL?, redirects: Int, source: ResponseSource) {
            self.request = request
            self.url = url
            self.redirects = redirects
            self.source = source
        }
    }

    /// Creates a response.
    public init(head: HTTPResponse.Head, body: Body) {
        self.box = Box(Parts(head: head, body: body))
    }

    /// Creates a response to be used elsewhere than it was received.
    init(head: HTTPResponse.Head, body: Body, origin: Origin) {
        self.box = Box(Parts(head: head, body: body, origin: origin))
    }

    /// Creates a response whose content is in memory.
    public init(status: HTTPStatus, headers: HTTPFields = [:], body: Data = Data()) {
        self.init(head: HTTPResponse.Head(status: status, headers: headers), body: .bytes(body))
    }

    /// The status code.
    public var status: HTTPStatus { self.box.parts.head.status }

    /// The header fields.
    public var headers: HTTPFields { self.box.parts.head.headers }

    /// Whether it is known that there is no content: none came, or the status or its length say that none does
    /// (RFC 9110 §6.4.1, §8.6).
    var hasEmptyBody: Bool {
        if case .bytes(let data) = self.body { return data.isEmpty }
        return [204, 205, 304].contains(self.status.rawValue) || self.headers[HTTPField.Name.contentLength] == "0"
    }

    /// The content, where it is in memory; empty where it is not.
    public var data: Data {
        guard case .bytes(let data) = self.body else { return Data() }
        return data
    }
}

extension HTTPResponse.Body: CustomStringConvertible, CustomReflectable {
    /// The kind of the content, without the content.
    public var description: String {
        switch self {
        case .bytes(let data): "\(data.count) bytes"
        case .stream: "a stream"
        case .file(let url): "the file \(url.path)"
        }
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPResponse: CustomReflectable {
    /// A mirror of the parts.
    public var customMirror: Mirror {
        Mirror(self, children: Mirror(reflecting: self.parts).children, displayStyle: .struct)
    }
}
