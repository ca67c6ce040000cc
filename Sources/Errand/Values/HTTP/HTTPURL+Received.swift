internal import Foundation

extension HTTPURL {
    /// Resolves a reference from a server's field, such as `Location`, as browsers and curl do.
    ///
    /// Octets that are invalid in a URL are percent-encoded, those that are not UTF-8 unchanged, and so is an invalid
    /// `%`; control characters are rejected. A backslash is not a slash. The host may be an internationalized one (RFC
    /// 5891). Dot segments are removed, also from an absolute URL, and so are user and password.
    ///
    /// - Complexity: O(*n*) in the lengths of both.
    /// - Throws: ``HTTPURLProblem`` if the reference is invalid, or has another scheme.
    func resolving(received text: String) throws(HTTPURLProblem) -> HTTPURL {
        let octets = FieldOctets.octets(of: text) ?? Array(text.utf8)
        let start = Self.authorityStart(octets)
        let end = start.flatMap { octets[$0...].firstIndex(where: \.endsAuthority) } ?? start.map { _ in octets.count }
        var reference: [UInt8] = []
        if let start, let end { reference = octets[..<start] + Self.encodingAuthority(octets[start..<end]) }
        reference += Self.encodingTail(octets[(end ?? 0)...])
        // A server does not set the client's credentials (RFC 9110 §4.2.4).
        return try self.resolving(reference: String(decoding: reference, as: UTF8.self)).withoutUserInfo
            .removingDotSegments()
    }

    /// Returns the start of the authority of a reference, after two slashes; `nil` if there is none.
    private static func authorityStart(_ octets: [UInt8]) -> Int? {
        // The span of an array needs a later macOS than that of a slice.
        let slice = octets[...]
        let colon = Layout.schemeEnd(slice.span)
        let start = colon.map { $0 + 1 } ?? 0
        return octets[start...].starts(with: "//".utf8) ? start + 2 : nil
    }

    /// Returns an authority with its host in ASCII; if that fails, it is unchanged, and is rejected later.
    private static func encodingAuthority(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        let at = octets.lastIndex(of: UInt8(ascii: "@"))
        let hostStart = at.map { $0 + 1 } ?? octets.startIndex
        let host = octets[hostStart...].prefix { $0 != UInt8(ascii: ":") }
        let user = self.encode(octets[..<hostStart]) { $0.mayStandInUserInfo || $0 == UInt8(ascii: "@") }
        guard host.contains(where: { $0 >= 0x80 }), let name = String(validUTF8: host),
            let ascii = Self.hostInASCII(name)
        else { return user + octets[hostStart...] }
        return user + Array(ascii.utf8) + octets[host.endIndex...]
    }

    /// Returns the ASCII form of an internationalized host (RFC 5891 §4.4); `nil` if it is invalid.
    private static func hostInASCII(_ host: String) -> String? {
        guard let text = URL(string: "https://\(host)/")?.absoluteString, let url = try? HTTPURL(parsing: text),
            url.requestTarget == "/", url.port == nil, !url.hasUserInfo
        else { return nil }
        return url.host
    }

    /// Percent-encodes invalid characters after the authority; only the first `#` starts a fragment.
    private static func encodingTail(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        let fragment = octets.firstIndex(of: UInt8(ascii: "#")) ?? octets.endIndex
        let tail = self.encode(octets[..<fragment], keeping: \.mayStandInTail)
        guard fragment < octets.endIndex else { return tail }
        return tail + [UInt8(ascii: "#")] + self.encode(octets[(fragment + 1)...], keeping: \.mayStandInTail)
    }

    private static func encode(_ octets: ArraySlice<UInt8>, keeping isKept: (UInt8) -> Bool) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(octets.count)
        for index in octets.indices {
            let isEncoded =
                octets[index] == UInt8(ascii: "%") && octets.endIndex - index > 2
                && octets[index + 1].hexValue != nil && octets[index + 2].hexValue != nil
            Self.write(octets[index], to: &encoded) {
                isEncoded || $0 != UInt8(ascii: "%") && isKept($0) || $0 < 0x20 || $0 == 0x7F
            }
        }
        return encoded
    }
}
