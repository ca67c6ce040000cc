extension AuthenticationContext {
    /// One challenge of a `WWW-Authenticate` field: what a server wants to be shown before it answers (RFC 9110 §11.6.1).
    public struct Challenge: Sendable, Hashable {
        /// One parameter of a challenge (RFC 9110 §11.2).
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

        /// The authentication scheme, as the server spells it; schemes that differ only in case are the same.
        public let scheme: String
        /// The data of a scheme that has no parameters.
        public let token68: String?
        /// The parameters, in their order.
        public internal(set) var parameters: [Parameter]

        /// Creates a challenge.
        public init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
            self.scheme = scheme
            self.token68 = token68
            self.parameters = parameters
        }

        /// The part of the server that the challenge is for (RFC 9110 §11.5).
        public var realm: String? { self["realm"] }

        /// The value of the first parameter of a name, whatever the case of the name.
        public subscript(name: String) -> String? {
            self.parameters.first { $0.name.isEqualIgnoringASCIICase(to: name) }?.value
        }

        /// Tells whether this is a challenge of a scheme, whatever its case.
        public func isScheme(_ scheme: String) -> Bool {
            self.scheme.isEqualIgnoringASCIICase(to: scheme)
        }
    }
}

extension AuthenticationContext.Challenge: CustomStringConvertible {
    /// The challenge as it may stand in a field, with all values of parameters in quotes.
    public var description: String {
        if let token68 = self.token68 { return "\(self.scheme) \(token68)" }
        let parameters = self.parameters.map { "\($0.name)=\($0.value.asQuotedString)" }
        return parameters.isEmpty ? self.scheme : "\(self.scheme) \(parameters.joined(separator: ", "))"
    }
}

extension HTTPResponse.Head {
    /// The challenges of all `WWW-Authenticate` fields, in their order.
    ///
    /// Reading is lenient: what is not a challenge or a parameter is passed over.
    ///
    /// - Complexity: O(*n*) in the length of the fields.
    public var challenges: [AuthenticationContext.Challenge] {
        self.headers.values(for: HTTPField.Name.wwwAuthenticate).flatMap(AuthenticationContext.Challenge.parse)
    }
}
