// The displayed form of header fields and URLs.

extension HTTPFields: CustomStringConvertible, CustomReflectable {
    /// The fields as lines of `name: value`, with `***` for secrets; see ``HTTPField/description``.
    public var description: String { self.description(redactedBy: .standard) }

    /// Returns the lines with the secrets of a redaction hidden.
    func description(redactedBy redaction: Redaction) -> String {
        self.map { "\($0.name): \(redaction.value(of: $0))" }.joined(separator: "\n")
    }

    /// A mirror of the fields, without secrets.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: self, displayStyle: .collection)
    }
}

extension HTTPField: CustomStringConvertible, CustomReflectable {
    /// The field as `name: value`, with `***` for a secret value.
    ///
    /// Secret are `Authorization`, `Cookie` and the like, and all fields with names of secrets; see
    /// ``HTTPURL/redacted``. Fields in ``ClientConfiguration/Credentials/secretHeaders`` are known only to the client.
    public var description: String { "\(self.name): \(Redaction.standard.value(of: self))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPURL {
    /// The URL for logs: without user, password and fragment, and with the values of secrets replaced.
    ///
    /// A query item is a secret if its decoded name contains one of these words, ignoring case: `token`, `password`,
    /// `passwd`, `passphrase`, `pass`, `pwd`, `pin`, `secret`, `key`, `signature`, `sig`, `hmac`, `auth`, `oauth`,
    /// `authorization`, `bearer`, `jwt`, `saml`, `assertion`, `dpop`, `csrf`, `credential`, `cookie`, `session`, `sid`,
    /// `ticket`, `code`, `otp`, `totp`, `cvc` and similar ones, also in compounds such as `client_secret`,
    /// `accessToken`, `apikey` and `SAMLResponse`. Longer words that only contain one, such as `author`, `postcode`,
    /// `keyboard` and `monkey`, are not secrets. Paths are not searched.
    public var redacted: String { self.redacted(by: .standard) }

    /// Returns the URL with the secrets of a redaction hidden.
    package func redacted(by redaction: Redaction) -> String {
        let (layout, tail) = (self.layout, self.layout.tail)
        let isPlain = !self.hasUserInfo && tail.pathEnd == self.string.utf8.count
        guard !isPlain else { return self.string }
        let base = "\(self.scheme)://\(self.string.utf8Slice(layout.hostStart..<tail.pathEnd))"
        guard let query = self.query else { return base }
        return "\(base)?\(redaction.items(query))"
    }
}
