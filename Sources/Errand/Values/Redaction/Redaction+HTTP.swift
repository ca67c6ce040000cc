// What is shown of header fields and URLs.

extension HTTPFields: CustomStringConvertible, CustomReflectable {
    /// The fields as lines of `name: value`, with `***` for secrets; see ``HTTPField/description``.
    public var description: String { self.description(redactedBy: .standard) }

    /// The same, with what a redaction hides.
    func description(redactedBy redaction: Redaction) -> String {
        self.map { "\($0.name): \(redaction.value(of: $0))" }.joined(separator: "\n")
    }

    /// A mirror of the fields, which shows no secret either.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: self, displayStyle: .collection)
    }
}

extension HTTPField: CustomStringConvertible, CustomReflectable {
    /// The field as `name: value`, with `***` for the value of one that secrets have.
    ///
    /// Those are `Authorization`, `Cookie` and the like, and whatever has a name of secrets; see ``HTTPURL/redacted``.
    /// What ``ClientConfiguration/Credentials/secretHeaders`` names is known to the client alone.
    public var description: String { "\(self.name): \(Redaction.standard.value(of: self))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPURL {
    /// The URL as it may be logged: without user, password and fragment, and with the values of secrets replaced.
    ///
    /// A query item is a secret if its decoded name has one of these words, whatever its case: `token`, `password`,
    /// `passwd`, `passphrase`, `pass`, `pwd`, `pin`, `secret`, `key`, `signature`, `sig`, `hmac`, `auth`, `oauth`,
    /// `authorization`, `bearer`, `jwt`, `saml`, `assertion`, `dpop`, `csrf`, `credential`, `cookie`, `session`, `sid`,
    /// `ticket`, `code`, `otp`, `totp`, `cvc` and some more of their kind, also where they are written together with
    /// others, as in `client_secret`, `accessToken`, `apikey` and `SAMLResponse`. A longer word that only contains one,
    /// such as `author`, `postcode`, `keyboard` and `monkey`, is none. Paths are not looked into.
    public var redacted: String { self.redacted(by: .standard) }

    /// The same, with what a redaction hides.
    package func redacted(by redaction: Redaction) -> String {
        let (layout, tail) = (self.layout, self.layout.tail)
        let isPlain = !self.hasUserInfo && tail.pathEnd == self.string.utf8.count
        guard !isPlain else { return self.string }
        let base = "\(self.scheme)://\(self.string.utf8Slice(layout.hostStart..<tail.pathEnd))"
        guard let query = self.query else { return base }
        return "\(base)?\(redaction.items(query))"
    }
}
