extension OAuthGrant {
    /// The error response of an authorization server (RFC 6749 §4.1.2.1, §5.2).
    ///
    /// It is the ``ErrandError/cause`` of errors of an ``OAuthGrant``. For a token endpoint that an ``Endpoint`` of
    /// yours calls, get it with ``ErrandError/decode(_:using:)``.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The error code, such as `invalid_client` or `invalid_grant`.
        public let code: String
        /// The server's explanation for developers, if any.
        public let explanation: String?
        /// The address of a page about the error, if any.
        public let page: String?

        /// Creates an error.
        public init(code: String, explanation: String? = nil, page: String? = nil) {
            self.code = code
            self.explanation = explanation
            self.page = page
        }

        /// The error code with the server's explanation.
        public var description: String {
            self.explanation.map { "\(self.code): \($0)" } ?? self.code
        }
    }
}

extension OAuthGrant.Failure: Decodable {
    private enum CodingKeys: String, CodingKey {
        case code = "error"
        case explanation = "error_description"
        case page = "error_uri"
    }
}
