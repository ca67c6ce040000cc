internal import Foundation

/// Replaces what is secret in a request before it is shown.
struct Redaction {
    /// What stands in place of a secret.
    static let mark = "***"

    private static let secretHeaders = [
        HTTPFieldName.authorization, "Proxy-Authorization", HTTPFieldName.cookie, HTTPFieldName.setCookie,
    ]

    private let secretHeaders: [String]

    init(secretHeaders: [String] = []) {
        self.secretHeaders = Self.secretHeaders + secretHeaders
    }

    /// Answers what may be shown of the value of a field: of credentials their scheme.
    func value(of field: HTTPField) -> String {
        guard HTTPURL.isSecret(field.name) || self.secretHeaders.contains(where: { field.isNamed($0) }) else {
            return field.value
        }
        let scheme = field.value.prefix { $0 != " " }
        let hasScheme = field.name.lowercased().hasSuffix("authorization") && scheme.count < field.value.count
        return hasScheme ? "\(scheme) \(Self.mark)" : Self.mark
    }

    /// Answers what may be shown of a content, or nothing when that is all of it.
    func content(_ data: Data, _ contentType: String?) -> [UInt8]? {
        guard let type = contentType.flatMap(MIMEType.init) else { return nil }
        if type.type == "multipart" { return Array(Self.mark.utf8) }
        if type.matches(.formURLEncoded) { return Array(Self.items(String(decoding: data, as: UTF8.self)).utf8) }
        guard type.matches(.json) || type.subtype.hasSuffix("+json") else { return nil }
        return Self.json(data)
    }

    /// Replaces the values of secret items of a query or a form.
    static func items(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals]
            return HTTPURL.isSecret(String(name)) ? "\(name)=\(Self.mark)" : String(item)
        }
        .joined(separator: "&")
    }

    /// Replaces the secret members of objects; nothing when there are none.
    private static func json(_ data: Data) -> [UInt8]? {
        guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else { return nil }
        var hides = false
        let shown = Self.hide(in: value, &hides)
        guard hides,
            let text = try? JSONSerialization.data(
                withJSONObject: shown, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return Array(text)
    }

    private static func hide(in value: Any, _ hides: inout Bool) -> Any {
        if let members = value as? [String: Any] {
            var shown: [String: Any] = [:]
            for (name, member) in members {
                let isSecret = HTTPURL.isSecret(name)
                hides = hides || isSecret
                shown[name] = isSecret ? Self.mark : Self.hide(in: member, &hides)
            }
            return shown
        }
        guard let elements = value as? [Any] else { return value }
        return elements.map { Self.hide(in: $0, &hides) }
    }
}
