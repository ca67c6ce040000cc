#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// MARK: - References

extension HTTPURL {
    /// Resolves a reference against this URL (RFC 3986 §5.2).
    ///
    /// An absolute `http` or `https` URL is taken as it is. What starts with letters and a colon is absolute: `a:b` has
    /// the scheme `a` and is refused, `./a:b` is a path. The fragment of this URL is never kept.
    ///
    /// - Complexity: O(*n*) in the lengths of both; one allocation for a reference without dot segments.
    /// - Throws: ``HTTPURLProblem`` if the reference is not one, or leads to another scheme.
    package func resolving(reference text: String) throws(HTTPURLProblem) -> HTTPURL {
        var text = text
        let isSecure = self.isSecure
        let reference = try text.withUTF8Span { bytes throws(HTTPURLProblem) in
            try Reference(bytes, isBaseSecure: isSecure)
        }
        switch reference {
        case .absolute: return try HTTPURL(parsing: text)
        case .network(let scan): return try HTTPURL(text, scan).removingDotSegments()
        case .relative(let tail): return try self.resolving(text, tail)
        }
    }

    private enum Reference {
        case absolute
        case network(Layout)
        case relative(Tail)

        init(_ bytes: Span<UInt8>, isBaseSecure: Bool) throws(HTTPURLProblem) {
            let slash = UInt8(ascii: "/")
            if Layout.schemeEnd(bytes) != nil {
                self = .absolute
            } else if bytes.count > 1, bytes[0] == slash, bytes[1] == slash {
                self = .network(try Layout(bytes, authorityAt: 2, isSecure: isBaseSecure))
            } else {
                self = .relative(try Tail(bytes, from: 0))
            }
        }
    }

    private func resolving(_ reference: String, _ tail: Tail) throws(HTTPURLProblem) -> HTTPURL {
        let base = self.layout.tail
        let cut: Int
        if reference.utf8.first == UInt8(ascii: "/") {
            cut = base.start
        } else if tail.pathEnd > 0 {
            cut = base.directoryEnd
        } else {
            cut = tail.queryEnd > 0 ? base.pathEnd : base.queryEnd
        }
        var joined = ""
        joined.reserveCapacity(cut + reference.utf8.count)
        joined += self.string.utf8Slice(0..<cut)
        joined += reference
        var layout = self.layout
        layout.tail = tail.appended(to: base, at: cut)
        let url = HTTPURL(string: joined, authority: self.authority, layout: layout)
        guard layout.tail.mayHaveDotSegments, tail.pathEnd > 0 else { return url }
        return try url.removingDotSegments()
    }

    /// Removes `.` and `..` from the path (RFC 3986 §5.2.4).
    private func removingDotSegments() throws(HTTPURLProblem) -> HTTPURL {
        guard self.layout.tail.mayHaveDotSegments else { return self }
        let (start, end) = (self.layout.pathStart, self.layout.tail.pathEnd)
        let segments = self.string.utf8Slice(start + 1..<end).split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for segment in segments where segment != "." {
            if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        let rest = self.string.utf8Slice(end..<self.string.utf8.count)
        return try HTTPURL(parsing: "\(self.string.utf8Slice(0..<start))/\(kept.joined(separator: "/"))\(rest)")
    }
}

// MARK: - Queries

extension HTTPURL {
    /// Returns this URL with more query items, which go behind those it has and before the fragment.
    ///
    /// A character that may not stand in a query, `#` among them, is encoded on the way in, so that this cannot fail.
    ///
    /// - Parameter encoded: Items such as `a=1&b=2`, percent-encoded; empty for none.
    /// - Returns: The longer URL, or this one if there is nothing to add.
    public func appendingQuery(_ encoded: String) -> HTTPURL {
        if encoded.isEmpty { return self }
        let items = Self.encodingIllegalBytes(encoded)
        let tail = self.layout.tail
        var joined = ""
        joined.reserveCapacity(self.string.utf8.count + items.utf8.count + 1)
        joined += self.string.utf8Slice(0..<tail.queryEnd)
        if tail.queryEnd == tail.pathEnd {
            joined += "?"
        } else if tail.queryEnd > tail.pathEnd + 1 {
            joined += "&"
        }
        joined += items
        var layout = self.layout
        layout.tail.growQuery(by: joined.utf8.count - tail.queryEnd)
        joined += self.string.utf8Slice(tail.queryEnd..<self.string.utf8.count)
        return HTTPURL(string: joined, authority: self.authority, layout: layout)
    }

