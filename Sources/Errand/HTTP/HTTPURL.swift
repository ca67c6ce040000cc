/// An absolute `http` or `https` URL, parsed once and always valid (RFC 3986, RFC 9110 §4.2).
///
/// The URL is one string and the offsets of its parts, so that a component costs a slice and nothing is parsed twice.
/// Two URLs are equal if their strings are: apart from the case of scheme and host and an empty path, which becomes
/// `/`, nothing is normalised, because a server may tell `%7e` from `~`.
///
/// Stricter than RFC 3986: a host is neither percent-encoded nor an IPv6 address with a zone, since it ends up in
/// `Host` fields, certificates and connection keys. More lenient: `[` and `]` may stand in path, query and fragment.
public struct HTTPURL: Sendable {
    /// The whole URL, as it was given but for the case of scheme and host and a path that was empty.
    public let string: String

    /// The host and the effective port, as `host:port` in lower case: what a connection goes to.
    public let authority: String

    let layout: Layout

    /// The scheme, `http` or `https`.
    public var scheme: String { self.layout.isSecure ? "https" : "http" }

    /// Whether the scheme is `https`.
    public var isSecure: Bool { self.layout.isSecure }

    /// The host in lower case; the brackets of an IPv6 address belong to it (RFC 3986 §3.2.2).
    public var host: String { self.text(self.layout.hostStart..<self.layout.hostEnd) }

    /// The port written in the URL, if any.
    public var port: Int? { self.layout.port.map { Int($0) } }

    /// The port to connect to: the one written, or else 80 for `http` and 443 for `https`.
    public var effectivePort: Int { self.port ?? self.layout.defaultPort }

    /// The percent-decoded user name, if the URL has one; left encoded if it would not be UTF-8.
    public var user: String? { self.userInfo?.user }

    /// The percent-decoded password, if the URL has one; left encoded if it would not be UTF-8.
    public var password: String? { self.userInfo?.password }

    /// The path, percent-encoded; it starts with `/`.
    public var path: String { self.text(self.layout.pathStart..<self.layout.tail.pathEnd) }

    /// The query without its `?`, percent-encoded; empty for a bare `?`, `nil` without one.
    public var query: String? {
        let tail = self.layout.tail
        return tail.queryEnd > tail.pathEnd ? self.text(tail.pathEnd + 1..<tail.queryEnd) : nil
    }

    /// The fragment without its `#`, percent-encoded; it is never sent to a server.
    public var fragment: String? {
        let start = self.layout.tail.queryEnd
        return self.string.utf8.count > start ? self.text(start + 1..<self.string.utf8.count) : nil
    }

    /// The scheme, the host and the port unless it is the default (RFC 9110 §4.3.1), as in `https://host:8443`.
    public var origin: String {
        let port = self.effectivePort
        return "\(self.scheme)://\(self.host)" + (port == self.layout.defaultPort ? "" : ":\(port)")
    }

    /// The path and the query, in the form a request to an origin server names them (RFC 9112 §3.2.1).
    public var requestTarget: String { self.text(self.layout.pathStart..<self.layout.tail.queryEnd) }

