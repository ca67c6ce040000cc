public import struct Foundation.Data
public import struct Foundation.URL

/// A body of several parts (`multipart/form-data`, RFC 7578): fields, data, files and streams.
///
/// ```swift
/// var form = MultipartForm(["album": "summer"])
/// form.append("photo", file: photo)
/// return .multipart(form)
/// ```
///
/// Files and streams are read while the body is sent, so that its size does not matter. Where the length of each part
/// is known the request says how long the body is. Names and names of files are escaped as the HTML standard says: `"`
/// becomes `%22`, CR `%0D` and LF `%0A`, and in the name of a field a CR or LF that stands alone becomes both of them.
/// Other control characters but the tab are percent-encoded too. Values are sent as they are. Errors about a part name it.
public struct MultipartForm: Sendable {
    /// The delimiter between the parts.
    public let boundary: String
    /// What must not be in the content of a part; `nil` where nobody can have guessed it.
    let delimiter: [UInt8]?
    private(set) var parts: [MultipartPart] = []

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - fields: The first parts: fields of the names that they have in a query, not escaped, such as `a[b]`.
    ///   - boundary: What stands between the parts, in place of one that nobody can guess: 1 to 70 letters, digits and
    ///     `'()+_,-./:=?` (RFC 2046 §5.1.1). Another one fails the request with ``ErrandError/Code/encodingFailed``, as
    ///     do fields that cannot be encoded. So does one that occurs in the content of a part, with `--` before it: of
    ///     files and streams that shows while they are sent.
    public init(_ fields: Parameters = [:], boundary: String? = nil) {
        self.boundary = boundary ?? Self.randomBoundary()
        self.delimiter = boundary.map { Array("--\($0)".utf8) }
        self.fields = fields
    }

    /// The fields that come first.
    let fields: Parameters

    // MARK: - Adding parts

    /// Adds a field with a text in UTF-8.
    public mutating func append(_ name: String, _ value: String) {
        self.append(MultipartPart(name, filename: nil, contentType: nil, .bytes(Data(value.utf8))))
    }

    /// Adds a field with bytes that are at hand.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - data: The content.
    ///   - filename: The name of a file, if this is to look like one.
    ///   - contentType: The media type; where nothing is given, the one of the extension of the filename.
    public mutating func append(
        _ name: String, data: Data, filename: String? = nil, contentType: MIMEType? = nil
    ) {
        let type = contentType ?? filename.map { MIMEType.ofFile(named: $0) }
        self.append(MultipartPart(name, filename: filename, contentType: type, .bytes(data)))
    }

    /// Adds a file, read while it is sent.
    ///
    /// Its length is the one at the start of the request; a file that cannot be read then fails the request with
    /// ``ErrandError/Code/encodingFailed``, and so does one that becomes shorter while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - file: A local file.
    ///   - filename: The name that the server is told; the file's own where nothing is given.
    ///   - contentType: The media type; where nothing is given, the one of the file's extension, or
    ///     `application/octet-stream`.
    public mutating func append(
        _ name: String, file: URL, filename: String? = nil, contentType: MIMEType? = nil
    ) {
        let filename = filename ?? file.lastPathComponent
        let type = contentType ?? MIMEType.ofFile(named: file.lastPathComponent)
        self.append(MultipartPart(name, filename: filename, contentType: type, .file(file)))
    }

    /// Adds chunks that are made while they are sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - stream: The content; where it cannot be read twice, the body cannot be sent twice.
    ///   - length: How many bytes it has, where that is known; a stream of another length fails the request.
    ///   - filename: The name of a file, if this is to look like one.
    ///   - contentType: The media type; where nothing is given, the one of the extension of the filename.
    public mutating func append(
        _ name: String, stream: BodyStream, length: Int64? = nil, filename: String? = nil, contentType: MIMEType? = nil
    ) {
        let type = contentType ?? filename.map { MIMEType.ofFile(named: $0) }
        self.append(MultipartPart(name, filename: filename, contentType: type, .stream(stream, length: length)))
    }

    /// Adds a part with header fields of its own, sent in their order; fields that HTTP does not allow fail the
    /// request.
    public mutating func append(headers: HTTPFields, _ content: HTTPRequest.Body) {
        self.append(MultipartPart(headers: headers, content))
    }

    private mutating func append(_ part: MultipartPart) {
        self.parts.append(part)
    }

    private static func randomBoundary() -> String {
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return "errand-" + String(random.0, radix: 36) + String(random.1, radix: 36)
    }
}

extension RequestBody {
    /// A body of several parts, with the type `multipart/form-data`; none at all without a part.
    ///
    /// Parts that are all at hand become bytes; with files or streams among them the body is made while it is sent.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        RequestBody {
            guard let body = try form.encoded() else { return Encoded(.none) }
            return Encoded(body, contentType: form.contentType)
        }
    }
}
