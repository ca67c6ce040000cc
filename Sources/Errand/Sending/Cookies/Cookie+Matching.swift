public import struct Foundation.Date

extension StoredCookie {
    /// Returns true if the cookie is sent with a request at a date (RFC 6265 §5.4), by host, path, scheme and expiry.
    public func matches(_ url: HTTPURL, at date: Date) -> Bool {
        let host = url.host
        return (self.isHostOnly ? self.domain == host : Self.domain(self.domain, covers: host))
            && Self.path(self.path, covers: url.path) && (!self.isSecure || url.isSecure) && !self.isExpired(at: date)
    }

    /// Returns true if a host equals a domain or is a subdomain of it (RFC 6265 §5.1.3).
    ///
    /// Both are in lower case. An address matches only itself.
    package static func domain(_ domain: String, covers host: String) -> Bool {
        guard domain != host else { return true }
        guard host.utf8.count > domain.utf8.count, !domain.isEmpty, !host.isHostAddress else { return false }
        let below = host.utf8.dropLast(domain.utf8.count)
        return below.last == UInt8(ascii: ".") && host.utf8.dropFirst(below.count).elementsEqual(domain.utf8)
    }

    /// Returns true if a request path equals a cookie's path or is below it (RFC 6265 §5.1.4).
    package static func path(_ path: String, covers requested: String) -> Bool {
        guard requested.utf8.starts(with: path.utf8) else { return false }
        return requested.utf8.count == path.utf8.count || path.utf8.last == UInt8(ascii: "/")
            || requested.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }

    /// Returns the default path of a cookie: that of the URL, up to its last slash (RFC 6265 §5.1.4).
    package static func defaultPath(of url: HTTPURL) -> String {
        let path = url.path
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}

extension String {
    /// True if the host is an IP address, in any notation that systems accept.
    ///
    /// A top-level domain is never a number, so a host that ends in a decimal or hexadecimal number is an IPv4 address
    /// or invalid.
    var isHostAddress: Bool {
        guard self.utf8.first != UInt8(ascii: "[") else { return true }
        let last = self.withoutLastDot.utf8.split(separator: UInt8(ascii: ".")).last ?? self.utf8[...]
        if last.allSatisfy(\.isASCIIDigit) { return true }
        return last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { $0.hexValue != nil }
    }

    /// The text without its trailing dot, if any.
    var withoutLastDot: String {
        self.utf8.last == UInt8(ascii: ".") ? String(Substring(self.utf8.dropLast())) : self
    }
}
