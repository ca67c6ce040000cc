internal import struct Foundation.Data

/// Replaces secrets in a request or a response before it is shown.
package struct Redaction: Sendable {
    /// The replacement for a secret.
    package static let mark = "***"
    /// The redaction of common secrets only.
    package static let standard = Redaction()

    private static let credentials = [HTTPField.Name.authorization, "Proxy-Authorization"]
    private static let cookies = [HTTPField.Name.cookie, HTTPField.Name.setCookie, "Set-Cookie2"]
    /// Challenges are not secret, whatever their name.
    private static let challenges = ["WWW-Authenticate", "Proxy-Authenticate"]
    /// Authentication schemes in lower case: those registered with IANA, and some other common ones.
    package static let schemes: Set = [
        "basic", "bearer", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth", "privatetoken",
        "scram-sha-1", "scram-sha-256", "vapid", "token", "apikey", "aws4-hmac-sha256",
    ]
    /// Fields with a URL as their value.
    private static let references = [HTTPField.Name.location, "Content-Location", "Referer"]

    /// Names that are in almost every request, and are not secret.
    private static let plainNames: Set<ExactText> = [
        "accept", "accept-encoding", "accept-language", "content-type", "user-agent",
    ]

    private let secretHeaders: [String]
    /// Additional names, in lower case.
    private let addedNames: Set<ExactText>

    /// Creates a redaction with additional header fields, and additional names of any kind.
    package init(secretHeaders: [String] = [], secretNames: [String] = []) {
        self.secretHeaders = Self.credentials + Self.cookies + secretHeaders
        self.addedNames = Set(secretNames.map { ExactText($0.asciiLowercased()) })
    }

    /// Returns true if a name, which may be percent-encoded, is that of a secret.
    package func isSecret(_ name: String) -> Bool {
        self.isSecret(name, countsCodes: true)
    }

    private func isSecret(_ name: String, countsCodes: Bool) -> Bool {
        let decoded = HTTPURL.percentDecodeLoosely(name)
        let name = ExactText(decoded.asciiLowercased())
        if self.addedNames.contains(name) { return true }
        return !Self.plainNames.contains(name) && SecretNames.contain(decoded, countsCodes: countsCodes)
    }

    /// Returns true for a field that carries credentials or cookies, or was named as secret.
    func isSecretHeader(_ name: String) -> Bool {
        self.secretHeaders.contains { name.isEqualIgnoringASCIICase(to: $0) }
    }

    /// Returns true if the value of a field must be hidden.
    package func hides(_ name: String, isOfResponse: Bool = false) -> Bool {
        if self.isSecretHeader(name) || self.addedNames.contains(ExactText(name.asciiLowercased())) { return true }
        // In a response, a code is usually an error code.
        return self.isSecret(name, countsCodes: !isOfResponse) && !Self.isChallenge(name)
    }

    /// Returns true if a field may identify the user, so that responses to different values are for different users.
    ///
    /// These are the fields for credentials and cookies, those named by the app, and those with names of secrets that
    /// select a response.
    func mayIdentify(_ name: String, _ tellsApart: Bool) -> Bool {
        self.isSecretHeader(name) || tellsApart && self.hides(name)
    }

    /// Returns true for a field with authentication challenges.
    package static func isChallenge(_ name: String) -> Bool {
        Self.challenges.contains { name.isEqualIgnoringASCIICase(to: $0) }
    }

    /// Returns the displayed value of a field: for credentials their scheme, and for a URL without secrets.
    package func value(of field: HTTPField, isOfResponse: Bool = false) -> String {
        if self.hides(field.name, isOfResponse: isOfResponse) { return self.marked(field) }
        return field.isNamed(anyOf: Self.references) ? self.reference(field.value) : field.value
    }

    private func marked(_ field: HTTPField) -> String {
        guard field.isNamed(anyOf: Self.credentials) else { return Self.mark }
        let scheme = field.value.part(before: " ")
        // An unknown scheme may be the first word of a secret.
        return Self.schemes.contains(scheme.asciiLowercased()) ? "\(scheme) \(Self.mark)" : Self.mark
    }

    /// Returns the fields of a response without secret ones, and without secrets in URLs.
    func shown(_ fields: HTTPFields) -> HTTPFields {
        var shown = HTTPFields()
        for field in fields {
            if self.hides(field.name, isOfResponse: true) { continue }
            let isReference = field.isNamed(anyOf: Self.references)
            shown.append(name: field.name, value: isReference ? self.reference(field.value) : field.value)
        }
        return shown
    }

    /// Returns a URL, or a reference to one, without user, password and fragment, and without secrets in its query.
    package func reference(_ text: String) -> String {
        // By scalars, because a combining mark after a delimiter must not hide it.
        let whole = text.unicodeScalars.prefix { $0 != "#" }
        let head = whole.prefix { $0 != "?" }
        let shown = HTTPURL.withoutUserInfo(String(head))
        guard head.endIndex < whole.endIndex else { return shown }
        return "\(shown)?\(self.items(String(whole[head.endIndex...].dropFirst())))"
    }

    /// Returns the displayed form of content, or `nil` if it is unchanged.
    ///
    /// Content of a type with named members that cannot be parsed is hidden, because it may contain secrets.
    func content(_ data: Data, _ contentType: String?, isCoded: Bool) -> [UInt8]? {
        guard !isCoded else { return Array(Self.mark.utf8) }
        guard let type = contentType.flatMap(MIMEType.init) else { return nil }
        if type.type == "multipart" { return Array(Self.mark.utf8) }
        if type.matches(.formURLEncoded) {
            guard let text = String(validUTF8: data) else { return Array(Self.mark.utf8) }
            return Array(self.items(text).utf8)
        }
        guard type.matches(.json) || type.subtype.endsExactly(with: "+json") else { return nil }
        return self.json(data)
    }

    /// Replaces the values of secret items of a query or a form; some servers accept `;` for `&`.
    package func items(_ query: String) -> String {
        var shown = String.UnicodeScalarView()
        var rest = query.unicodeScalars[...]
        while true {
            let item = rest.prefix { $0 != "&" && $0 != ";" }
            let name = item.prefix { $0 != "=" }
            if name.endIndex < item.endIndex, self.isSecret(String(name)) {
                shown += name
                shown += "=\(Self.mark)".unicodeScalars
            } else if self.hasSecret(in: String(item[name.endIndex...].dropFirst())) {
                shown += name
                shown += "=\(Self.mark)".unicodeScalars
            } else {
                shown += item
            }
            guard item.endIndex < rest.endIndex else { return String(shown) }
            shown.append(rest[item.endIndex])
            rest = rest[item.endIndex...].dropFirst()
        }
    }

    /// Returns true if a value, such as a URL within a URL, contains a secret.
    func hasSecret(in value: String) -> Bool {
        guard value.utf8.contains(where: { "=:@%".utf8.contains($0) }) else { return false }
        var text = value
        // Repeated for nested encodings.
        for _ in 0..<3 {
            guard self.text(text) == text else { return true }
            let decoded = HTTPURL.percentDecodeLoosely(text)
            guard decoded != text else { return false }
            text = decoded
        }
        return self.text(text) != text
    }

    /// Replaces the secret members of objects; `nil` if there are none.
    private func json(_ data: Data) -> [UInt8]? {
        if data.isEmpty { return nil }
        guard let value = try? JSONValue(parsing: data) else { return Array(Self.mark.utf8) }
        var hides = false
        let shown = self.hide(in: value, &hides)
        guard hides else { return nil }
        return Array((try? shown.serialized()) ?? Data(Self.mark.utf8))
    }

    private func hide(in value: JSONValue, _ hides: inout Bool) -> JSONValue {
        switch value {
        case .object(let members):
            var shown = members
            for (name, member) in members {
                let isSecret = self.isSecret(name)
                hides = hides || isSecret
                shown[name] = isSecret ? .string(Self.mark) : self.hide(in: member, &hides)
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map { self.hide(in: $0, &hides) })
        default: return value
        }
    }
}

extension HTTPField {
    fileprivate func isNamed(anyOf names: [String]) -> Bool {
        names.contains { self.isNamed($0) }
    }
}
