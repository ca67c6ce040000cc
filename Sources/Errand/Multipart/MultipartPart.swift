internal import struct Foundation.Data

/// One part of a form: header fields and content.
struct MultipartPart: Sendable {
    let headers: HTTPFields
    let content: HTTPBody

    init(headers: HTTPFields, _ content: HTTPBody) {
        self.headers = headers
        self.content = content
    }

    init(_ name: String, filename: String?, contentType: MIMEType?, _ content: HTTPBody) {
        var disposition = "form-data; name=\"\(Self.escaped(name))\""
        if let filename { disposition += "; filename=\"\(Self.escaped(filename))\"" }
        var headers = HTTPFields()
        headers.append(name: HTTPFieldName.contentDisposition, value: disposition)
        if let contentType { headers.append(name: HTTPFieldName.contentType, value: contentType.description) }
        self.init(headers: headers, content)
    }

    /// Escapes a name as the HTML standard says ("multipart/form-data encoding algorithm"); other control characters, which a
    /// header field cannot have, are escaped in the same way.
    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7F }) else { return name }
        var escaped = ""
        for scalar in name.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar.value == 0x7F {
                escaped += "%" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// What comes before the content, behind the delimiter.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a field that must not be sent.
    func head() throws(ErrandError) -> String {
        do throws(HTTPFieldsProblem) {
            try self.headers.validate()
        } catch {
            throw ErrandError(
                .encodingFailed, "a part of the form has header fields that cannot be sent: \(error.message)")
        }
        return self.headers.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" } + "\r\n"
    }
}
