extension OAuthGrant {
    /// Why an authorization server gave no token (RFC 6749 §5.2).
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The code, such as `invalid_client` or `invalid_grant`.
        public let code: String
        /// What the server says about it for a developer; `nil` for nothing.
        public let explanation: String?
        /// The address of a page about it; `nil` for none.
        public let page: String?

        /// Creates an error.
        public init(code: String, explanation: String? = nil, page: String? = nil) {
            self.code = code
            self.explanation = explanation
            self.page = page
        }

        /// The code, and what the server says about it.
        public var description: String {
            self.explanation.map { "\(self.code): \($0)" } ?? self.code
        }
    }
}