    /// The URL as it may be logged: without user, password and fragment, and with the values of secrets replaced.
    ///
    /// A query item is a secret if its name, decoded and in lower case, contains one of `token`, `password`, `passwd`,
    /// `secret`, `key`, `signature`, `auth`, `session` and `code`. Paths are not looked into.
    public var redacted: String {
        let (layout, tail) = (self.layout, self.layout.tail)
        let base = "\(self.scheme)://\(self.string.utf8Slice(layout.hostStart..<tail.pathEnd))"
        guard let query = self.query else { return base }
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals]
            return Self.isSecret(String(name)) ? "\(name)=***" : String(item)
        }
        return "\(base)?\(items.joined(separator: "&"))"
    }

    private static let secrets = [
        "token", "password", "passwd", "secret", "key", "signature", "auth", "session", "code",
    ]

    private static func isSecret(_ name: String) -> Bool {
        let name = (Self.percentDecode(name) ?? name).lowercased()
        return Self.secrets.contains { name.contains($0) }
    }
}

// MARK: - Percent-encoding

extension HTTPURL {
    /// The part of a URL that a text is encoded for, which decides what may stay as it is.
    public enum Component: Sendable, Hashable, CaseIterable {
        /// A name or a value in a query: letters, digits and `-._~/?` stay.
        case queryItem
        /// One segment of a path: letters, digits and `-._~` stay.
        case pathSegment

        func allows(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
            case UInt8(ascii: "/"), UInt8(ascii: "?"): self == .queryItem
            default: byte.isASCIILetter || byte.isASCIIDigit
            }
        }
    }

    /// Encodes a text for a part of a URL: bytes of its UTF-8 form become `%XX` (RFC 3986 §2.1).
    ///
    /// - Parameters:
    ///   - text: The text as it is meant; a `%` in it is encoded like other characters.
    ///   - component: The part of a URL it is for.
    /// - Returns: The encoded text, which is the text itself if it can stay as it is.
    /// - Complexity: O(*n*).
    public static func percentEncode(_ text: String, for component: Component = .queryItem) -> String {
        Self.encode(text, keeping: component.allows)
    }

    /// Decodes `%XX` (RFC 3986 §2.1); a `+` stays a `+`.
    ///
    /// - Returns: `nil` if a `%` is not followed by two hexadecimal digits, or if the result is not UTF-8.
    public static func percentDecode(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.next()?.hexValue, let low = bytes.next()?.hexValue else { return nil }
                decoded.append(high << 4 | low)
            } else {
                decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Encodes what may not stand in a query; `%` too, unless every `%` of the text starts an encoded byte.
    private static func encodingIllegalBytes(_ text: String) -> String {
        var pending = 0
        let isEncoded = text.utf8.allSatisfy { byte in
            defer { pending = byte == UInt8(ascii: "%") ? 2 : max(0, pending - 1) }
            return pending == 0 || byte.hexValue != nil
        }
        let keepsPercent = isEncoded && pending == 0
        return Self.encode(text, keeping: { $0.mayStandInTail || (keepsPercent && $0 == UInt8(ascii: "%")) })
    }

    private static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isKept) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

// MARK: - Foundation

extension HTTPURL {
    /// The same URL as Foundation has it, or `nil` if Foundation takes it for malformed.
    public var url: URL? { URL(string: self.string) }

    /// Reads a URL of Foundation.
    ///
    /// - Throws: ``HTTPURLProblem`` if it is not an absolute `http` or `https` URL.
    package init(parsing url: URL) throws(HTTPURLProblem) {
        try self.init(parsing: url.absoluteString)
    }
}

// MARK: - Bytes

extension UInt8 {
    /// Whether this byte is an ASCII letter.
    var isASCIILetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

    /// Whether this byte is an ASCII digit.
    var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// The value of this byte as a hexadecimal digit, if it is one.
    var hexValue: UInt8? {
        if self.isASCIIDigit { return self & 0x0F }
        return UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20 ? (self | 0x20) - UInt8(ascii: "a") + 10 : nil
    }

    /// Whether this byte may stand in a scheme behind its first letter (RFC 3986 §3.1).
    var mayStandInScheme: Bool {
        switch self {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: self.isASCIILetter || self.isASCIIDigit
        }
    }

    /// Whether this byte ends the authority (RFC 3986 §3.2).
    var endsAuthority: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }

    /// Whether this byte may stand by itself in a path, a query or a fragment.
    var mayStandInTail: Bool {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
            UInt8(ascii: "}"):
            false
        default:
            0x21...0x7E ~= self
        }
    }

    /// Whether this byte may stand in a user name or password, or starts an encoded one there (RFC 3986 §3.2.1).
    var mayStandInUserInfo: Bool {
        self == UInt8(ascii: "%") || self == UInt8(ascii: ":") || self.mayStandInHost
    }

    /// Whether this byte may stand in the name of a host that is not percent-encoded (RFC 3986 §3.2.2).
    var mayStandInHost: Bool {
        switch self {
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"): false
        default: self.mayStandInTail && !self.endsAuthority
        }
    }
}
