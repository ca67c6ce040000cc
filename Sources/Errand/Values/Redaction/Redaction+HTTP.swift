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
    /// What ``Configuration/secretHeaders`` names is known to the client alone.
    public var description: String { "\(self.name): \(Redaction.standard.value(of: self))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPURL {
    /// The URL as it may be logged: without user, password and fragment, and with the values of secrets replaced.
    ///
    /// A query item is a secret if its name, decoded and in lower case, contains one of `token`, `password`, `passwd`,
    /// `passphrase`, `pwd`, `secret`, `key`, `signature`, `auth`, `jwt`, `credential`, `session` and `code`, or is one
    /// of `pass`, `sig`, `otp`, `pin` and `sid`. Paths are not looked into.
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
