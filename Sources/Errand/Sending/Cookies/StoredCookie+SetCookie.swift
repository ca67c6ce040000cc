package import struct Foundation.Date

extension StoredCookie {
    /// Parses a `Set-Cookie` value and checks that the cookie is acceptable (RFC 6265 §5.2, §5.3).
    ///
    /// An expired cookie is accepted too: storing it removes the one that it replaces.
    ///
    /// - Parameters:
    ///   - text: The value of one field.
    ///   - url: The URL of the response.
    ///   - date: The time of the response.
    ///   - suffixes: The public suffixes; `nil` if they are not known: then every cookie is host-only, whatever domain
    ///     it names.
    /// - Throws: ``CookieRefusal`` with the reason if it is not accepted.
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
        // The prefix requires an explicit path, not a default path that happens to match.
        if self.isNamedForHost, parts.path == nil { throw .prefixNotKept }
        try self.check()
    }

    /// Returns the domain that a host may set a cookie for, or `nil` for a host-only cookie (RFC 6265 §5.3).
    private static func domain(
        _ attribute: String, for host: String, _ suffixes: (any PublicSuffixList)?
    ) throws(CookieRefusal) -> String? {
        let isDotted = attribute.utf8.first == UInt8(ascii: ".")
        let domain = String(Substring(attribute.utf8.dropFirst(isDotted ? 1 : 0))).asciiLowercased()
        guard !domain.isEmpty else { return nil }
        guard Self.isDomain(domain) else { throw .invalidDomain }
        let name = domain.withoutLastDot
        // A single label is always a public suffix, whether it is on the list or not.
        guard !(suffixes?.contains(name) ?? !name.utf8.contains(UInt8(ascii: "."))) else {
            if domain == host { return nil }
            throw .publicSuffix
        }
        guard Self.domain(domain, covers: host) else { throw .foreignDomain }
        // An address has no subdomains; and without the list, a domain may have several owners.
        return host.isHostAddress || suffixes == nil ? nil : domain
    }
}
