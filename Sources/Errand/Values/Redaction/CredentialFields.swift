/// The header fields of a request that are for one origin, and stay behind on the way to another one.
///
/// These are whole names, whatever their case: the fields for credentials and cookies of RFC 9110 and RFC 6265, those
/// that services commonly take credentials in, those with an ending that only credentials have, and those that the app
/// names. No other word in a name decides: an `Idempotency-Key` that was lost on the way would have a payment made twice.
package struct CredentialFields: Sendable {
    private static let standard = [
        HTTPField.Name.authorization, "Proxy-Authorization", HTTPField.Name.cookie, "Cookie2",
        // Made for one URL (RFC 9449 §4.2).
        "DPoP",
        "Api-Key", "ApiKey", "X-Api-Key", "X-ApiKey", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "X-Functions-Key",
        "X-Auth-Key", "X-Auth-Token", "X-Authorization", "X-Access-Token", "X-Session-ID", "X-Session-Token",
        "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token", "X-Vault-Token", "Private-Token", "Job-Token",
    ]

    /// What the names of credentials end with, as in `X-Shopify-Access-Token`.
    private static let endings = [
        "token", "secret", "password", "api-key", "apikey", "access-key", "application-key", "master-key",
    ]

    private let names: [String]

    /// Creates the list of those that everybody has, and the app's own.
    package init(_ own: [String] = []) {
        self.names = Self.standard + own
    }

    /// Tells whether a field is one of them.
    package func contain(_ name: String) -> Bool {
        if self.names.contains(where: { name.isEqualIgnoringASCIICase(to: $0) }) { return true }
        let name = name.asciiLowercased()
        return Self.endings.contains { name.endsExactly(with: $0) }
    }
}
