/// The position of a value in a path, as offsets in its UTF-8 form.
struct PathValue {
    enum Kind {
        /// One segment, or a part of one.
        case segment
        /// Segments with slashes between them.
        case segments
        /// A path that has been checked.
        case path
    }

    let kind: Kind
    let start: Int
    let end: Int

    /// Returns true if the value begins before the end of an authority, unless it is a path that contains the whole
    /// authority.
    func interferes(with authority: Range<Int>) -> Bool {
        self.start <= authority.upperBound
            && !(self.kind == .path && self.start == 0 && self.end >= authority.upperBound)
    }

    /// Returns true if a segment consists of the value or a part of it, even an empty one.
    func touches(_ segment: Range<Int>) -> Bool {
        self.kind != .path && self.start <= segment.upperBound && self.end >= segment.lowerBound
    }
}

/// Checks that values do not change the structure of a path's literal text.
///
/// Values are encoded, so delimiters come from the literal, or are the slashes between segments. The remaining risks
/// are a value in the scheme or the authority, and values that make a segment empty or a dot segment.
struct PathCheck {
    private let bytes: [UInt8]
    private let values: [PathValue]
    /// The offset of the colon after what would be a scheme (RFC 3986 §3.1).
    private let colon: Int?

    init(_ text: String, _ values: [PathValue]) {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex { !$0.mayStandInScheme }
        let isScheme = bytes.first?.isASCIILetter == true
        self.colon = end.flatMap { isScheme && bytes[$0] == UInt8(ascii: ":") ? $0 : nil }
        self.bytes = bytes
        self.values = values
    }

    /// The problem with a value, if there is one.
    var problem: EndpointPath.Problem? {
        let authority = self.authority
        if let authority, let value = self.values.first(where: { $0.interferes(with: authority) }) {
            // Without a scheme, a value before or between two leading slashes leaves an empty segment between them.
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

    /// True if a value is followed by a colon that would make it a scheme.
    var isSchemeValue: Bool {
        guard let colon, let first = self.values.first else { return false }
        return first.start <= colon && (first.kind != .path || first.end <= colon)
    }

    /// The range of the authority, if there is one (RFC 3986 §3.2).
    private var authority: Range<Int>? {
        let start = self.colon.map { $0 + 1 } ?? 0
        guard self.bytes.count >= start + 2, self.bytes[start] == UInt8(ascii: "/"),
            self.bytes[start + 1] == UInt8(ascii: "/")
        else { return nil }
        return start + 2..<(self.bytes[(start + 2)...].firstIndex(where: \.endsAuthority) ?? self.bytes.endIndex)
    }

    /// Returns true if the path ends with a value of several segments that ends with a slash.
    private func endsWithSlash(_ path: ArraySlice<UInt8>) -> Bool {
        self.values.contains { $0.kind == .segments && $0.start < $0.end && $0.end == path.endIndex }
    }
}

extension ArraySlice<UInt8> {
    /// True if the segment may contain a dot, plain or encoded.
    fileprivate var mayHaveDots: Bool { self.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") } }

    /// The parts between encoded slashes and backslashes: some servers decode these before they resolve dots.
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

    /// True if a resolver may take the segment for `.` or `..`, also encoded (RFC 3986 §6.2.2.2) or with parameters
    /// after a semicolon (§3.3).
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
