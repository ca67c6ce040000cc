internal import struct Foundation.Data

/// Replaces what is secret in a request or a response before it is shown.
struct Redaction {
    /// What stands in place of a secret.
    static let mark = "***"

    private static let credentials = [HTTPFieldName.authorization, "Proxy-Authorization"]
    private static let cookies = [HTTPFieldName.cookie, HTTPFieldName.setCookie, "Set-Cookie2"]
    /// What servers ask for is no secret, whatever it is called.
    private static let challenges = ["WWW-Authenticate", "Proxy-Authenticate"]
    /// Fields with a URL as their value.
    private static let references = [HTTPFieldName.location, "Content-Location", "Referer"]

    /// What names of secrets have in them, in lower case; the names that are secret only as a whole.
    private static let secretWords = [
        "token", "password", "passwd", "passphrase", "pwd", "secret", "key", "signature", "auth", "jwt", "credential",
        "session", "code",
    ]
    private static let secretNames: Set = ["pass", "sig", "otp", "pin", "sid"]
    private static let secretBytes = Self.secretWords.map { Array($0.utf8) }

    private let secretHeaders: [String]

    init(secretHeaders: [String] = []) {
        self.secretHeaders = Self.credentials + Self.cookies + secretHeaders
    }

    /// Tells whether a name, which may be percent-encoded, is one that secrets have.
    static func isSecret(_ name: String) -> Bool {
        let name = (HTTPURL.percentDecode(name) ?? name).lowercased()
        if Self.secretNames.contains(name) { return true }
        // Bytes are all there is to compare: each of those words is ASCII.
        let bytes = Array(name.utf8)
        return bytes.indices.contains { start in
            Self.secretBytes.contains { bytes[start...].starts(with: $0) }
        }
    }

    /// Tells whether the value of a field must not be shown.
    func hides(_ name: String) -> Bool {
        self.hides(name, as: name)
    }

    private func hides(_ name: String, as known: String) -> Bool {
        if self.secretHeaders.contains(where: { name.isEqualIgnoringASCIICase(to: $0) }) { return true }
        return Self.isSecret(known) && !Self.challenges.contains { name.isEqualIgnoringASCIICase(to: $0) }
    }

    /// Answers what may be shown of the value of a field: of credentials their scheme, of a URL no secrets.
    func value(of field: HTTPField) -> String {
        if self.hides(field.name) { return self.marked(field) }
        return field.isNamed(anyOf: Self.references) ? Self.reference(field.value) : field.value
    }

    private func marked(_ field: HTTPField) -> String {
        guard field.isNamed(anyOf: Self.credentials) else { return Self.mark }
        let scheme = field.value.prefix { $0 != " " }
        return scheme.count < field.value.count ? "\(scheme) \(Self.mark)" : Self.mark
    }

    /// Answers the fields of a response without the secret ones, and without secrets in URLs.
    func shown(_ fields: HTTPFields) -> HTTPFields {
        var shown = HTTPFields()
        for field in fields {
            // The code of an error is what a response is asked for.
            if self.hides(field.name, as: field.name.lowercased().replacing("code", with: "")) { continue }
            let isReference = field.isNamed(anyOf: Self.references)
            shown.append(name: field.name, value: isReference ? Self.reference(field.value) : field.value)
        }
        return shown
    }

    /// Answers a URL, or a reference to one, without user, password and fragment, and without secrets in its query.
    private static func reference(_ text: String) -> String {
        // By scalars: a character that joins itself to a delimiter must not hide it.
        let whole = text.unicodeScalars.prefix { $0 != "#" }
        let head = whole.prefix { $0 != "?" }
        let shown = String(Self.withoutUser(head))
        guard head.endIndex < whole.endIndex else { return shown }
        return "\(shown)?\(Self.items(String(whole[head.endIndex...].dropFirst())))"
    }

    /// Takes away what stands before the host where there may be one.
    private static func withoutUser(_ head: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let scheme = head.prefix { $0 != "/" }
        let rest = head[scheme.endIndex...]
        guard rest.starts(with: "//".unicodeScalars) else { return head }
        let authority = rest.dropFirst(2).prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return head }
        var shown = scheme
        shown += "//".unicodeScalars
        shown += head[at...].dropFirst()
        return shown
    }

    /// Answers what may be shown of a content, or nothing when that is all of it.
    ///
    /// What says that it has members by name, but cannot be read, is not shown: nobody knows what is in it.
    func content(_ data: Data, _ contentType: String?, isCoded: Bool) -> [UInt8]? {
        guard !isCoded else { return Array(Self.mark.utf8) }
        guard let type = contentType.flatMap(MIMEType.init) else { return nil }
        if type.type == "multipart" { return Array(Self.mark.utf8) }
        if type.matches(.formURLEncoded) {
            guard let text = String(validating: data, as: UTF8.self) else { return Array(Self.mark.utf8) }
            return Array(Self.items(text).utf8)
        }
        guard type.matches(.json) || type.subtype.hasSuffix("+json") else { return nil }
        return Self.json(data)
    }

    /// Replaces the values of secret items of a query or a form.
    static func items(_ query: String) -> String {
        query.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = String(item.prefix { $0 != "=" })
            let hasSecret = item.contains("=") && Self.isSecret(name)
            return hasSecret ? "\(name)=\(Self.mark)" : String(item)
        }
        .joined(separator: "&")
    }

    /// Replaces the secret members of objects; nothing when there are none.
    private static func json(_ data: Data) -> [UInt8]? {
        if data.isEmpty { return nil }
        guard let value = try? JSONValue(parsing: data) else { return Array(Self.mark.utf8) }
        var hides = false
        let shown = Self.hide(in: value, &hides)
        guard hides else { return nil }
        return Array((try? shown.serialized()) ?? Data(Self.mark.utf8))
    }

    private static func hide(in value: JSONValue, _ hides: inout Bool) -> JSONValue {
        switch value {
        case .object(let members):
            var shown = members
            for (name, member) in members {
                let isSecret = Self.isSecret(name)
                hides = hides || isSecret
                shown[name] = isSecret ? .string(Self.mark) : Self.hide(in: member, &hides)
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map { Self.hide(in: $0, &hides) })
        default: return value
        }
    }
}

extension HTTPField {
    fileprivate func isNamed(anyOf names: [String]) -> Bool {
        names.contains { self.isNamed($0) }
    }
}
