/// The received bytes of a connection that have not been read yet.
struct LoopbackInput {
    /// The result of looking for the next line.
    enum Line {
        /// A complete line without its terminator; the range is valid until the next `append`.
        case found(Range<Int>)
        case incomplete
        case tooLong
        case malformed
    }

    /// The storage, which still has bytes that were read at its beginning.
    private(set) var bytes: [UInt8] = []
    private var start = 0
    private var searched = 0

    /// The number of unread bytes.
    var count: Int { bytes.count - start }

    /// The next byte.
    var first: UInt8? { start < bytes.count ? bytes[start] : nil }

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

    /// Discards all bytes.
    mutating func discard() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 262_144)
        start = 0
        searched = 0
    }

    /// Reads a line that ends with CR LF and has at most `limit` bytes; each byte is scanned only once.
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

    /// Reads the available bytes, at most `limit`.
    mutating func readBytes(atMost limit: Int) -> ArraySlice<UInt8> {
        let end = start + min(limit, count)
        defer {
            start = end
            searched = end
        }
        return bytes[start..<end]
    }
}
