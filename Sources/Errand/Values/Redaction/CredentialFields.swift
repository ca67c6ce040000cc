/// The header fields of a request that are for one origin, and are not sent to another one.
///
/// Whole names are compared, ignoring case: the fields for credentials and cookies of RFC 9110 and RFC 6265, those that
/// services commonly use for credentials, those with a suffix that only credentials have, and those that the app names.
/// Other words in a name do not count: a redirect that lost an `Idempotency-Key` could cause a second payment.
package struct CredentialFields: Sendable {
    private static let standard = [
        HTTPField.Name.authorization, "Proxy-Authorization", HTTPField.Name.cookie, "Cookie2",
        // Valid for one URL only (RFC 9449 §4.2).
        "DPoP",
        "Api-Key", "ApiKey", "X-Api-Key", "X-ApiKey", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "X-Functions-Key",
        "X-Auth-Key", "X-Auth-Token", "X-Authorization", "X-Access-Token", "X-Session-ID", "X-Session-Token",
        "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token", "X-Vault-Token", "Private-Token", "Job-Token",
    ]

    /// Suffixes of the names of credentials, as in `X-Shopify-Access-Token`.
    private static let endings = [
        "token", "secret", "password", "api-key", "apikey", "access-key", "application-key", "master-key",
    ]

    private let names: [String]

    /// Creates a list with the common names and the app's own.
    package init(_ own: [String] = []) {
        self.names = Self.standard + own
    }

    /// Returns true if a field is one of them.
    package func contain(_ name: String) -> Bool {
        if self.names.contains(where: { name.isEqualIgnoringASCIICase(to: $0) }) { return true }
        let name = name.asciiLowercased()
        return Self.endings.contains { name.endsExactly(with: $0) }
    }
}