    private var userInfo: (user: String, password: String?)? {
        guard self.layout.hostStart > self.layout.authorityStart else { return nil }
        let parts = self.string.utf8Slice(self.layout.authorityStart..<self.layout.hostStart - 1)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { Self.percentDecode(String($0)) ?? String($0) }
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    /// Joins parts that are known to fit each other.
    init(string: String, authority: String, layout: Layout) {
        self.string = string
        self.authority = authority
        self.layout = layout
    }

    /// Reads an absolute URL.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    /// - Throws: ``HTTPURLProblem`` that says what is wrong with the text, and where.
    package init(parsing text: String) throws(HTTPURLProblem) {
        var text = text
        let scan = try text.withUTF8Span { bytes throws(HTTPURLProblem) in
            guard let colon = Layout.schemeEnd(bytes) else {
                _ = try Tail(bytes, from: 0)
                throw HTTPURLProblem("a URL starts with http:// or https://")
            }
            let isSecure = try Layout.isSecure(bytes, schemeEnd: colon)
            guard bytes.count > colon + 2, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
            else { throw HTTPURLProblem("the scheme must be followed by // and a host") }
            return try Layout(bytes, authorityAt: colon + 3, isSecure: isSecure)
        }
        self.init(text, scan)
    }

    /// Brings a scanned text, which may lack its scheme, into the form that is kept.
    init(_ text: String, _ scan: Layout) {
        let host = String(text.utf8Slice(scan.hostStart..<scan.hostEnd)).lowercased()
        let authority = "\(host):\(scan.port.map { Int($0) } ?? scan.defaultPort)"
        var string = scan.isSecure ? "https://" : "http://"
        string.reserveCapacity(text.utf8.count + 8)
        string += text.utf8Slice(scan.authorityStart..<scan.hostStart)
        string += host
        string += text.utf8Slice(scan.hostEnd..<scan.pathStart)
        if scan.tail.pathEnd == scan.pathStart { string += "/" }
        string += text.utf8Slice(scan.pathStart..<text.utf8.count)
        var layout = scan
        layout.move(toAuthorityAt: scan.isSecure ? 8 : 7)
        self.init(string: string, authority: authority, layout: layout)
    }

    private func text(_ range: Range<Int>) -> String {
        String(self.string.utf8Slice(range))
    }
}

extension HTTPURL: Hashable {
    /// Tells whether two URLs are spelt the same.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.string == right.string
    }

    /// Feeds the string to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.string)
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The URL as it is, secrets included; for a log there is ``redacted``.
    public var description: String { self.string }
}

/// Why a text is not an absolute HTTP URL, or not a reference to one.
package struct HTTPURLProblem: Error, Hashable {
    /// What is wrong, and where, in words; contains no more of the text than one character or a scheme.
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    /// The complaint about one byte that may not stand where it does.
    init(_ bytes: Span<UInt8>, illegalAt index: Int) {
        var start: [UInt8] = []
        for next in index..<min(index + 4, bytes.count) { start.append(bytes[next]) }
        let character = String(decoding: start, as: UTF8.self).unicodeScalars.first.map(\.nameInMessages) ?? "nothing"
        self.init("illegal character \(character) at offset \(index)")
    }
}

extension String {
    /// The text between two offsets in the UTF-8 form, which must lie on characters.
    func utf8Slice(_ range: Range<Int>) -> Substring {
        let start = self.utf8.index(self.startIndex, offsetBy: range.lowerBound)
        return Substring(self.utf8[start..<self.utf8.index(start, offsetBy: range.count)])
    }

    /// Lends the UTF-8 form as one span; the string is made contiguous for it.
    mutating func withUTF8Span<R>(
        _ body: (Span<UInt8>) throws(HTTPURLProblem) -> R
    ) throws(HTTPURLProblem) -> R {
        // The span cannot outlive the call: it is not escapable, and `body` gets it only for as long as it runs.
        try self.withUTF8 { buffer in
            Result { () throws(HTTPURLProblem) in try unsafe body(buffer.span) }
        }.get()
    }
}

// MARK: - Syntax

extension HTTPURL {
    /// Where the parts of a URL lie, as offsets in its UTF-8 form.
    struct Layout: Sendable {
        let isSecure: Bool
        let port: UInt16?
        private(set) var authorityStart: Int
        private(set) var hostStart: Int
        private(set) var hostEnd: Int
        var tail: Tail

        var pathStart: Int { self.tail.start }
        var defaultPort: Int { self.isSecure ? 443 : 80 }

