internal import struct Foundation.Data

/// The digest SHA-256 (FIPS 180-4).
///
/// The platforms have no common implementation, and the input is short.
package struct SHA256: Sendable, Hashable, CustomStringConvertible {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes of a digest.
    package static let size = 32

    /// Computes the digest of pieces from a function, until a piece is empty.
    init<Failure: Error>(of next: () async throws(Failure) -> Data) async throws(Failure) {
        var machine = Compression()
        while true {
            let piece = try await next()
            guard !piece.isEmpty else { break }
            unsafe piece.withUnsafeBytes { unsafe machine.take($0) }
        }
        self.state = machine.finish()
    }

    /// Computes the digest of bytes.
    ///
    /// - Complexity: Linear in their number.
    package init(of bytes: some Collection<UInt8>) {
        var machine = Compression()
        if bytes.withContiguousStorageIfAvailable({ unsafe machine.take(UnsafeRawBufferPointer($0)) }) == nil {
            unsafe Array(bytes).withUnsafeBytes { unsafe machine.take($0) }
        }
        self.state = machine.finish()
    }

    /// Computes the digest of a text in UTF-8.
    package init(of text: String) {
        self.init(of: text.utf8)
    }

    /// Creates a digest from its bytes; `nil` if there are not 32.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        var state: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for byte in bytes {
            // Each byte shifts the previous ones to the left, across word boundaries.
            state.0 = state.0 << 8 | state.1 >> 56
            state.1 = state.1 << 8 | state.2 >> 56
            state.2 = state.2 << 8 | state.3 >> 56
            state.3 = state.3 << 8 | UInt64(byte)
        }
        self.state = state
    }

    /// Creates a digest from its four words.
    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.state = words
    }

    /// Parses a digest in lower-case hexadecimal digits.
    package init?(digits: some Collection<UInt8>) {
        let values = digits.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard values.count == digits.count, values.count == 2 * Self.size else { return nil }
        self.init(bytes: stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }

    /// The first hexadecimal digit, as a number.
    var firstDigit: Int { Int(self.state.0 >> 60) }

    /// The digest as four words.
    var words: [UInt64] { [self.state.0, self.state.1, self.state.2, self.state.3] }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        self.words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    /// The digest in lower-case hexadecimal digits.
    package var description: String { self.description(between: "", "") }

    /// Returns the digits with a prefix and a suffix, in one allocation.
    func description(between prefix: String, _ suffix: String) -> String {
        unsafe self.withDescription(between: prefix, suffix) { unsafe String(cString: $0) }
    }

    /// Calls a function with the digits as a C string.
    func withDescription<Result: ~Copyable, Failure: Error>(
        between prefix: String, _ suffix: String, _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (start, end) = (prefix.utf8.count, prefix.utf8.count + 2 * Self.size)
        let count = end + suffix.utf8.count
        let (a, b, c, d) = self.state
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) {
            room throws(Failure) -> Result in
            // The whole buffer is initialized: each word fills 16 of the 64 digits between the texts.
            _ = unsafe room[..<start].initialize(fromContentsOf: prefix.utf8)
            unsafe Self.write(a, into: room, at: start)
            unsafe Self.write(b, into: room, at: start + 16)
            unsafe Self.write(c, into: room, at: start + 32)
            unsafe Self.write(d, into: room, at: start + 48)
            _ = unsafe room[end...].initialize(fromContentsOf: suffix.utf8)
            unsafe room[count] = 0
            // The buffer has room for the terminator at least.
            let text = unsafe UnsafeRawPointer(room.baseAddress.unsafelyUnwrapped).assumingMemoryBound(to: CChar.self)
            return try unsafe body(text)
        }
    }

    /// Writes the 16 digits of a word.
    private static func write(_ word: UInt64, into room: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        var rest = word
        for index in start..<start + 16 {
            rest = rest << 4 | rest >> 60
            let digit = UInt8(truncatingIfNeeded: rest) & 0xF
            unsafe room[index] = digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
    }

    /// Returns true if two digests are equal.
    package static func == (left: SHA256, right: SHA256) -> Bool { left.state == right.state }

    /// Feeds the digest to a hasher.
    package func hash(into hasher: inout Hasher) {
        // Any part of a digest is sufficiently random.
        hasher.combine(self.state.0)
    }
}

