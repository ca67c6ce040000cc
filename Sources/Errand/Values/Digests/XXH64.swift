/// The checksum XXH64: fast, and good against accidents; it proves nothing against somebody who means harm.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Returns the checksum of bytes.
    ///
    /// - Complexity: Linear in their number.
    package static func checksum(of bytes: some Collection<UInt8>, seed: UInt64 = 0) -> UInt64 {
        if let sum = bytes.withContiguousStorageIfAvailable({
            unsafe self.checksum(UnsafeRawBufferPointer($0), seed)
        }) {
            return sum
        }
        return unsafe Array(bytes).withUnsafeBytes { unsafe self.checksum($0, seed) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        var offset = 0
        var sum = seed &+ self.prime5
        if bytes.count >= 32 { sum = unsafe self.stripes(bytes, seed, &offset) }
        sum &+= UInt64(bytes.count)
        // All loads below stay within the bytes: each looks at what is left first.
        while offset + 8 <= bytes.count {
            let word = UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            sum = self.rotate(sum ^ self.round(0, word), 27) &* self.prime1 &+ self.prime4
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let word = UInt32(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            sum = self.rotate(sum ^ UInt64(word) &* self.prime1, 23) &* self.prime2 &+ self.prime3
            offset += 4
        }
        while offset < bytes.count {
            sum = self.rotate(sum ^ UInt64(unsafe bytes[offset]) &* self.prime5, 11) &* self.prime1
            offset += 1
        }
        sum = (sum ^ sum >> 33) &* self.prime2
        sum = (sum ^ sum >> 29) &* self.prime3
        return sum ^ sum >> 32
    }

    /// Takes all whole stripes of 32 bytes.
    private static func stripes(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64, _ offset: inout Int) -> UInt64 {
        var (a, b) = (seed &+ self.prime1 &+ self.prime2, seed &+ self.prime2)
        var (c, d) = (seed, seed &- self.prime1)
        guard var next = bytes.baseAddress else { return seed }
        // Counted before, so that nothing has to be looked at in between: most of the time goes here.
        for _ in 0..<bytes.count / 32 {
            a = self.round(a, UInt64(littleEndian: unsafe next.loadUnaligned(as: UInt64.self)))
            b = self.round(b, UInt64(littleEndian: unsafe next.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            c = self.round(c, UInt64(littleEndian: unsafe next.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
            d = self.round(d, UInt64(littleEndian: unsafe next.loadUnaligned(fromByteOffset: 24, as: UInt64.self)))
            unsafe next += 32
        }
        offset = bytes.count / 32 * 32
        var sum = self.rotate(a, 1) &+ self.rotate(b, 7) &+ self.rotate(c, 12) &+ self.rotate(d, 18)
        for lane in [a, b, c, d] { sum = (sum ^ self.round(0, lane)) &* self.prime1 &+ self.prime4 }
        return sum
    }

    private static func round(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        self.rotate(sum &+ word &* self.prime2, 31) &* self.prime1
    }

    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word &<< count | word &>> (64 &- count)
    }
}