        /// Reads everything behind the `//` (RFC 3986 §3.2).
        init(_ bytes: Span<UInt8>, authorityAt start: Int, isSecure: Bool) throws(HTTPURLProblem) {
            var end = start
            var hostStart = start
            while end < bytes.count, !bytes[end].endsAuthority {
                if bytes[end] == UInt8(ascii: "@"), hostStart == start { hostStart = end + 1 }
                end += 1
            }
            var index = start
            while index < hostStart - 1 {
                guard bytes[index].mayStandInUserInfo else { throw HTTPURLProblem(bytes, illegalAt: index) }
                index = try Tail.step(bytes, index)
            }
            self.isSecure = isSecure
            self.authorityStart = start
            self.hostStart = hostStart
            self.hostEnd = try Self.hostEnd(bytes, hostStart..<end)
            self.port = try Self.port(bytes, self.hostEnd..<end)
            self.tail = try Tail(bytes, from: end)
            if self.hostEnd == hostStart { throw HTTPURLProblem("the host is missing") }
        }

        /// The offset of the colon behind a scheme, if the text starts with one (RFC 3986 §3.1).
        static func schemeEnd(_ bytes: Span<UInt8>) -> Int? {
            guard bytes.count > 1, bytes[0].isASCIILetter else { return nil }
            for index in 1..<bytes.count {
                if bytes[index] == UInt8(ascii: ":") { return index }
                guard bytes[index].mayStandInScheme else { return nil }
            }
            return nil
        }

        static func isSecure(_ bytes: Span<UInt8>, schemeEnd: Int) throws(HTTPURLProblem) -> Bool {
            var scheme = ""
            for index in 0..<min(schemeEnd, 32) {
                scheme.unicodeScalars.append(Unicode.Scalar(bytes[index].asciiLowercase))
            }
            switch scheme {
            case "https": return true
            case "http": return false
            default: throw HTTPURLProblem("the scheme \(scheme) is not supported, only http and https are")
            }
        }

        /// Moves all offsets, so that the authority starts at another one and an empty path has become `/`.
        mutating func move(toAuthorityAt start: Int) {
            let distance = start - self.authorityStart
            self.authorityStart = start
            self.hostStart += distance
            self.hostEnd += distance
            self.tail.move(by: distance)
        }

        private static func hostEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPURLProblem) -> Int {
            var index = range.lowerBound
            if index < range.upperBound, bytes[index] == UInt8(ascii: "[") {
                while index < range.upperBound, bytes[index] != UInt8(ascii: "]") { index += 1 }
                guard index < range.upperBound, isIPv6(bytes, range.lowerBound + 1..<index) else {
                    throw HTTPURLProblem("the host is not an IPv6 address in brackets without a zone")
                }
                return index + 1
            }
            while index < range.upperBound, bytes[index] != UInt8(ascii: ":") {
                guard bytes[index].mayStandInHost else { throw HTTPURLProblem(bytes, illegalAt: index) }
                index += 1
            }
            return index
        }

        private static func port(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPURLProblem) -> UInt16? {
            guard let colon = range.first else { return nil }
            guard bytes[colon] == UInt8(ascii: ":") else { throw HTTPURLProblem(bytes, illegalAt: colon) }
            var port = 0
            for index in range.dropFirst() {
                guard bytes[index].isASCIIDigit else { throw HTTPURLProblem(bytes, illegalAt: index) }
                port = min(port * 10 + Int(bytes[index] & 0x0F), 65536)
            }
            if port > 65535 { throw HTTPURLProblem("the port is greater than 65535") }
            return range.count > 1 ? UInt16(port) : nil
        }

        /// Tells whether a range of bytes is an IPv6 address (RFC 3986 §3.2.2).
        private static func isIPv6(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
            let colon = UInt8(ascii: ":")
            var index = range.lowerBound
            var groups = 0
            var hasGap = range.count >= 2 && bytes[index] == colon && bytes[index + 1] == colon
            if hasGap { index += 2 }
            while index < range.upperBound {
                let start = index
                while index < range.upperBound, bytes[index].hexValue != nil { index += 1 }
                if index < range.upperBound, bytes[index] == UInt8(ascii: ".") {
                    guard isIPv4(bytes, start..<range.upperBound) else { return false }
                    groups += 2
                    break
                }
                guard 1...4 ~= index - start else { return false }
                groups += 1
                if index == range.upperBound { break }
                guard bytes[index] == colon, index + 1 < range.upperBound else { return false }
                index += 1
                if bytes[index] == colon {
                    if hasGap { return false }
                    hasGap = true
                    index += 1
                }
            }
            return hasGap ? groups < 8 : groups == 8
        }

