package import Foundation

extension TLSPolicy {
    /// The SHA-256 digest of an accepted public key, as text: `sha256/` and 44 characters of base64.
    ///
    /// The digest is that of the key's `SubjectPublicKeyInfo` (RFC 5280 §4.1), as in RFC 7469. This command prints it:
    ///
    ///     openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform DER |
    ///         openssl dgst -sha256 -binary | base64
    ///
    /// On Linux, only the key of the server's own certificate is compared. On Apple platforms, the keys of its issuers
    /// are compared as well. A pin of the server's own certificate works on both.
    public struct PublicKeyPin: Sendable, Hashable {
        /// The pin as given.
        public let text: String

        /// Creates a pin, which is validated together with its policy.
        ///
        /// - Parameter text: `sha256/` and the digest in base64.
        public init(_ text: String) {
            self.text = text
        }

        /// Returns the 32 bytes of the digest.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy``.
        package func digest() throws(ErrandError) -> Data {
            let prefix = "sha256/"
            guard self.text.startsExactly(with: prefix),
                let digest = Data(base64Encoded: String(self.text.dropFirst(prefix.count))),
                digest.count == 32
            else {
                let form = "sha256/ and 44 characters of base64"
                throw ErrandError(
                    .invalidTLSPolicy, "\"\(self.text)\" is not a public key pin, which has the form \(form)")
            }
            return digest
        }
    }
}

extension TLSPolicy.PublicKeyPin: ExpressibleByStringLiteral {
    /// Creates a pin from its text.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension TLSPolicy.PublicKeyPin: CustomStringConvertible {
    /// The pin as given.
    public var description: String { self.text }
}
