public import struct Foundation.Data
public import struct Foundation.URL

extension HTTPResponse {
    /// The status and header fields of a response (RFC 9110 §6.2, §6.3).
    public struct Head: Sendable {
        /// The status code.
        public var status: HTTPStatus
        /// The header fields, in the order in which they were received.
        public var headers: HTTPFields

        /// Creates a head.
        public init(status: HTTPStatus, headers: HTTPFields = [:]) {
            self.status = status
            self.headers = headers
        }

        /// The media type of the content, if the server sent one; invalid parameters are skipped.
        public var contentType: MIMEType? {
            self.headers[HTTPField.Name.contentType].flatMap(MIMEType.received)
        }
    }
}

/// An HTTP response, as received by a transport.
///
/// Copies are cheap, and each change makes a copy: set a large number of header fields all at once.
public struct HTTPResponse: Sendable {
    /// The content: in memory, in a file, or as a stream.
    public enum Body: Sendable {
        /// The whole content, in memory.
        case bytes(Data)
        /// A stream of chunks.
        indirect case stream(BodyStream)
        /// The whole content, in this file.
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

    /// Times and sizes of the exchange, if the transport provides them; for a streamed body, until its head.
    public var metrics: ExchangeMetrics? {
        get { self.details?.metrics }
        set { self.parts.details = Details(newValue, self.trailers) }
    }

    /// The trailer fields (RFC 9110 §6.5), which are not part of the head.
    ///
    /// Empty for a streamed body, because they follow it, and for cached responses. `URLSessionTransport` does not
    /// receive trailers.
    public var trailers: HTTPFields {
        get { self.details?.trailers ?? [:] }
        set { self.parts.details = Details(self.metrics, newValue) }
    }

    /// The origin of the response, shared by its copies; `nil` if it is the request's own URL.
    var origin: Origin? {
        get { self.box.parts.origin }
        set { self.parts.origin = newValue }
    }

    /// True if the body is truncated, shared by its copies.
    var isCut: Bool {
        get { self.box.parts.isCut }
        set { self.parts.isCut = newValue }
    }

    /// Details of its exchange.
    var details: Details? { self.box.parts.details }

    /// One reference, because responses pass through many layers.
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
        /// The request of the response, if there is one.
        let request: HTTPRequest?
        /// The URL of the response, if it may differ from that of the original request.
        let url: HTTPURL?
        /// The number of followed redirects.
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

    /// Creates a response outside of its exchange.
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

    /// True if there is known to be no content: none was received, or status or length say so (RFC 9110 §6.4.1, §8.6).
    var hasEmptyBody: Bool {
        if case .bytes(let data) = self.body { return data.isEmpty }
        return [204, 205, 304].contains(self.status.rawValue) || self.headers[HTTPField.Name.contentLength] == "0"
    }

    /// The content, if it is in memory; otherwise empty.
    public var data: Data {
        guard case .bytes(let data) = self.body else { return Data() }
        return data
    }
}

extension HTTPResponse.Body: CustomStringConvertible, CustomReflectable {
    /// The kind of content, without the content.
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