        private static func isIPv4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
            var octets: [Int] = []
            var digits = 0
            for index in range {
                if bytes[index] == UInt8(ascii: "."), digits > 0 {
                    digits = 0
                } else if bytes[index].isASCIIDigit, digits == 0 {
                    octets.append(Int(bytes[index] & 0x0F))
                    digits = 1
                } else if bytes[index].isASCIIDigit, digits < 3, let last = octets.last, last > 0 {
                    octets[octets.count - 1] = last * 10 + Int(bytes[index] & 0x0F)
                    digits += 1
                } else {
                    return false
                }
            }
            return digits > 0 && octets.count == 4 && octets.allSatisfy { $0 < 256 }
        }
    }

    /// Where path, query and fragment lie; the syntax a URL shares with a relative reference (RFC 3986 §3.3–3.5).
    struct Tail: Sendable {
        /// The start of the path.
        private(set) var start: Int
        /// The offset behind the last `/` of the path, or its start.
        private(set) var directoryEnd: Int
        /// The end of the path.
        private(set) var pathEnd: Int
        /// The end of the query; the same as the end of the path if there is no query.
        private(set) var queryEnd: Int
        /// Whether a segment of the path starts with a dot, and so may be `.` or `..`.
        private(set) var mayHaveDotSegments = false

        /// Reads from an offset up to the end of the bytes.
        init(_ bytes: Span<UInt8>, from start: Int) throws(HTTPURLProblem) {
            var index = start
            var segment = start
            var hasDot = false
            while index < bytes.count, bytes[index] != UInt8(ascii: "?"), bytes[index] != UInt8(ascii: "#") {
                if bytes[index] == UInt8(ascii: "/") {
                    segment = index + 1
                } else if bytes[index] == UInt8(ascii: "."), index == segment {
                    hasDot = true
                }
                index = try Self.step(bytes, index)
            }
            self.start = start
            self.directoryEnd = segment
            self.pathEnd = index
            self.mayHaveDotSegments = hasDot
            if index < bytes.count, bytes[index] == UInt8(ascii: "?") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "#") { index = try Self.step(bytes, index) }
            }
            self.queryEnd = index
            if index < bytes.count { index += 1 }
            while index < bytes.count { index = try Self.step(bytes, index) }
        }

        /// Answers the offset behind one legal character or percent-encoded byte.
        @inline(__always)
        static func step(_ bytes: Span<UInt8>, _ index: Int) throws(HTTPURLProblem) -> Int {
            if bytes[index].mayStandInTail { return index + 1 }
            guard bytes[index] == UInt8(ascii: "%") else { throw HTTPURLProblem(bytes, illegalAt: index) }
            guard index + 2 < bytes.count, bytes[index + 1].hexValue != nil, bytes[index + 2].hexValue != nil else {
                throw HTTPURLProblem("illegal character \"%\" at offset \(index): no two hexadecimal digits follow")
            }
            return index + 3
        }

        /// Moves all offsets by a distance; an empty path becomes a `/`.
        mutating func move(by distance: Int) {
            let growth = distance + (self.pathEnd == self.start ? 1 : 0)
            self.directoryEnd += growth
            self.pathEnd += growth
            self.queryEnd += growth
            self.start += distance
        }

        /// Puts this path (if not empty), query and fragment behind the first bytes of another one.
        func appended(to base: Tail, at cut: Int) -> Tail {
            var joined = base
            if self.pathEnd > self.start {
                joined.directoryEnd = cut + self.directoryEnd
                joined.mayHaveDotSegments = self.mayHaveDotSegments || (cut > base.start && base.mayHaveDotSegments)
            }
            joined.pathEnd = self.pathEnd > self.start ? cut + self.pathEnd : base.pathEnd
            joined.queryEnd = cut + self.queryEnd
            return joined
        }

        /// Makes the query longer.
        mutating func growQuery(by count: Int) {
            self.queryEnd += count
        }
    }
}
