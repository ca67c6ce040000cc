/// A challenge for Digest authentication (RFC 7616 §3.3) that can be answered.
package struct DigestChallenge: Sendable, Hashable {
    /// The hash, and whether the first secret goes into one for the whole session.
    package enum Algorithm: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        var isForSession: Bool { self == .md5Session || self == .sha256Session }

        /// Digests a text, in hexadecimal digits.
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
    /// Whether the server named the algorithm; without a name it is MD5.
    package let namesAlgorithm: Bool
    /// Whether requests are counted; old servers ask for a digest that protects nothing but the password.
    package let hasQuality: Bool
    /// Whether the user is sent as a hash.
    package let hashesUser: Bool
    /// Whether the nonce before this one was only too old.
    package let isStale: Bool

    /// Reads a challenge; `nil` for one that cannot be met: of another scheme or algorithm, or for bodies only.
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
