internal import Foundation

/// Creates gzip files (RFC 1952) without a library, including small ones that inflate to a lot.
enum ConformanceGzip {
    private static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])

    /// Returns a file with the content in stored blocks (RFC 1951 §3.2.4).
    static func stored(_ content: Data) -> Data {
        precondition(content.count < 1 << 16, "more than one block")
        let size = UInt16(content.count)
        let block = Data([1]) + Self.bytes(size) + Self.bytes(~size) + content
        return Self.header + block + Self.trailer(of: content)
    }

    /// Returns a file that inflates to one byte and `matches` times 258 repetitions of it (RFC 1951 §3.2.6), compressed
    /// a thousandfold.
    ///
    /// - Parameters:
    ///   - byte: The byte, below 144.
    ///   - matches: The number of times that 258 bytes are repeated.
    ///   - isChecked: True for a correct checksum, which takes a while for a large file.
    /// - Returns: The file.
    static func repeating(_ byte: UInt8, matches: Int, isChecked: Bool = true) -> Data {
        var bits = Bits()
        bits.append([1, 1, 0])
        bits.append(code: 0x30 + UInt32(byte), length: 8)
        for _ in 0..<matches {
            bits.append(code: 0xC5, length: 8)
            bits.append(code: 0, length: 5)
        }
        bits.append(code: 0, length: 7)
        let content = isChecked ? Data(repeating: byte, count: matches * 258 + 1) : Data()
        return Self.header + bits.bytes + Self.trailer(of: content)
    }

    private static func trailer(of content: Data) -> Data {
        Self.bytes(Self.checksum(of: content)) + Self.bytes(UInt32(content.count))
    }

    private static func bytes(_ number: some FixedWidthInteger) -> Data {
        Data((0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// The table of the checksum.
    private static let sums: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    /// Returns the CRC-32 of RFC 1952 §8.
    private static func checksum(of content: Data) -> UInt32 {
        ~content.reduce(~0) { sum, byte in Self.sums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    }
}

/// Bits in the order of RFC 1951 §3.1.1.
private struct Bits {
    private(set) var bytes = Data()
    private var count = 0

    mutating func append(_ bits: [UInt8]) {
        for bit in bits {
            if self.count % 8 == 0 { self.bytes.append(0) }
            self.bytes[self.count / 8] |= bit << UInt8(self.count % 8)
            self.count += 1
        }
    }

    /// Appends a Huffman code, whose first bit is its highest.
    mutating func append(code: UInt32, length: Int) {
        self.append((0..<length).reversed().map { UInt8(code >> UInt32($0) & 1) })
    }
}
