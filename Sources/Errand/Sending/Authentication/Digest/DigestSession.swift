internal import ErrandLocks

/// A digest session, which computes a new proof for each request while its nonce is valid (RFC 7616 §3.4).
package final class DigestSession: Sendable {
    package let challenge: DigestChallenge
    private let user: String
    /// The digest of user, realm and password, and for a session algorithm also of the nonces.
    private let secret: String
    /// The client nonce of all requests, which differ by the count.
    private let clientNonce: String
    /// The number of requests sent.
    private let count = Locked<UInt32>(0)

    package init(_ challenge: DigestChallenge, user: String, password: String, clientNonce: String) {
        let hash = challenge.algorithm.hash
        let secret = hash("\(user):\(challenge.realm):\(password)")
        self.challenge = challenge
        self.user = user
        self.clientNonce = clientNonce
        self.secret = challenge.algorithm.isForSession ? hash("\(secret):\(challenge.nonce):\(clientNonce)") : secret
    }

    /// Returns the value of an `Authorization` field, and counts the request.
    package func fieldValue(for method: HTTPMethod, _ url: HTTPURL) -> String {
        "Digest " + self.parameters(for: method, url)
    }

    /// Returns the parameters of the field, and counts the request.
    func parameters(for method: HTTPMethod, _ url: HTTPURL) -> String {
        let hash = self.challenge.algorithm.hash
        let nonce = self.challenge.nonce
        let request = hash("\(method.rawValue):\(url.requestTarget)")
        var fields =
            self.userFields + [
                ("realm", self.challenge.realm.asQuotedString), ("nonce", nonce.asQuotedString),
                ("uri", url.requestTarget.asQuotedString),
            ]
        if self.challenge.namesAlgorithm { fields.append(("algorithm", self.challenge.algorithm.rawValue)) }
        if self.challenge.hasQuality {
            let count = self.nextCount
            fields += [
                (
                    "response",
                    hash("\(self.secret):\(nonce):\(count):\(self.clientNonce):auth:\(request)").asQuotedString
                ),
                ("qop", "auth"), ("nc", count), ("cnonce", self.clientNonce.asQuotedString),
            ]
        } else {
            fields.append(("response", hash("\(self.secret):\(nonce):\(request)").asQuotedString))
            if self.challenge.algorithm.isForSession { fields.append(("cnonce", self.clientNonce.asQuotedString)) }
        }
        if let opaque = self.challenge.opaque { fields.append(("opaque", opaque.asQuotedString)) }
        return fields.map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    /// The count of this request, in eight hexadecimal digits.
    private var nextCount: String {
        let count = self.count.withLock { count in
            count &+= 1
            return count
        }
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The user: hashed if the server asks for that, and encoded by RFC 8187 if it does not fit a quoted string.
    private var userFields: [(String, String)] {
        if self.challenge.hashesUser {
            let hash = self.challenge.algorithm.hash("\(self.user):\(self.challenge.realm)")
            return [("username", hash.asQuotedString), ("userhash", "true")]
        }
        guard self.user.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            return [("username*", "UTF-8''" + self.user.extendedValue)]
        }
        return [("username", self.user.asQuotedString)]
    }
}

extension String {
    /// The text with all bytes except ASCII letters and digits percent-encoded (RFC 8187 §3.2.1).
    fileprivate var extendedValue: String {
        self.utf8.map { byte in
            if byte.isASCIILetter || byte.isASCIIDigit { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
