/// A supported challenge for Digest authentication (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// The hash, with or without a session secret.
    package enum Algorithm: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        var isForSession: Bool { self == .md5Session || self == .sha256Session }

        /// Returns the digest of a text, in hexadecimal digits.
        func hash(_ text: String) -> String {
            switch self {
            case .md5, .md5Session: MD5(of: text).description
            case .sha256, .sha256Session: SHA256(of: text).description
            }
        }
    }

    package let realm: String
    package let nonce: String
    package let opaque: String?
    package let algorithm: Algorithm
    /// True if the server named the algorithm; it defaults to MD5.
    package let namesAlgorithm: Bool
    /// True if requests are counted; old servers ask for a digest without a count.
    package let hasQuality: Bool
    /// True if the user is sent as a hash.
    package let hashesUser: Bool
    /// True if the previous nonce was rejected only for its age.
    package let isStale: Bool

    /// Parses a challenge; `nil` if its scheme or algorithm is not supported, or if it requires body integrity.
    package init?(_ challenge: AuthenticationContext.Challenge) {
        guard challenge.isScheme("Digest"), let realm = challenge.realm, let nonce = challenge["nonce"] else {
            return nil
        }
        let name = challenge["algorithm"]
        guard
            let algorithm = Algorithm.allCases.first(where: {
                $0.rawValue.isEqualIgnoringASCIICase(to: name ?? Algorithm.md5.rawValue)
            })
        else { return nil }
        let qualities = challenge["qop"]?.parts(at: ",").map { $0.trimmingFieldWhitespace().asciiLowercased() }
        let hasQuality = qualities?.first { $0 == "auth" } != nil
        guard qualities == nil || hasQuality else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.opaque = challenge["opaque"]
        self.algorithm = algorithm
        self.namesAlgorithm = name != nil
        self.hasQuality = hasQuality
        self.hashesUser = challenge["userhash"]?.asciiLowercased() == "true"
        self.isStale = challenge["stale"]?.asciiLowercased() == "true"
    }
}
