extension HTTPFields {
    /// The fields that say who asks, by name: credentials, cookies, those that were named as secret, and of those with
    /// the name of a secret the ones that tell answers apart.
    ///
    /// - Parameters:
    ///   - fields: Which header fields tell answers apart.
    ///   - redaction: Knows the names of secrets.
    /// - Returns: Those fields; none for nobody.
    func identity(_ fields: CacheFields, _ redaction: Redaction) -> HTTPFields {
        let named = self.enumerated().map { ($1.name.lowercased(), $0, $1.value) }
            .filter { redaction.isSecretHeader($0.0) || fields.count($0.0) && redaction.hides($0.0) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        return HTTPFields(named.map { HTTPField(name: $0.0, value: $0.2) })
    }
}
