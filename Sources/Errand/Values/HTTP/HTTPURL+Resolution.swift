#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// MARK: - References

extension HTTPURL {
    /// Resolves a reference against this URL (RFC 3986 §5.2).
    ///
    /// An absolute `http` or `https` URL is used unchanged. Text that starts with letters and a colon is absolute:
    /// `a:b` has the scheme `a` and is rejected, `./a:b` is a path. The fragment of this URL is never kept.
    ///
    /// - Complexity: O(*n*) in the lengths of both; one allocation for a reference without dot segments.
    /// - Throws: ``HTTPURLProblem`` if the reference is invalid, or has another scheme.
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
        // If the reference is appended to the whole base, as is common, the base is not cut.
        let isWhole = cut == self.string.utf8.count
        var joined = isWhole ? self.string : ""
        joined.reserveCapacity(cut + reference.utf8.count)
        if !isWhole { joined += self.string.utf8Slice(0..<cut) }
        joined += reference
        var layout = self.layout
        layout.tail = tail.appended(to: base, at: cut)
        let url = HTTPURL(string: joined, authority: self.authority, layout: layout)
        guard layout.tail.mayHaveDotSegments, tail.pathEnd > 0 else { return url }
        return try url.removingDotSegments()
    }

    /// Removes `.` and `..` from the path (RFC 3986 §5.2.4).
    func removingDotSegments() throws(HTTPURLProblem) -> HTTPURL {
        guard self.layout.tail.mayHaveDotSegments else { return self }
        let (start, end) = (self.layout.pathStart, self.layout.tail.pathEnd)
        let segments = self.string.utf8Slice(start + 1..<end).parts(at: "/", omittingEmpty: false)
        var kept: [String] = []
        for segment in segments where segment != "." {
            if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        let rest = self.string.utf8Slice(end..<self.string.utf8.count)
        return try HTTPURL(parsing: "\(self.string.utf8Slice(0..<start))/\(kept.joined(separator: "/"))\(rest)")
    }
}

extension HTTPURL {
    /// Returns a URL, or a reference to one, without user and password; the rest need not be valid.
    static func withoutUserInfo(_ reference: String) -> String {
        let head = reference.part(before: "?", "#")
        let scheme = head.part(before: "/")
        let rest = head[scheme.endIndex...]
        guard rest.startsExactly(with: "//") else { return reference }
        let authority = Substring(rest.utf8.dropFirst(2)).part(before: "/")
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return reference }
        return "\(scheme)//\(reference[reference.utf8.index(after: at)...])"
    }
}

// MARK: - Queries

extension HTTPURL {
    /// Returns this URL with more query items, after the existing ones and before the fragment.
    ///
    /// A character that is invalid in a query, such as `#`, is encoded, so this cannot fail.
    ///
    /// - Parameter encoded: Items such as `a=1&b=2`, percent-encoded; empty for none.
    /// - Returns: The longer URL, or this one if there are no items.
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

    /// Appends encoded items to the query of a reference, as ``appendingQuery(_:)`` does to that of a URL.
    static func append(_ encoded: String, toQueryOf reference: String) -> String {
        if encoded.isEmpty { return reference }
        let end = reference.unicodeScalars.firstIndex(of: "#") ?? reference.endIndex
        let head = reference[..<end]
        let separator = !head.containsExactly("?") ? "?" : head.endsExactly(with: "?") ? "" : "&"
        return "\(head)\(separator)\(Self.encodingIllegalBytes(encoded))\(reference[end...])"
    }

    /// Returns true if a reference is resolved to the host of its base (RFC 3986 §4.2).
    static func isPath(_ reference: String) -> Bool {
        !reference.startsExactly(with: "//") && !Self.hasScheme(reference)
    }

    /// Returns true if a reference starts with a scheme (RFC 3986 §3.1).
    static func hasScheme(_ reference: String) -> Bool {
        var reference = reference
        let hasScheme = try? reference.withUTF8Span { bytes throws(HTTPURLProblem) in
            Layout.schemeEnd(bytes) != nil
        }
        return hasScheme == true
    }

    /// Returns this URL with a path that ends with a slash, so that references are appended to its last segment.
    func asDirectory() throws(HTTPURLProblem) -> HTTPURL {
        let tail = self.layout.tail
        guard tail.directoryEnd < tail.pathEnd else { return self }
        let rest = self.string.utf8Slice(tail.pathEnd..<self.string.utf8.count)
        return try HTTPURL(parsing: "\(self.string.utf8Slice(0..<tail.pathEnd))/\(rest)")
    }
}

// MARK: - Foundation

extension HTTPURL {
    /// The URL as a Foundation URL, or `nil` if Foundation cannot parse it.
    public var url: URL? { URL(string: self.string) }

    /// Parses a Foundation URL.
    ///
    /// - Throws: ``HTTPURLProblem`` if it is not an absolute `http` or `https` URL.
    package init(parsing url: URL) throws(HTTPURLProblem) {
        try self.init(parsing: url.absoluteString)
    }
}

// MARK: - Bytes

extension UInt8 {
    /// True for an ASCII letter.
    var isASCIILetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

    /// True for an ASCII digit.
    var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// The value of the byte as a hexadecimal digit, if it is one.
    var hexValue: UInt8? {
        if self.isASCIIDigit { return self & 0x0F }
        return UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20 ? (self | 0x20) - UInt8(ascii: "a") + 10 : nil
    }

    /// True for a byte allowed in a scheme after its first letter (RFC 3986 §3.1).
    var mayStandInScheme: Bool {
        switch self {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: self.isASCIILetter || self.isASCIIDigit
        }
    }

    /// True for a byte that ends the authority (RFC 3986 §3.2).
    var endsAuthority: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }

    /// True for a byte allowed unencoded in a path, a query or a fragment.
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

    /// True for a byte allowed in a user name or password, or starting an encoded one there (RFC 3986 §3.2.1).
    var mayStandInUserInfo: Bool {
        self == UInt8(ascii: "%") || self == UInt8(ascii: ":") || self.mayStandInHost
    }

    /// True for a byte allowed in an unencoded host name (RFC 3986 §3.2.2).
    var mayStandInHost: Bool {
        switch self {
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"): false
        default: self.mayStandInTail && !self.endsAuthority
        }
    }
}
