public import struct Foundation.Data
public import struct Foundation.URL

/// A multipart body (`multipart/form-data`, RFC 7578): fields, data, files and streams.
///
/// ```swift
/// var form = MultipartForm(["album": "summer"])
/// form.append("photo", file: photo)
/// return .multipart(form)
/// ```
///
/// Files and streams are read while the body is sent, so its size is not limited by memory. If the length of each part
/// is known, the request contains the length of the body. Field names and file names are escaped by the HTML standard:
/// `"` becomes `%22`, CR `%0D` and LF `%0A`, and in a field name, a lone CR or LF becomes both. Other control
/// characters except the tab are percent-encoded too. Values are sent unchanged. Errors about a part name it.
public struct MultipartForm: Sendable {
    /// The delimiter between the parts.
    public let boundary: String
    /// The bytes that no part may contain; `nil` for an unpredictable boundary.
    let delimiter: [UInt8]?
    private(set) var parts: [MultipartPart] = []

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - fields: The first parts: fields with their names in a query, unescaped, such as `a[b]`.
    ///   - boundary: The boundary between parts, in place of an unpredictable one: 1 to 70 letters, digits and
    ///     `'()+_,-./:=?` (RFC 2046 §5.1.1). An invalid one fails the request with ``ErrandError/Code/encodingFailed``,
    ///     and so do fields that cannot be encoded. So does a boundary that occurs in the content of a part after `--`;
    ///     for files and streams, this is detected while they are sent.
    public init(_ fields: Parameters = [:], boundary: String? = nil) {
        self.boundary = boundary ?? Self.randomBoundary()
        self.delimiter = boundary.map { Array("--\($0)".utf8) }
        self.fields = fields
    }

    /// The first fields.
    let fields: Parameters

    // MARK: - Adding parts

    /// Appends a field with a text in UTF-8.
    public mutating func append(_ name: String, _ value: String) {
        self.append(MultipartPart(name, filename: nil, contentType: nil, .bytes(Data(value.utf8))))
    }

    /// Appends a field with bytes in memory.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - data: The content.
    ///   - filename: The file name, if this is a file.
    ///   - contentType: The media type; `nil` uses that of the file name's extension.
    public mutating func append(
        _ name: String, data: Data, filename: String? = nil, contentType: MIMEType? = nil
    ) {
        let type = contentType ?? filename.map { MIMEType.ofFile(named: $0) }
        self.append(MultipartPart(name, filename: filename, contentType: type, .bytes(data)))
    }

    /// Appends a file, read while it is sent.
    ///
    /// Its length is read at the start of the request. A file that cannot be read then fails the request with
    /// ``ErrandError/Code/encodingFailed``, and so does one that becomes shorter while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - file: A local file.
    ///   - filename: The file name sent to the server; `nil` uses the file's own.
    ///   - contentType: The media type; `nil` uses that of the file's extension, or `application/octet-stream`.
    public mutating func append(
        _ name: String, file: URL, filename: String? = nil, contentType: MIMEType? = nil
    ) {
        let filename = filename ?? file.lastPathComponent
        let type = contentType ?? MIMEType.ofFile(named: file.lastPathComponent)
        self.append(MultipartPart(name, filename: filename, contentType: type, .file(file)))
    }

    /// Appends chunks that are produced while they are sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - stream: The content; if it cannot be read twice, the body cannot be sent twice.
    ///   - length: The number of bytes, if known; a stream of another length fails the request.
    ///   - filename: The file name, if this is a file.
    ///   - contentType: The media type; `nil` uses that of the file name's extension.
    public mutating func append(
        _ name: String, stream: BodyStream, length: Int64? = nil, filename: String? = nil, contentType: MIMEType? = nil
    ) {
        let type = contentType ?? filename.map { MIMEType.ofFile(named: $0) }
        self.append(MultipartPart(name, filename: filename, contentType: type, .stream(stream, length: length)))
    }

    /// Appends a part with custom header fields, sent in order; invalid fields fail the request.
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
    /// Returns a multipart body, with the type `multipart/form-data`; no body without parts.
    ///
    /// If all parts are in memory, they become bytes; otherwise the body is produced while it is sent.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        RequestBody {
            guard let body = try form.encoded() else { return Encoded(.none) }
            return Encoded(body, contentType: form.contentType)
        }
    }
}
