/// The contents of the lock file, for the next owner of the lock.
struct FolderRecord {
    /// The size of all entries with their bodies.
    var bytes = 0
    var entries = 0
    /// In seconds since 1970.
    var countedAt = -Double.infinity

    static let size = 40
    /// `ERRLOCK3`.
    private static let magic: UInt64 = 0x334B_434F_4C52_5245

    init(countedAt: Double = -.infinity) {
        self.countedAt = countedAt
    }

    /// - Returns: `nil` if the bytes are not a valid record, or if a process died during a change.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, var reader = CheckedNumbers.reader(of: bytes[...]),
            (try? reader.number()) == Self.magic, let size = try? reader.number(), let count = try? reader.number(),
            max(size, count) < 1 << 60, let time = try? reader.number()
        else { return nil }
        (self.bytes, self.entries, self.countedAt) = (Int(size), Int(count), Double(bitPattern: time))
    }

    var stored: [UInt8] {
        CheckedNumbers.bytes([
            Self.magic, UInt64(max(0, self.bytes)), UInt64(max(0, self.entries)), self.countedAt.bitPattern,
        ])
    }

    /// The contents while a change is in progress.
    static let mark = [UInt8](repeating: 0xFF, count: FolderRecord.size)
}
