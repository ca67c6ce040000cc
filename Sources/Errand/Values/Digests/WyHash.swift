/// The checksum wyhash, in its final version 4: fast, and reliable against accidental changes only.
///
/// Each 16 bytes are two numbers, whose 128-bit product is folded.
package enum WyHash {
    private static let secret0: UInt64 = 0xA076_1D64_78BD_642F
    private static let secret1: UInt64 = 0xE703_7ED1_A0B4_28DB
    private static let secret2: UInt64 = 0x8EBC_6AF0_9C88_C6E3
    private static let secret3: UInt64 = 0x5899_65CC_7537_4CC3

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
        var sum = seed ^ self.fold(seed ^ self.secret0, self.secret1)
        let (a, b) = bytes.count > 16 ? unsafe self.long(bytes, &sum) : unsafe self.short(bytes)
        let product = (a ^ self.secret1).multipliedFullWidth(by: b ^ sum)
        return self.fold(product.low ^ self.secret0 ^ UInt64(bytes.count), product.high ^ self.secret1)
    }

    /// Processes all but the last 16 bytes, and returns those; they may overlap processed ones.
    private static func long(_ bytes: UnsafeRawBufferPointer, _ sum: inout UInt64) -> (UInt64, UInt64) {
        // All loads stay within the bytes: each is of remaining bytes.
        var (next, left) = (0, bytes.count)
        if left > 48 {
            var (second, third) = (sum, sum)
            while left > 48 {
                sum = unsafe self.fold(self.word(bytes, next) ^ self.secret1, self.word(bytes, next + 8) ^ sum)
                second = unsafe self.fold(
                    self.word(bytes, next + 16) ^ self.secret2, self.word(bytes, next + 24) ^ second)
                third = unsafe self.fold(
                    self.word(bytes, next + 32) ^ self.secret3, self.word(bytes, next + 40) ^ third)
                (next, left) = (next &+ 48, left &- 48)
            }
            sum ^= second ^ third
        }
        while left > 16 {
            sum = unsafe self.fold(self.word(bytes, next) ^ self.secret1, self.word(bytes, next + 8) ^ sum)
            (next, left) = (next &+ 16, left &- 16)
        }
        return unsafe (self.word(bytes, bytes.count - 16), self.word(bytes, bytes.count - 8))
    }

    /// Returns the two numbers of at most 16 bytes.
    private static func short(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        let count = bytes.count
        guard count >= 4 else {
            guard count > 0 else { return (0, 0) }
            // The first, the middle and the last byte: all there are.
            let (first, middle) = unsafe (UInt64(bytes[0]), UInt64(bytes[count / 2]))
            return unsafe (first << 16 | middle << 8 | UInt64(bytes[count - 1]), 0)
        }
        func half(_ offset: Int) -> UInt64 {
            UInt64(UInt32(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        let inner = count / 8 * 4
        return (half(0) << 32 | half(inner), half(count - 4) << 32 | half(count - 4 - inner))
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}
