internal import Foundation

/// Zeros, packed as well as a format can.
enum PackedZeros {
    /// One zero and `matches` times 258 more, in zlib's own format (RFC 1950): 1032 of them in a byte.
    static func deflate(matches: Int) -> Data {
        var bits = Bits()
        // The last block, with codes of its own (RFC 1951 §3.2.7): 286 of them, and one for distances.
        bits.append(1, 1)
        bits.append(2, 2)
        bits.append(29, 5)
        bits.append(0, 5)
        bits.append(14, 4)
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
            bits.append([18: 1, 2: 2, 1: 2][symbol] ?? 0, 3)
        }
        // A zero and the end have codes of two bits, the longest match and the shortest distance codes of one.
        bits.append(code: "11")
        bits.appendGap(138)
        bits.appendGap(117)
        bits.append(code: "11")
        bits.appendGap(28)
        bits.append(code: "1010")
        bits.append(code: "10")
        for _ in 0..<matches { bits.append(code: "00") }
        bits.append(code: "11")
        let count = 1 + matches * 258
        let checksum = UInt32(count % 65_521) << 16 | 1
        return Data([0x78, 0xDA]) + bits.bytes + Data((0..<4).reversed().map { UInt8(checksum >> (8 * $0) & 0xFF) })
    }

    /// So many times 128 KiB, in a format that takes four bytes for each (RFC 8878 §3.1.1.2.2).
    static func zstd(blocks: Int) -> Data {
        // Of no known size, with a window of 128 KiB.
        var data = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38])
        for number in 1...max(1, blocks) {
            let header = UInt32(1 << 17) << 3 | 1 << 1 | (number == blocks ? 1 : 0)
            data += Data([UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0])
        }
        return data
    }

    /// Bits in the order of RFC 1951 §3.1.1.
    private struct Bits {
        private(set) var bytes = Data()
        private var count = 0

        mutating func append(_ value: Int, _ length: Int) {
            for index in 0..<length {
                if self.count % 8 == 0 { self.bytes.append(0) }
                if value >> index & 1 == 1 { self.bytes[self.count / 8] |= 1 << UInt8(self.count % 8) }
                self.count += 1
            }
        }

        mutating func append(code: String) {
            for digit in code { self.append(digit == "1" ? 1 : 0, 1) }
        }

        /// So many symbols that have no code.
        mutating func appendGap(_ count: Int) {
            self.append(code: "0")
            self.append(count - 11, 7)
        }
    }
}
