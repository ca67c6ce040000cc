/// The bytes of a connection that were received and not read yet.
struct LoopbackInput {
    /// What looking for the next line found.
    enum Line {
        /// A whole line without its end; the range is valid until the next `append`.
        case found(Range<Int>)
        case incomplete
        case tooLong
        case malformed
    }

    /// The storage; what was read already is still at its beginning.
    private(set) var bytes: [UInt8] = []
    private var start = 0
    private var searched = 0

    /// The number of bytes not read yet.
    var count: Int { bytes.count - start }

    /// The next byte.
    var first: UInt8? { start < bytes.count ? bytes[start] : nil }

    /// Adds received bytes.
    mutating func append(_ received: ArraySlice<UInt8>) {
        if start == bytes.count {
            discard()
        } else if start > 65_536 {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: received)
    }

    /// Throws everything away.
    mutating func discard() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 262_144)
        start = 0
        searched = 0
    }

    /// Reads a line that ends with CR LF and has at most `limit` bytes; no byte is looked at twice.
    mutating func readLine(limit: Int) -> Line {
        guard let end = bytes[searched...].firstIndex(of: LoopbackSyntax.lineFeed) else {
            searched = bytes.count
            // The last byte may be the CR of a line that fits.
            return count - 1 > limit ? .tooLong : .incomplete
        }
        let line = start..<max(start, end - 1)
        guard end > start, bytes[end - 1] == LoopbackSyntax.carriageReturn else { return .malformed }
        guard line.count <= limit else { return .tooLong }
        start = end + 1
        searched = start
        return .found(line)
    }

    /// Reads as many bytes as there are, at most `limit`.
    mutating func readBytes(atMost limit: Int) -> ArraySlice<UInt8> {
        let end = start + min(limit, count)
        defer {
            start = end
            searched = end
        }
        return bytes[start..<end]
    }
}
