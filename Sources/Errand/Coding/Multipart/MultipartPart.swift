internal import struct Foundation.Data

/// A part of a form: header fields and content.
struct MultipartPart: Sendable {
    /// The field name; `nil` for custom header fields.
    let name: String?
    let headers: HTTPFields
    let content: HTTPRequest.Body

    init(name: String? = nil, headers: HTTPFields, _ content: HTTPRequest.Body) {
        self.name = name
        self.headers = headers
        self.content = content
    }

    init(_ name: String, filename: String?, contentType: MIMEType?, _ content: HTTPRequest.Body) {
        var disposition = "form-data; name=\"\(Self.escaped(name, endingLines: true))\""
        if let filename { disposition += "; filename=\"\(Self.escaped(filename, endingLines: false))\"" }
        var headers = HTTPFields()
        headers.append(name: HTTPField.Name.contentDisposition, value: disposition)
        if let contentType { headers.append(name: HTTPField.Name.contentType, value: contentType.description) }
        self.init(name: name, headers: headers, content)
    }

    /// Escapes a name by the HTML standard ("multipart/form-data encoding algorithm"); other control characters except
    /// the tab, which are invalid in a header field (RFC 9110 §5.5), are escaped in the same way.
    ///
    /// In field names, line breaks are first normalized to CR and LF; in file names, by the same standard, they are
    /// not.
    private static func escaped(_ name: String, endingLines: Bool) -> String {
        guard name.unicodeScalars.contains(where: Self.isEscaped) else { return name }
        let lines = endingLines ? String(name.map { $0 == "\n" || $0 == "\r" ? "\r\n" : $0 }) : name
        var escaped = ""
        for scalar in lines.unicodeScalars {
            if Self.isEscaped(scalar) {
                escaped += "%" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || scalar == "\"" || scalar.value == 0x7F
    }

    /// Returns the text before the content, after the delimiter.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for an invalid field.
    func head() throws(ErrandError) -> String {
        do throws(HTTPFieldsProblem) {
            try self.headers.validate()
        } catch {
            throw ErrandError(
                .encodingFailed, "it has invalid header fields: \(error.message)")
        }
        return self.headers.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" } + "\r\n"
    }
}
