internal import struct Foundation.Data

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

    /// Tells whether the value of a field must not be shown.
    func hides(_ name: String) -> Bool {
        HTTPURL.isSecret(name) || self.secretHeaders.contains { name.isEqualIgnoringASCIICase(to: $0) }
    }

    /// Answers what may be shown of the value of a field: of credentials their scheme.
    func value(of field: HTTPField) -> String {
        guard self.hides(field.name) else { return field.value }
        let scheme = field.value.prefix { $0 != " " }
        let hasScheme = field.name.lowercased().hasSuffix("authorization") && scheme.count < field.value.count
        return hasScheme ? "\(scheme) \(Self.mark)" : Self.mark
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
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals]
            return HTTPURL.isSecret(String(name)) ? "\(name)=\(Self.mark)" : String(item)
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
                let isSecret = HTTPURL.isSecret(name)
                hides = hides || isSecret
                shown[name] = isSecret ? .string(Self.mark) : Self.hide(in: member, &hides)
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map { Self.hide(in: $0, &hides) })
        default: return value
        }
    }
}
