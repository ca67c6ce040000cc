extension AuthenticationContext {
    /// A challenge of a `WWW-Authenticate` field, which asks for a credential (RFC 9110 §11.6.1).
    public struct Challenge: Sendable, Hashable {
        /// A parameter of a challenge (RFC 9110 §11.2).
        public struct Parameter: Sendable, Hashable {
            /// The name, in lower case.
            public let name: String
            /// The value, without quotes.
            public let value: String

            /// Creates a parameter.
            public init(name: String, value: String) {
                self.name = name.asciiLowercased()
                self.value = value
            }
        }

        /// The authentication scheme, as sent by the server; schemes are case-insensitive.
        public let scheme: String
        /// The `token68` data of a scheme without parameters.
        public let token68: String?
        /// The parameters, in their order.
        public internal(set) var parameters: [Parameter]

        /// Creates a challenge.
        public init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
            self.scheme = scheme
            self.token68 = token68
            self.parameters = parameters
        }

        /// The protection space that the challenge applies to (RFC 9110 §11.5).
        public var realm: String? { self["realm"] }

        /// The value of the first parameter with a name, ignoring case.
        public subscript(name: String) -> String? {
            self.parameters.first { $0.name.isEqualIgnoringASCIICase(to: name) }?.value
        }

        /// Returns true if this is a challenge of a scheme, ignoring case.
        public func isScheme(_ scheme: String) -> Bool {
            self.scheme.isEqualIgnoringASCIICase(to: scheme)
        }
    }
}

extension AuthenticationContext.Challenge: CustomStringConvertible {
    /// The challenge as a field value, with all parameter values in quotes.
    public var description: String {
        if let token68 = self.token68 { return "\(self.scheme) \(token68)" }
        let parameters = self.parameters.map { "\($0.name)=\($0.value.asQuotedString)" }
        return parameters.isEmpty ? self.scheme : "\(self.scheme) \(parameters.joined(separator: ", "))"
    }
}

extension HTTPResponse.Head {
    /// The challenges of all `WWW-Authenticate` fields, in their order.
    ///
    /// Parsing is lenient: invalid challenges and parameters are skipped.
    ///
    /// - Complexity: O(*n*) in the length of the fields.
    public var challenges: [AuthenticationContext.Challenge] {
        self.headers.values(for: HTTPField.Name.wwwAuthenticate).flatMap(AuthenticationContext.Challenge.parse)
    }
}
