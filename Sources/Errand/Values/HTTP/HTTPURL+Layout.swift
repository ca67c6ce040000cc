// MARK: - Syntax

extension HTTPURL {
    /// The positions of the parts of a URL, as offsets in its UTF-8 form.
    struct Layout: Sendable {
        let isSecure: Bool
        let port: UInt16?
        private(set) var authorityStart: Int
        private(set) var hostStart: Int
        private(set) var hostEnd: Int
        var tail: Tail

        /// The maximum length of a name (RFC 1035 §2.3.4); rules and cookies are looked up for each of its suffixes.
        static let longestHost = 255

        var pathStart: Int { self.tail.start }
        var defaultPort: Int { self.isSecure ? 443 : 80 }

        /// Parses everything after the `//` (RFC 3986 §3.2).
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
            guard self.hostEnd - hostStart <= Self.longestHost else {
                throw HTTPURLProblem("the host is longer than \(Self.longestHost) characters")
            }
        }

        /// Returns the offset of the colon after a scheme, if the text starts with one (RFC 3986 §3.1).
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

        /// Moves all offsets for another start of the authority and length of the host; an empty path becomes `/`.
        mutating func move(toAuthorityAt start: Int, hostLength: Int) {
            self.hostStart += start - self.authorityStart
            self.authorityStart = start
            let distance = self.hostStart + hostLength - self.hostEnd
            self.hostEnd += distance
            self.tail.move(by: distance)
        }

        /// Moves all offsets for a URL without user info.
        mutating func removeUserInfo() {
            let length = self.hostStart - self.authorityStart
            self.hostStart -= length
            self.hostEnd -= length
            self.tail.move(by: -length)
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

        /// Returns true if a range of bytes is an IPv6 address (RFC 3986 §3.2.2).
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

    /// The positions of path, query and fragment; the syntax that a URL shares with a relative reference (RFC 3986
    /// §3.3–3.5).
    struct Tail: Sendable {
        /// The start of the path.
        private(set) var start: Int
        /// The offset after the last `/` of the path, or its start.
        private(set) var directoryEnd: Int
        /// The end of the path.
        private(set) var pathEnd: Int
        /// The end of the query; equal to the end of the path without a query.
        private(set) var queryEnd: Int
        /// True if a segment of the path starts with a dot, and so may be `.` or `..`.
        private(set) var mayHaveDotSegments = false

        /// Parses from an offset to the end of the bytes.
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

        /// Returns the offset after one legal character or percent-encoded byte.
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

        /// Returns the offsets of this path (if not empty), query and fragment appended to the start of another path.
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

        /// Extends the query.
        mutating func growQuery(by count: Int) {
            self.queryEnd += count
        }
    }
}