/// The working state of SHA-256.
private struct Compression {
    private var a: UInt32 = 0x6a09_e667
    private var b: UInt32 = 0xbb67_ae85
    private var c: UInt32 = 0x3c6e_f372
    private var d: UInt32 = 0xa54f_f53a
    private var e: UInt32 = 0x510e_527f
    private var f: UInt32 = 0x9b05_688c
    private var g: UInt32 = 0x1f83_d9ab
    private var h: UInt32 = 0x5be0_cd19
    private var tail: [UInt8] = []
    private var count: UInt64 = 0

    private static let blockSize = 64

    /// The first bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// Processes the next bytes.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        self.count += UInt64(bytes.count)
        var offset = 0
        if !self.tail.isEmpty {
            offset = min(Self.blockSize - self.tail.count, bytes.count)
            unsafe self.tail.append(contentsOf: bytes[..<offset])
            guard self.tail.count == Self.blockSize else { return }
            let block = self.tail
            self.tail.removeAll(keepingCapacity: true)
            unsafe block.withUnsafeBytes { unsafe self.compress($0) }
        }
        while bytes.count - offset >= Self.blockSize {
            unsafe self.compress(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.blockSize]))
            offset += Self.blockSize
        }
        unsafe self.tail.append(contentsOf: bytes[offset...])
    }

    mutating func finish() -> (UInt64, UInt64, UInt64, UInt64) {
        var end = self.tail
        end.reserveCapacity(2 * Self.blockSize)
        end.append(0x80)
        let rest = (2 * Self.blockSize - 8 - end.count) % Self.blockSize
        end.append(contentsOf: repeatElement(0, count: rest))
        let bits = self.count &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            end.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        unsafe end.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: Self.blockSize) {
                unsafe self.compress(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.blockSize]))
            }
        }
        func join(_ high: UInt32, _ low: UInt32) -> UInt64 { UInt64(high) << 32 | UInt64(low) }
        return (join(self.a, self.b), join(self.c, self.d), join(self.e, self.f), join(self.g, self.h))
    }

    private mutating func compress(_ block: UnsafeRawBufferPointer) {
        // On the stack: an array would check uniqueness and bounds for each word.
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            unsafe Self.constants.withUnsafeBufferPointer { constants in
                unsafe self.compress(block, schedule, constants)
            }
        }
    }

    private mutating func compress(
        _ block: UnsafeRawBufferPointer, _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        for index in 0..<16 {
            unsafe schedule[index] = UInt32(
                bigEndian: unsafe block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        for index in 16..<64 {
            let (early, late) = unsafe (schedule[index - 15], schedule[index - 2])
            let sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            unsafe schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
        }
        // The words are renamed from round to round instead of being moved.
        func round(
            _ index: Int, _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32,
            _ g: UInt32, _ h: inout UInt32
        ) {
            let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let choice = e & f ^ ~e & g
            let first = h &+ sum1 &+ choice &+ (unsafe constants[index]) &+ (unsafe schedule[index])
            let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = a & b ^ a & c ^ b & c
            d &+= first
            h = first &+ sum0 &+ majority
        }
        var (a, b, c, d, e, f, g, h) = (self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h)
        for index in stride(from: 0, to: 64, by: 8) {
            round(index, a, b, c, &d, e, f, g, &h)
            round(index + 1, h, a, b, &c, d, e, f, &g)
            round(index + 2, g, h, a, &b, c, d, e, &f)
            round(index + 3, f, g, h, &a, b, c, d, &e)
            round(index + 4, e, f, g, &h, a, b, c, &d)
            round(index + 5, d, e, f, &g, h, a, b, &c)
            round(index + 6, c, d, e, &f, g, h, a, &b)
            round(index + 7, b, c, d, &e, f, g, h, &a)
        }
        self.a &+= a
        self.b &+= b
        self.c &+= c
        self.d &+= d
        self.e &+= e
        self.f &+= f
        self.g &+= g
        self.h &+= h
    }
}
