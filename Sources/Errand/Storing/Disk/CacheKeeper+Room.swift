internal import Foundation

/// What is known of the folder, and the room in it.
extension CacheKeeper {
    // MARK: - Room

    /// Lets go of what was not used for longest, and of an eighth more than needed, so that this is not done each time.
    ///
    /// - Returns: Whether there may be room now.
    mutating func makeRoom(for size: Int) -> Bool {
        // Whoever was at work on them may have been killed.
        self.lookAtParts()
        let room = self.capacity - size
        guard self.partBytes <= room else { return false }
        // Others have stored something that is not in the index, or one was killed before it took note of what it did.
        let isUnknown = self.bytes - room > self.index?.bytes ?? 0
        if isUnknown || self.hasForeignChanges && self.isTimeToScan, !self.scan(isStoring: true) { return false }
        self.letGo(for: room)
        // What was to go may have gone before, and something else come.
        if self.bytes > room, self.hasForeignChanges, self.scan(isStoring: true) { self.letGo(for: room) }
        return self.bytes <= room
    }

    /// Removes what others have left, and forgets what they have finished.
    private mutating func lookAtParts() {
        guard !self.parts.isEmpty else { return }
        let now = self.now()
        self.parts = self.parts.compactMap { part in
            let size = self.folder.removePart(part.path, now: now)
            return size > 0 ? (part.path, size) : nil
        }
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

    private mutating func letGo(for room: Int) {
        if self.bytes > room { self.letGo(downTo: min(room, self.capacity / 8 * 7)) }
    }

    /// So many that cannot be removed are enough for once.
    static let mostFailures = 16

    private mutating func letGo(downTo target: Int) {
        self.takeUses()
        // What others have used since the index knows of it is spared first, and takes its turn according to that.
        for isSparing in [true, false] {
            let old = self.index?.leastRecentlyUsed.filter { !self.unremovable.contains($0.key) }
            if self.letGo(downTo: target, old ?? [], isSparing) || self.bytes <= target { return }
        }
        let refused = self.index?.leastRecentlyUsed.filter { self.unremovable.contains($0.key) }
        _ = self.letGo(downTo: target, refused ?? [], false)
    }

    /// - Returns: Whether it ended because of what cannot be removed.
    private mutating func letGo(
        downTo target: Int, _ entries: [(key: SHA256, value: CacheIndex.Entry)], _ isSparing: Bool
    ) -> Bool {
        var failures = 0
        for (digest, entry) in entries where self.bytes > target {
            let latest = isSparing ? entry.lastUse + Self.lastUseTolerance : .infinity
            if !self.evict(digest, unless: { $0.lastUse > latest }) { failures += 1 }
            if failures == Self.mostFailures { return true }
        }
        return false
    }

    /// Whether an entry has room, as far as is known; to be certain, one needs a turn.
    func hasRoom(for size: Int, _ digest: SHA256) -> Bool {
        self.bytes - (self.index?[digest]?.size ?? 0) + size <= self.capacity
    }

    /// How many bytes all files have that count.
    var bytes: Int { (self.sharedBytes ?? self.index?.bytes ?? 0) + self.partBytes }

    /// How many bytes there are in files that others are at work on.
    private var partBytes: Int { self.parts.reduce(0) { $0 + $1.size } }

    /// Waits for others who change the folder, and notices whether they have.
    mutating func takeTurn() -> FolderTurn {
        let turn = self.folder.takeTurn()
        if turn.changes != self.changes { self.hasForeignChanges = true }
        return turn
    }

    /// Takes over what a turn knows.
    mutating func note(_ turn: borrowing FolderTurn) {
        self.sharedBytes = turn.bytes
        self.changes = turn.changes
        if turn.isUncounted { self.hasForeignChanges = true }
    }

    /// By how many seconds the time in a file may be later than the last use that is known, and mean the same use: some
    /// systems set it by themselves, and others set it once in a minute at most.
    private static let lastUseTolerance = 1.0

    /// Lets go of an entry, unless the file that is there now is to stay.
    ///
    /// - Returns: Whether it could be removed, if that was to be.
    @discardableResult
    private mutating func evict(_ digest: SHA256, unless isSpared: (FileFacts) -> Bool) -> Bool {
        do throws(FileProblem) {
            if case .done = try self.removeFile(digest, unless: isSpared) { self.evictions += 1 }
            self.unremovable.remove(digest)
            return true
        } catch {
            self.reports.append(.problem(.unremovable(error)))
            self.unremovable.insert(digest)
            return false
        }
    }

    // MARK: - Age

    func isTooOld(_ storedAt: Double) -> Bool { self.now() - storedAt > self.maximumAge }

    /// Looks at the age of entries so often that none is kept for much longer than it may be.
    private mutating func evictOldFromTimeToTime() {
        let step = min(3600, max(1, self.maximumAge / 10))
        if abs(self.now() - self.lastLookAtAge) >= step { self.evictOld() }
    }

    /// Lets go of all entries that are too old.
    mutating func evictOld() {
        self.lastLookAtAge = self.now()
        let oldest = self.lastLookAtAge - self.maximumAge
        let old = self.index?.stored(before: oldest) ?? []
        var failures = 0
        for digest in old where failures < Self.mostFailures {
            if !self.evict(digest, unless: { $0.modified >= oldest }) { failures += 1 }
        }
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
    /// wrote. So it is looked at from time to time, but not each time, for that costs more than writing.
    ///
    /// - Parameters:
    ///   - isWanted: Whether the index should be as right as can be.
    ///   - isStoring: Whether something is to be stored.
    /// - Returns: Whether there is an index now.
    @discardableResult
    mutating func refresh(isWanted: Bool = false, isStoring: Bool = false) -> Bool {
        guard let mark = self.folder.mark else {
            // Writing makes the folder, or finds out why it cannot be.
            (self.index, self.sharedBytes, self.changes, self.mark, self.parts) = (CacheIndex(), nil, nil, nil, [])
            return true
        }
        if self.index != nil, let known = self.mark, known.isSameFile(as: mark) {
            if isWanted {
                let turn = self.takeTurn()
                self.note(turn)
            }
            self.hasForeignChanges = self.hasForeignChanges || known != mark
            let isTime = isWanted || self.isTimeToScan || isStoring && self.hasToCount
            guard self.hasForeignChanges && isTime || self.mayBeMistaken(isWanted) else {
                self.evictOldFromTimeToTime()
                return true
            }
        }
        return self.scan(isStoring: isStoring)
    }

    /// Whether looking through the folder again costs little of the time that has passed since.
    private var isTimeToScan: Bool {
        abs(self.now() - self.lastScan) >= max(1, 20 * self.scanTime)
            || self.isAlone && self.bytesSinceScan >= self.capacity / 16
    }

    /// Whether the index may be wrong without a sign of it.
    private func mayBeMistaken(_ isWanted: Bool) -> Bool {
        self.isAlone && (isWanted || self.bytesSinceScan >= self.capacity / 4)
    }

    /// Whether others write nothing down that could be counted on.
    private var isAlone: Bool { self.sharedBytes == nil }

    /// Reads the whole folder, and removes what is too old in it, and what writers left that have ended.
    ///
    /// - Returns: Whether the folder could be read.
    mutating func scan(isStoring: Bool = false) -> Bool {
        let start = ContinuousClock.now
        guard self.count(isStoring: isStoring) else { return false }
        (self.lastScan, self.bytesSinceScan) = (self.now(), 0)
        self.scanTime = (ContinuousClock.now - start) / .seconds(1)
        let partCount = self.parts.count
        self.lookAtParts()
        if self.parts.count < partCount { self.mark = self.folder.mark }
        self.evictOld()
        return true
    }

    /// Makes the index, and tells others how many bytes there are if they do not know, and something is to be stored.
    ///
    /// - Returns: Whether the folder could be read.
    private mutating func count(isStoring: Bool) -> Bool {
        var turn = self.folder.takeTurn()
        self.note(turn)
        self.hasForeignChanges = false
        self.hasToCount = turn.isUncounted && !isStoring
        // With a turn hardly anything changes meanwhile, but others wait: that is for the first who counts.
        if turn.isUncounted && isStoring {
            let mark = self.folder.mark
            guard self.readFolder(showing: { turn.showProgress() }) else { return false }
            turn.note(bytes: self.index?.bytes ?? 0)
            self.note(turn)
            self.mark = turn.bytes == nil ? mark : self.folder.mark
            return true
        }
        return self.countBeside(consume turn)
    }

    /// Makes the index while others may change the folder.
    private mutating func countBeside(_ turn: consuming FolderTurn) -> Bool {
        self.mark = self.folder.mark
        _ = consume turn
        guard self.readFolder() else { return false }
        var turn = self.folder.takeTurn()
        if turn.changes != self.changes || (turn.bytes == nil) != (self.sharedBytes == nil) {
            // It may be right or not; what others have written down is.
            self.hasForeignChanges = true
        } else if let bytes = turn.bytes, bytes != self.index?.bytes {
            turn.note(bytes: self.index?.bytes ?? 0)
        }
        self.note(turn)
        return true
    }

    /// - Parameter progress: Called for each file that was looked at.
    /// - Returns: Whether the folder could be read.
    private mutating func readFolder(showing progress: () -> Void = {}) -> Bool {
        let (before, partPath) = (self.index, self.partPath)
        var (index, parts): (CacheIndex, [(path: String, size: Int)]) = (CacheIndex(), [])
        var (unknown, problem): ([SHA256], FileProblem?) = ([], nil)
        do throws(FileProblem) {
            try self.folder.forEach { item in
                progress()
                switch item {
                case .entry(let digest, let facts):
                    index[digest] = CacheIndex.Entry(facts)
                    // A use that no file tells of.
                    if let known = before?[digest] { index.use(digest, at: known.lastUse) }
                case .part(let path, let size): if path != partPath { parts.append((path, size)) }
                case .unknown(let digest, let reason):
                    unknown.append(digest)
                    problem = reason
                }
            }
        } catch {
            // Not knowing what is there, nobody could keep the bound.
            guard error.isAbsence else {
                self.reports.append(.problem(.unreadable(error)))
                self.hasForeignChanges = true
                return false
            }
        }
        (self.index, self.parts, self.unknown) = (index, parts, unknown)
        if let problem { self.reports.append(.problem(.unreadable(problem))) }
        self.unremovable = self.unremovable.filter { index[$0] != nil }
        return true
    }
}
