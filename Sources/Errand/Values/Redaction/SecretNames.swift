/// The names of secrets to hide in logs, messages and commands: of header fields, query items, form fields and JSON
/// members.
///
/// A name is split into words: at characters other than letters and digits, and where a capital letter follows a small
/// one. Whole words count, also with a trailing "s" or number, and so do compounds such as `accesstoken`; `author`,
/// `postcode`, `keyboard` and `monkey` are not secrets. If in doubt, a value is hidden.
enum SecretNames {
    private static let words: Set<ExactText> = [
        "apikey", "assertion", "auth", "authdata", "authentication", "authenticity", "authinfo", "authorisation",
        "authorization", "bearer", "code", "cookie", "credential", "csc", "csrf", "csrfmiddlewaretoken", "cvc", "cvv",
        "dpop",
        "hmac", "hotp", "jwt", "key", "mfa", "mnemonic", "oauth", "otp", "pass", "passcode", "passkey",
        "passphrase", "passwd", "password", "pin", "pw", "pwd", "saml", "secret", "session", "sid", "sig", "signature",
        "ticket",
        "token", "totp", "tfa", "xsrf",
    ]
    /// Words that mark a secret anywhere in a longer word.
    private static let inside = [
        "accesstoken", "apikey", "authorization", "codeverifier", "credential", "oauth", "passphrase", "passwd",
        "password", "privatekey", "refreshtoken",
    ]
    /// Words that mark a secret at the end of a longer word.
    private static let endings = [
        "assertion", "auth", "cookie", "jwt", "key", "otp", "pass", "passcode", "pwd", "secret",
        "sessid", "session", "sessionid",
        "signature", "token", "totp",
    ]
    /// Words that mark a secret at the start of a longer word.
    private static let beginnings = ["pwd", "saml", "secret", "session", "signature", "token"]
    /// Words for a `code` that is secret.
    private static let codes: Set<ExactText> = [
        "accesscode", "activationcode", "authcode", "backupcode", "confirmationcode", "devicecode", "invitecode",
        "logincode",
        "mfacode", "oauthcode", "otpcode", "pincode", "recoverycode", "resetcode", "securitycode", "smscode",
        "usercode",
        "verificationcode",
    ]
    /// Longer words that are not secrets.
    private static let others: Set<ExactText> = [
        "bypass", "compass", "donkey", "encompass", "flunkey", "hockey", "hotkey", "jockey", "lackey", "mickey",
        "monkey",
        "obsession", "overpass", "passwordless", "possession", "secretarial", "secretariat", "secretaries", "secretary",
        "sessions", "signatures", "surpass", "tokenization", "tokenize", "tokenized", "tokenizer", "trespass", "turkey",
        "turnkey", "underpass", "whiskey",
    ]

    /// Returns true if a name is that of a secret.
    ///
    /// - Parameters:
    ///   - name: The name, decoded.
    ///   - countsCodes: Pass true if a `code` is a secret; false for responses, in which it is usually an error code.
    /// - Returns: True for a secret.
    static func contain(_ name: String, countsCodes: Bool = true) -> Bool {
        let bytes = Array(name.utf8)
        for run in bytes.split(whereSeparator: { !$0.mayStandInWord }) {
            if self.isSecret(run, countsCodes) { return true }
            // Words such as `DPoP` and `SAMLResponse` are matched before splitting.
            let parts = self.parts(of: run)
            if parts.count > 1, parts.contains(where: { self.isSecret($0, countsCodes) }) { return true }
        }
        return false
    }

    /// Splits a word at capital letters: `APIKey` has two parts.
    private static func parts(of run: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = run.startIndex
        for index in run.indices.dropFirst() where run[index].isCapital {
            let isBehindSmall = !run[index - 1].isCapital
            let isBeforeSmall = index + 1 < run.endIndex && run[index + 1].isSmall
            guard isBehindSmall || isBeforeSmall else { continue }
            parts.append(run[start..<index])
            start = index
        }
        return parts + [run[start...]]
    }

    private static func isSecret(_ letters: ArraySlice<UInt8>, _ countsCodes: Bool) -> Bool {
        var letters = letters
        while let last = letters.last, last.isASCIIDigit { letters.removeLast() }
        let word = ExactText(String(decoding: letters, as: UTF8.self).asciiLowercased())
        if self.isSecret(word, countsCodes) { return true }
        // Tickets, sessions and signatures in the plural may be lists; the singular is a secret.
        let text = word.string.utf8
        return text.last == UInt8(ascii: "s") && !self.others.contains(word) && word != "tickets"
            && self.isSecret(ExactText(Substring(text.dropLast())), countsCodes)
    }

    private static func isSecret(_ word: ExactText, _ countsCodes: Bool) -> Bool {
        if word.string.isEmpty || self.others.contains(word) { return false }
        if word == "code", !countsCodes { return false }
        return self.words.contains(word) || self.codes.contains(word)
            || self.inside.contains { word.string.containsExactly($0) }
            || self.endings.contains { word.string.endsExactly(with: $0) }
            || self.beginnings.contains { word.string.startsExactly(with: $0) }
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }

    fileprivate var isSmall: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }

    /// True for a letter or a digit, including all non-ASCII bytes.
    fileprivate var mayStandInWord: Bool { self.isASCIILetter || self.isASCIIDigit || self >= 0x80 }
}
