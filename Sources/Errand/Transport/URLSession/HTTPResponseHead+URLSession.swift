internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension HTTPResponseHead {
    /// Creates the head that a response of Foundation's has, with fields sorted by name; `nil` if it is not HTTP.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        let fields = response.allHeaderFields
            .compactMap { name, value -> HTTPField? in
                guard let name = name as? String, let value = value as? String else { return nil }
                return HTTPField(name: name, value: value)
            }
            .sorted { $0.name < $1.name }
        self.init(status: HTTPStatus(rawValue: response.statusCode), headers: HTTPFields(fields.flatMap(\.parts)))
    }
}

extension HTTPField {
    /// The fields this one was joined of: `Set-Cookie` must not be joined (RFC 9110 §5.3), all others may stay so.
    fileprivate var parts: [HTTPField] {
        guard self.name.isEqualIgnoringASCIICase(to: HTTPFieldName.setCookie) else { return [self] }
        return Self.splitCookies(self.value).map { HTTPField(name: self.name, value: $0) }
    }

    /// Splits a list of cookies at the commas between two of them.
    ///
    /// A comma is between two cookies if a name and an equals sign follow it. In a date, which is the other place for
    /// commas, digits and spaces do.
    static func splitCookies(_ joined: String) -> [String] {
        var cookies: [String] = []
        var start = joined.utf8.startIndex
        for comma in joined.utf8.indices where joined.utf8[comma] == UInt8(ascii: ",") {
            let next = joined.utf8.index(after: comma)
            let rest = joined.utf8[next...].drop { $0.isFieldWhitespace }
            let name = rest.prefix { $0.isHTTPToken }
            guard !name.isEmpty, rest[name.endIndex...].first == UInt8(ascii: "=") else { continue }
            cookies.append(String(joined[start..<comma]))
            start = next
        }
        cookies.append(String(joined[start...]))
        return cookies
    }
}
