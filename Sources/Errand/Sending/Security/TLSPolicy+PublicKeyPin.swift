package import Foundation

extension TLSPolicy {
    /// The SHA-256 digest of a public key that a server may have, as text: `sha256/` and 44 characters of base64.
    ///
    /// What is digested is the key's `SubjectPublicKeyInfo` (RFC 5280 §4.1), as in RFC 7469; this prints it:
    ///
    ///     openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform DER |
    ///         openssl dgst -sha256 -binary | base64
    ///
    /// On Linux the key of the server's own certificate counts. On Apple's systems the keys of the authorities that lead to
    /// it count as well; a pin of the server's own certificate works alike on both.
    public struct PublicKeyPin: Sendable, Hashable {
        /// The pin as it was given.
        public let text: String

        /// Creates a pin; whether it is one is checked together with the policy it is in.
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
                    .invalidTLSPolicy, "\"\(self.text)\" is not the pin of a public key, which is \(form)")
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
    /// The pin as it was given.
    public var description: String { self.text }
}
