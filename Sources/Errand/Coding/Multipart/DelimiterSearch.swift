internal import Foundation

/// Searches for the delimiter of a form in the content of a part, which may come in pieces (RFC 2046 §5.1.1).
struct DelimiterSearch {
    private let delimiter: [UInt8]
    /// The failure table: the length of the longest prefix of the delimiter that can continue after a mismatch.
    private let restarts: [Int]
    private var seen = 0

    /// Creates a search for a delimiter, which must not be empty.
    init(for delimiter: [UInt8]) {
        var (restarts, length) = ([0, 0], 0)
        for byte in delimiter.dropFirst() {
            while length > 0, delimiter[length] != byte { length = restarts[length] }
            if delimiter[length] == byte { length += 1 }
            restarts.append(length)
        }
        self.delimiter = delimiter
        self.restarts = restarts
    }

    /// Searches the next piece; returns true if the delimiter ends in it.
    ///
    /// - Complexity: Linear in the size of the piece.
    mutating func finds(in piece: Data) -> Bool {
        // Safe: only bytes of the piece are read, and only within this closure.
        unsafe piece.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                if self.seen == 0 {
                    guard let first = unsafe Self.firstIndex(of: self.delimiter[0], in: bytes, from: index) else {
                        return false
                    }
                    index = first
                }
                let byte = unsafe bytes[index]
                while self.seen > 0, self.delimiter[self.seen] != byte { self.seen = self.restarts[self.seen] }
                if self.delimiter[self.seen] == byte { self.seen += 1 }
                if self.seen == self.delimiter.count {
                    self.seen = 0
                    return true
                }
                index += 1
            }
            return false
        }
    }

    /// Most content has no byte of a delimiter: the system searches for the first one.
    private static func firstIndex(of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress,
            let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
        else { return nil }
        return unsafe base.distance(to: UnsafeRawPointer(found))
    }
}
