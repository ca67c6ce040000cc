public import struct Foundation.Data
public import struct Foundation.URL

/// The body that an endpoint declares, from which the request's content and media type are made.
///
/// A body is made when its request starts, on the request's own actor. For other kinds of bodies, pass a function to
/// ``init(_:)``.
public struct RequestBody: Sendable {
    /// Content and its media type.
    public struct Encoded: Sendable {
        /// The content.
        public var body: HTTPRequest.Body
        /// The media type, sent as `Content-Type` unless the endpoint's headers set that.
        public var contentType: MIMEType?
        /// The content coding, such as `gzip`, sent as `Content-Encoding` (RFC 9110 §8.4) unless the endpoint's headers
        /// set that.
        public var contentEncoding: String?

        /// Creates encoded content.
        public init(_ body: HTTPRequest.Body, contentType: MIMEType? = nil, contentEncoding: String? = nil) {
            self.body = body
            self.contentType = contentType
            self.contentEncoding = contentEncoding
        }
    }

    private let make: (@Sendable () throws -> Encoded)?

    /// Creates a body from a function that makes the content; an error that it throws fails the request.
    public init(_ make: @escaping @Sendable () throws -> Encoded) {
        self.make = make
    }

    private init() {
        self.make = nil
    }

    /// No content.
    public static let none = RequestBody()

    /// True for ``none``.
    var isNone: Bool { self.make == nil }

    // MARK: - As it is

    /// Returns a body of bytes.
    public static func bytes(_ data: Data, contentType: MIMEType = "application/octet-stream") -> RequestBody {
        RequestBody { Encoded(.bytes(data), contentType: contentType) }
    }

    /// Returns a body with a text in UTF-8.
    public static func text(_ text: String, contentType: MIMEType = "text/plain; charset=utf-8") -> RequestBody {
        RequestBody { Encoded(.bytes(Data(text.utf8)), contentType: contentType) }
    }

    /// Returns a body with a text in another charset, which becomes the `charset` parameter of the media type.
    ///
    /// An unknown charset, and a text with characters that the charset lacks, fail the request with
    /// ``ErrandError/Code/encodingFailed``.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - charset: The IANA name of the charset, such as `iso-8859-1`, ignoring case.
    ///   - contentType: The media type, without a charset.
    /// - Returns: The body.
    public static func text(
        _ text: String, charset: String, contentType: MIMEType = .plainText
    ) -> RequestBody {
        RequestBody {
            guard let encoding = Charset(charset) else {
                throw ErrandError(.encodingFailed, "the charset \"\(charset)\" is unknown")
            }
            guard let data = encoding.encode(text) else {
                throw ErrandError(.encodingFailed, "the text has characters that \(encoding.name) does not have")
            }
            return Encoded(.bytes(data), contentType: contentType.with(charset: encoding.name))
        }
    }

    /// Returns a body with a file, read while it is sent.
    public static func file(_ url: URL, contentType: MIMEType = "application/octet-stream") -> RequestBody {
        RequestBody { Encoded(.file(url), contentType: contentType) }
    }

    /// Returns a body of chunks that are produced while they are sent, with their length in bytes if it is known.
    public static func stream(
        _ stream: BodyStream, length: Int64? = nil, contentType: MIMEType = "application/octet-stream"
    ) -> RequestBody {
        RequestBody { Encoded(.stream(stream, length: length), contentType: contentType) }
    }

    /// Returns a body whose content is changed when it is made; ``none`` is unchanged.
    func map(_ change: @escaping @Sendable (Encoded) throws -> Encoded) -> RequestBody {
        guard let make = self.make else { return self }
        return RequestBody { try change(try make()) }
    }

    /// Makes the content, or returns `nil` for ``none``.
    package func encoded() throws(ErrandError) -> Encoded? {
        guard let make = self.make else { return nil }
        do {
            return try make()
        } catch {
            throw ErrandError(wrapping: error, as: .encodingFailed, "the body could not be encoded")
        }
    }
}
