internal import struct Foundation.Data

/// One part of a form: header fields and content.
struct MultipartPart: Sendable {
    /// The name of the field; `nil` where the header fields are the caller's.
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

    /// Escapes a name as the HTML standard says ("multipart/form-data encoding algorithm"); other control characters
    /// but the tab, which a header field cannot have (RFC 9110 §5.5), are escaped in the same way.
    ///
    /// In names of fields each line ends with CR and LF before that; in names of files, by the same standard, as it
    /// does.
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

    /// What comes before the content, behind the delimiter.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a field that must not be sent.
    func head() throws(ErrandError) -> String {
        do throws(HTTPFieldsProblem) {
            try self.headers.validate()
        } catch {
            throw ErrandError(
                .encodingFailed, "it has header fields that cannot be sent: \(error.message)")
        }
        return self.headers.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" } + "\r\n"
    }
}
