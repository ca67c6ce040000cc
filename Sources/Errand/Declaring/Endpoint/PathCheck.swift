/// Where a value lies in a path, as offsets in its UTF-8 form.
struct PathValue {
    enum Kind {
        /// One segment, or a part of one.
        case segment
        /// Segments with slashes between them.
        case segments
        /// A path, which has been checked.
        case path
    }

    let kind: Kind
    let start: Int
    let end: Int

    /// Whether the value is before the end of an authority, unless it is a path that has all of that.
    func interferes(with authority: Range<Int>) -> Bool {
        self.start <= authority.upperBound
            && !(self.kind == .path && self.start == 0 && self.end >= authority.upperBound)
    }

    /// Whether a segment consists of the value, or of a part of it, even if that is empty.
    func touches(_ segment: Range<Int>) -> Bool {
        self.kind != .path && self.start <= segment.upperBound && self.end >= segment.lowerBound
    }
}

/// Looks whether values change what the literal parts of a path say.
///
/// Values have been encoded: whatever delimits something was written in the literal, or is a slash of segments. What
/// can still go wrong is that a value stands where a host or a scheme does, and what a segment becomes.
struct PathCheck {
    private let bytes: [UInt8]
    private let values: [PathValue]
    /// The offset of the colon behind what would be a scheme (RFC 3986 §3.1).
    private let colon: Int?

    init(_ text: String, _ values: [PathValue]) {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex { !$0.mayStandInScheme }
        let isScheme = bytes.first?.isASCIILetter == true
        self.colon = end.flatMap { isScheme && bytes[$0] == UInt8(ascii: ":") ? $0 : nil }
        self.bytes = bytes
        self.values = values
    }

    /// What a value does that it may not do.
    var problem: EndpointPath.Problem? {
        let authority = self.authority
        if let authority, let value = self.values.first(where: { $0.interferes(with: authority) }) {
            // Without a scheme, two slashes with a value before or between them have nothing between them.
            return self.colon == nil && value.start < 2 ? .emptySegment : .authority
        }
        let start = authority?.upperBound ?? 0
        let end = self.bytes[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let path = self.bytes[start..<(end ?? self.bytes.endIndex)]
        var segmentStart = path.startIndex
        while true {
            let segment = path[segmentStart...].prefix { $0 != UInt8(ascii: "/") }
            if self.values.contains(where: { $0.touches(segment.indices) }) {
                if segment.isEmpty, !self.endsWithSlash(path) || segmentStart < path.endIndex { return .emptySegment }
                if segment.mayHaveDots, segment.partsAtEncodedSlashes.contains(where: \.areDots) { return .dotSegment }
            }
            guard segment.endIndex < path.endIndex else { return nil }
            segmentStart = segment.endIndex + 1
        }
    }

    /// Whether a value is followed by a colon that would make a scheme of it.
    var isSchemeValue: Bool {
        guard let colon, let first = self.values.first else { return false }
        return first.start <= colon && (first.kind != .path || first.end <= colon)
    }

    /// Where the host and all that belongs to it are, if there are any (RFC 3986 §3.2).
    private var authority: Range<Int>? {
        let start = self.colon.map { $0 + 1 } ?? 0
        guard self.bytes.count >= start + 2, self.bytes[start] == UInt8(ascii: "/"),
            self.bytes[start + 1] == UInt8(ascii: "/")
        else { return nil }
        return start + 2..<(self.bytes[(start + 2)...].firstIndex(where: \.endsAuthority) ?? self.bytes.endIndex)
    }

    /// Whether a value of several segments has a slash at its end, and the path ends there.
    private func endsWithSlash(_ path: ArraySlice<UInt8>) -> Bool {
        self.values.contains { $0.kind == .segments && $0.start < $0.end && $0.end == path.endIndex }
    }
}

extension ArraySlice<UInt8> {
    /// Whether there is a dot in it, or something that is encoded and may be one.
    fileprivate var mayHaveDots: Bool { self.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") } }

    /// What is between encoded slashes and backslashes: some servers decode these before they resolve dots.
    fileprivate var partsAtEncodedSlashes: [ArraySlice<UInt8>] {
        var (parts, start) = ([ArraySlice<UInt8>](), self.startIndex)
        for index in self.indices.dropLast(2) where self[index] == UInt8(ascii: "%") {
            let digits = self[index + 1...index + 2]
            guard ["2F", "2f", "5C", "5c"].contains(where: { digits.elementsEqual($0.utf8) }) else { continue }
            parts.append(self[start..<index])
            start = index + 3
        }
        return parts + [self[start...]]
    }

    /// Whether a segment is `.` or `..` for those who resolve it: encoded (RFC 3986 §6.2.2.2), or with arguments behind
    /// a semicolon (§3.3) as well.
    fileprivate var areDots: Bool {
        var rest = self.prefix { $0 != UInt8(ascii: ";") }
        var count = 0
        while !rest.isEmpty, count < 3 {
            if rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return false
            }
            count += 1
        }
        return 1...2 ~= count
    }
}
