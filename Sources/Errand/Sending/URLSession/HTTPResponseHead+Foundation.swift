#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable public import Errand
    #endif
    #if canImport(FoundationNetworking)
        internal import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    extension HTTPResponse.Head {
        /// Creates the head of a Foundation response.
        ///
        /// Foundation keeps neither the order of fields nor repeated fields: they are sorted by name, and `Set-Cookie` is
        /// split again.
        public init(_ response: HTTPURLResponse) {
            let fields = response.allHeaderFields
                .compactMap { name, value -> HTTPField? in
                    guard let name = name as? String, let value = value as? String else { return nil }
                    return HTTPField(name: name, value: value)
                }
                .sorted { $0.name < $1.name }
            self.init(status: HTTPStatus(rawValue: response.statusCode), headers: HTTPFields(fields.flatMap(\.parts)))
        }

        /// Creates a Foundation response; fields with the same name are joined.
        ///
        /// - Parameter url: The URL of the response.
        /// - Returns: The response.
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` if Foundation cannot parse the URL.
        public func urlResponse(for url: HTTPURL) throws(ErrandError) -> HTTPURLResponse {
            var fields: [String: String] = [:]
            for field in self.headers
            where !fields.keys.contains(where: { $0.isEqualIgnoringASCIICase(to: field.name) }) {
                fields[field.name] = self.headers.joinedValue(of: field.name)
            }
            let status = self.status.rawValue
            guard
                let response = HTTPURLResponse(
                    url: try url.foundationURL(), statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
            else { throw ErrandError(.unsupported, "Foundation cannot make a response with the status \(status)") }
            return response
        }
    }

    extension HTTPField {
        /// The fields that this one was joined from: `Set-Cookie` must not be joined (RFC 9110 §5.3), others can stay
        /// joined.
        fileprivate var parts: [HTTPField] {
            guard self.name.isEqualIgnoringASCIICase(to: HTTPField.Name.setCookie) else { return [self] }
            return Self.splitCookies(self.value).map { HTTPField(name: self.name, value: $0) }
        }

        /// Splits a list of cookies at the commas between them.
        ///
        /// A comma separates two cookies if a name and an equals sign follow it. A comma in a date is followed by digits
        /// and spaces.
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
#endif
