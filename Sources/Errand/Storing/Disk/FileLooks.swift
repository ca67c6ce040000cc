internal import ErrandLocks

/// What this process saw when it last looked at the entry files that it read: others may have changed them since.
final class FileLooks: Sendable {
    struct Look {
        let size: Int
        /// The time of the last use in the file, in seconds since 1970.
        let lastUse: Double
    }

    private let looks = Locked<[SHA256: Look]>([:])

    /// So many are held; what is forgotten is looked at once more.
    private static let limit = 4096

    func last(_ digest: SHA256) -> Look? {
        self.looks.withLock { $0[digest] }
    }

    func note(_ digest: SHA256, _ look: Look) {
        self.looks.withLock { looks in
            if looks.count >= Self.limit { looks = [:] }
            looks[digest] = look
        }
    }
}
