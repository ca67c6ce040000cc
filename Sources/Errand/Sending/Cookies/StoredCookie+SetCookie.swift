package import struct Foundation.Date

extension StoredCookie {
    /// Reads a `Set-Cookie` value and decides whether the cookie is taken (RFC 6265 §5.2, §5.3).
    ///
    /// A cookie that has ended already is taken too: storing it removes the one that it replaces.
    ///
    /// - Parameters:
    ///   - text: The value of one field.
    ///   - url: The URL that was asked.
    ///   - date: When the response came.
    ///   - suffixes: The domains for which no cookie may be set; `nil` where they are not known: then a cookie is
    ///     for the host that sets it alone, whatever domain it names.
    /// - Throws: ``CookieRefusal`` that says why it is not taken.
    package init(
        parsing text: String, for url: HTTPURL, at date: Date, suffixes: (any PublicSuffixList)? = PublicSuffixes.system
    ) throws(CookieRefusal) {
        let parts = try SetCookie(text)
        let domain = try Self.domain(parts.domain, for: url.host, suffixes)
        self.init(
            parts.name, parts.value, domain: domain ?? url.host, path: parts.path ?? Self.defaultPath(of: url),
            creationDate: date)
        self.isHostOnly = domain == nil
        self.expires = parts.expires(receivedAt: date)
        self.isSecure = parts.isSecure
        self.isHTTPOnly = parts.isHTTPOnly
        self.sameSite = parts.sameSite
        if self.isSecure, !url.isSecure { throw .insecureOrigin }
        // A path that only happens to be the right one is not a promise.
        if self.isNamedForHost, parts.path == nil { throw .prefixNotKept }
        try self.check()
    }

    /// The domain that a host may set a cookie for, or `nil` if the cookie is for the host alone (RFC 6265 §5.3).
    private static func domain(
        _ attribute: String, for host: String, _ suffixes: (any PublicSuffixList)?
    ) throws(CookieRefusal) -> String? {
        let isDotted = attribute.utf8.first == UInt8(ascii: ".")
        let domain = String(Substring(attribute.utf8.dropFirst(isDotted ? 1 : 0))).asciiLowercased()
        guard !domain.isEmpty else { return nil }
        guard Self.isDomain(domain) else { throw .invalidDomain }
        let name = domain.withoutLastDot
        // Every single label is one, known or not.
        guard !(suffixes?.contains(name) ?? !name.utf8.contains(UInt8(ascii: "."))) else {
            if domain == host { return nil }
            throw .publicSuffix
        }
        guard Self.domain(domain, covers: host) else { throw .foreignDomain }
        // An address has no hosts below it, and what cannot be known to belong to one owner is shared with nobody.
        return host.isHostAddress || suffixes == nil ? nil : domain
    }
}
