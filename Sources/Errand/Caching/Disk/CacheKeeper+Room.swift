internal import Foundation

/// What is known of the folder, and the room in it.
extension CacheKeeper {
    // MARK: - Room

    /// Lets go of what was not used for longest, and of an eighth more than needed, so that this is not done each time.
    ///
    /// - Returns: Whether there may be room now.
    mutating func makeRoom(for size: Int) -> Bool {
        // Others have stored or removed something, or one was killed before it could take note of what it did.
        if let bytes = self.sharedBytes, bytes != self.index?.bytes, !self.scan(self.now()) { return false }
        if self.bytes > self.capacity - size {
            self.letGo(downTo: min(self.capacity - size, self.capacity / 8 * 7))
        }
        return self.bytes <= self.capacity - size
    }

    /// Lets go of entries because the disk has no room for another, and of an eighth of them at least.
    ///
    /// - Returns: Whether there may be room for it now; where all that there is would not do, it is left alone.
    mutating func makeRoomOnDisk(for size: Int) -> Bool {
        let before = self.bytes
        guard size <= before else { return false }
        self.letGo(downTo: before - max(size, before / 8))
        return before - self.bytes >= size
    }

    private mutating func letGo(downTo target: Int) {
        self.takeUses()
        for (digest, entry) in self.index?.leastRecentlyUsed ?? [] where self.bytes > target {
            // What others have used since the index knows of it is spared, and takes its turn according to that.
            self.evict(digest) { $0.lastUse > entry.lastUse + Self.lastUseTolerance }
        }
        for (digest, _) in self.index?.leastRecentlyUsed ?? [] where self.bytes > target {
            self.evict(digest) { _ in false }
        }
    }

    /// Whether an entry has room, as far as is known; to be certain, one needs a turn.
    func hasRoom(for size: Int, _ digest: SHA256) -> Bool {
        self.bytes - (self.index?[digest]?.size ?? 0) + size <= self.capacity
    }

    /// How many bytes all files have that count.
    var bytes: Int { (self.sharedBytes ?? self.index?.bytes ?? 0) + self.partBytes }

    /// Takes over what a turn knows of the bytes.
    mutating func note(_ turn: borrowing FolderTurn) {
        self.sharedBytes = turn.bytes
        if turn.isUncounted { self.hasForeignChanges = true }
    }

    /// By how many seconds the time in a file may be later than the last use that is known, and mean the same use: some
    /// systems set it by themselves, and others set it once in a minute at most.
    private static let lastUseTolerance = 1.0

    /// Lets go of an entry, unless the file that is there now is to stay.
    private mutating func evict(_ digest: SHA256, unless isSpared: (FileFacts) -> Bool) {
        do throws(FileProblem) {
            if case .done = try self.removeFile(digest, unless: isSpared) { self.evictions += 1 }
        } catch {
            self.reports.append(.problem(.unremovable(error)))
        }
    }

    // MARK: - Age

    func isTooOld(_ storedAt: Double) -> Bool { self.now() - storedAt > self.maximumAge }

    /// Lets go of all entries that are too old.
    mutating func evictOld() {
        let oldest = self.now() - self.maximumAge
        let old = self.index?.stored(before: oldest) ?? []
        for digest in old { self.evict(digest) { $0.modified >= oldest } }
        if !old.isEmpty { self.mark = self.folder.mark }
    }

    /// Lets go of an entry if it is too old.
    mutating func evictIfOld(_ digest: SHA256) {
        let mark = self.folder.mark(of: digest)
        guard let item = try? self.folder.item(digest), self.isTooOld(item.storedAt.timeIntervalSince1970) else {
            return
        }
        self.evict(digest) { $0.mark != mark }
        if self.index != nil { self.mark = self.folder.mark }
    }

    // MARK: - The index

    /// Takes the uses that were noted into the index.
    mutating func takeUses() {
        let hasIndex = self.refresh()
        let times = self.uses.takeAll()
        guard hasIndex else { return }
        // Others are on their way to the disk, or gone; so many are not on their way.
        let rest = times.filter { self.index?.use($0, at: $1) != true }
        if rest.count < CacheUses.limit { self.uses.putBack(rest) }
    }

    /// Looks at the folder if the index is not there, or not right any more: others may write to the folder as well.
    ///
    /// That it was others shows in what they write down, and in the time of the folder, unless it was while this one
    /// wrote. So it is looked at from time to time in any case, but not each time, for that costs more than writing.
    ///
    /// - Parameter isWanted: Whether the index should be as right as can be.
    /// - Returns: Whether there is an index now.
    @discardableResult
    mutating func refresh(isWanted: Bool = false) -> Bool {
        let now = self.now()
        guard let mark = self.folder.mark else {
            // Writing makes the folder, or finds out why it cannot be.
            (self.index, self.sharedBytes, self.mark, self.partBytes) = (CacheIndex(), nil, nil, 0)
            return true
        }
        if self.index != nil, let known = self.mark, known.isSameFile(as: mark) {
            let isAsKnown = self.sharedBytes == nil || self.sharedBytes == self.index?.bytes
            self.hasForeignChanges = self.hasForeignChanges || known != mark || !isAsKnown
            let isTime = isWanted || abs(now - self.lastScan) >= 1 || self.bytesSinceScan >= self.capacity / 16
            guard self.hasForeignChanges && isTime || self.bytesSinceScan >= self.capacity / 4 else { return true }
        }
        return self.scan(now)
    }

    /// Reads the whole folder, and removes what is too old in it, and what writers left that have ended.
    private mutating func scan(_ now: Double) -> Bool {
        guard let parts = self.count() else { return false }
        (self.hasForeignChanges, self.lastScan, self.bytesSinceScan) = (false, now, 0)
        self.partBytes = parts.reduce(0) { $0 + self.folder.removePart($1, now: now) }
        if !parts.isEmpty { self.mark = self.folder.mark }
        self.evictOld()
        return true
    }

    /// Makes the index, and tells others how many bytes there are.
    ///
    /// - Returns: The paths of what is to become entries; nothing if the folder cannot be read.
    private mutating func count() -> [String]? {
        let (before, partPath) = (self.index, self.partPath)
        var (index, parts): (CacheIndex, [String]) = (CacheIndex(), [])
        var turn = self.folder.takeTurn()
        let mark = self.folder.mark
        do throws(FileProblem) {
            try self.folder.forEach { item in
                switch item {
                case .entry(let digest, let facts):
                    index[digest] = CacheIndex.Entry(facts)
                    // A use that no file tells of.
                    if let known = before?[digest] { index.use(digest, at: known.lastUse) }
                case .part(let path): if path != partPath { parts.append(path) }
                }
            }
        } catch {
            // Not knowing what is there, nobody could keep the bound.
            guard error.isAbsence else {
                self.reports.append(.problem(.unreadable(error)))
                return nil
            }
        }
        turn.note(bytes: index.bytes)
        self.note(turn)
        // In a turn nobody else has changed it meanwhile.
        (self.index, self.mark) = (index, turn.bytes == nil ? mark : self.folder.mark)
        return parts
    }
}
