extension HTTPFields {
    /// The fields that say who asks, by name: credentials, cookies, those that were named as secret, and of those with
    /// the name of a secret the ones that tell answers apart.
    ///
    /// - Parameters:
    ///   - fields: Which header fields tell answers apart.
    ///   - redaction: Knows the names of secrets.
    /// - Returns: Those fields; none for nobody.
    func identity(_ fields: CacheFields, _ redaction: Redaction) -> HTTPFields {
        HTTPFields(self.byName { redaction.isSecretHeader($0) || fields.count($0) && redaction.hides($0) })
    }

    /// Fields chosen by their names in lower case, sorted by these only: the order of those with one name means something
    /// (RFC 9110 §5.3).
    func byName(where isChosen: (String) -> Bool) -> [HTTPField] {
        var chosen: [HTTPField] = []
        for field in self {
            let name = field.name.lowercased()
            if isChosen(name) { chosen.append(HTTPField(name: name, value: field.value)) }
        }
        guard chosen.count > 1 else { return chosen }
        return chosen.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }
}
