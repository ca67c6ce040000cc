internal import Foundation

/// The writing side of a disk cache, and what it knows of the folder; used by one thread at a time.
struct CacheKeeper {
    /// What came of a change.
    enum Report {
        case problem(CacheProblem)
        case wrote(SHA256)
    }

    var evictions = 0
    private(set) var corruptions = 0

    let folder: CacheFolder
    let capacity: Int
    /// In seconds.
    let maximumAge: Double
    let now: @Sendable () -> Double
    /// What this process used, and is not in the index yet.
    let uses: CacheUses

    /// Nothing until it is needed.
    var index: CacheIndex?
    /// Files that others were at work on at the last look, or that cannot be removed, and how many bytes they had.
    var parts: [(path: String, size: Int)] = []
    /// The folder as it was after the last change of ours; others who write make it differ.
    var mark: FileMark?
    var hasForeignChanges = false
    var lastScan = -Double.infinity
    /// How long that took.
    var scanTime = 0.0
    var bytesSinceScan = 0
    /// What is about to become an entry.
    private(set) var partPath: String?
    /// How many bytes all entries had after the last change, those of others included; `nil` if that is not known.
    var sharedBytes: Int?
    /// Tells whether others have changed something since the last change.
    var changes: UInt64?
    var reports: [Report] = []
    /// Whether nobody has counted the bytes, and the last who looked did not, for it stored nothing.
    var hasToCount = false
    /// Entries of which the system told nothing at the last look.
    var unknown: [SHA256] = []
    /// Entries that could not be let go of.
    var unremovable: Set<SHA256> = []
    /// When entries were last looked at for their age.
    var lastLookAtAge = -Double.infinity
    /// When the disk was full although room was made: more of that is no use for a while, unless something can be
    /// written again.
    private var diskWasFull = -Double.infinity
    private static let diskPatience = 60.0

    init(
        _ folder: CacheFolder, capacity: Int, maximumAge: Double, uses: CacheUses,
        now: @escaping @Sendable () -> Double
    ) {
        self.folder = folder
        self.capacity = capacity
        self.maximumAge = maximumAge
        self.uses = uses
        self.now = now
    }

    /// Returns what was to be told since the last call.
    mutating func takeReports() -> [Report] {
        defer { self.reports = [] }
        return self.reports
    }

    // MARK: - Changes

    /// Brings a change to the disk.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - key: The key.
    ///   - isFinal: Whether an entry takes the place of any, for that was to go.
    /// - Returns: Whether the folder has, for this key, the entry, one that was asked for later, or none; otherwise an
    ///   older one is still there, or nobody can tell.
    mutating func carryOut(_ change: CacheChanges.Change, for key: CacheKey, isFinal: Bool) -> Bool {
        let digest = key.digest
        guard case .entry(var entry) = change else { return self.remove(digest) != nil }
        if isFinal { entry.receivedAt = nil }
        return self.write(entry, key, digest) || self.remove(digest, unless: { $0.outdo(entry) }) != nil
    }

    /// Reads an entry that looked damaged once more, and removes it if it is.
    ///
    /// - Parameters:
    ///   - digest: That of its key.
    ///   - limit: How many bytes are read at most.
    /// - Returns: What came of it.
    mutating func removeIfDamaged(_ digest: SHA256, limit: Int) -> CacheSweep {
        var sweep = CacheSweep()
        let mark = self.folder.mark(of: digest)
        do throws(EntryProblem) {
            _ = try self.folder.entry(digest, limit: limit, now: self.now())
        } catch {
            if case .damaged(let damage) = error { self.remove(digest, damage, mark, &sweep) }
        }
        return sweep
    }

    /// Removes the entries that a function chooses, those that are too old, and damaged ones, which nobody can judge.
    ///
    /// - Parameters:
    ///   - mostFailures: After so many that cannot be removed the rest is left for another time.
    ///   - isChosen: Chooses.
    /// - Returns: What came of it; `nil` if there is no folder.
    mutating func remove(
        mostFailures: Int = .max, where isChosen: (SHA256, CacheItem) -> Bool
    ) -> CacheSweep? {
        guard !self.folder.isAbsent else { return nil }
        var sweep = CacheSweep()
        // Whoever wants something gone is not to find it later because another has just stored it.
        guard self.scan() else {
            sweep.isComplete = false
            return sweep
        }
        sweep.unreadable = self.unknown
        for digest in self.index?.digests ?? [] {
            self.remove(digest, where: isChosen, &sweep)
            guard sweep.refused.count < mostFailures else {
                sweep.isComplete = false
                break
            }
        }
        return sweep
    }

    /// Does the same with one entry.
    mutating func remove(
        _ digest: SHA256, where isChosen: (SHA256, CacheItem) -> Bool, _ sweep: inout CacheSweep
    ) {
        // What others put in its place meanwhile was not chosen, nor is it damaged.
        let mark = self.folder.mark(of: digest)
        do throws(EntryProblem) {
            guard isChosen(digest, try self.folder.item(digest)) else { return }
            if case .done = self.remove(digest, &sweep, unless: { $0.mark != mark }) { sweep.count += 1 }
        } catch {
            switch error {
            case .missing, .outdone: self.index?[digest] = nil
            case .damaged(let damage): self.remove(digest, damage, mark, &sweep)
            case .other(let problem):
                // Where there is no file nothing is answered either.
                if problem.cause != nil { sweep.unreadable.append(digest) }
                self.reports.append(.problem(problem))
            }
        }
    }

    /// How much there is.
    mutating func usage() -> CacheUsage {
        if self.refresh(isWanted: true) { self.evictOld() }
        return CacheUsage(
            entries: self.index?.count ?? 0, bytes: self.index?.bytes ?? 0, evictions: self.evictions,
            corruptions: self.corruptions)
    }

    // MARK: - Files

    private mutating func write(_ entry: CacheEntry, _ key: CacheKey, _ digest: SHA256) -> Bool {
        guard case .bytes(let body) = entry.response.body else { return false }
        let front = EntryFile.front(of: EntryHead(entry, for: key), body: body, digest: digest)
        let size = front.count + body.count
        guard size <= self.capacity, self.refresh(isStoring: true),
            self.hasRoom(for: size, digest) || self.makeRoom(for: size)
        else {
            return false
        }
        let lastUse = self.uses.time(of: digest) ?? self.now()
        do throws(EntryProblem) {
            guard try self.put(front, body, of: entry, digest, lastUse: lastUse) else { return false }
        } catch {
            self.mark = self.folder.mark
            if case .outdone = error { return true }
            if case .other(let problem) = error { self.reports.append(.problem(problem)) }
            return false
        }
        self.index?[digest] = CacheIndex.Entry(
            size: size, storedAt: entry.storedAt.timeIntervalSince1970, lastUse: lastUse)
        self.bytesSinceScan += size
        self.mark = self.folder.mark
        self.diskWasFull = -.infinity
        self.reports.append(.wrote(digest))
        return true
    }

    /// Writes an entry, twice if the first time the disk was full or there was no folder.
    ///
    /// - Returns: Whether there was room for it.
    private mutating func put(
        _ front: [UInt8], _ body: Data, of entry: CacheEntry, _ digest: SHA256, lastUse: Double
    ) throws(EntryProblem) -> Bool {
        do throws(EntryProblem) {
            return try self.putOnce(front, body, of: entry, digest, lastUse: lastUse)
        } catch {
            switch error {
            case .missing:
                do throws(FileProblem) { try self.folder.make() } catch { throw .other(.unwritable(error)) }
                // Others are told how much there is from the beginning on.
                self.refresh(isStoring: true)
            case .other(.unwritable(let problem)) where problem.isFullDisk:
                guard abs(self.now() - self.diskWasFull) > Self.diskPatience,
                    self.makeRoomOnDisk(for: front.count + body.count)
                else { throw error }
                self.diskWasFull = self.now()
            default: throw error
            }
        }
        do throws(EntryProblem) {
            return try self.putOnce(front, body, of: entry, digest, lastUse: lastUse)
        } catch {
            guard case .missing = error else { throw error }
            throw .other(.unwritable(FileProblem(ENOENT)))
        }
    }

    /// So often room is made for one entry, while others take it.
    private static let mostTries = 4

    private mutating func putOnce(
        _ front: [UInt8], _ body: Data, of entry: CacheEntry, _ digest: SHA256, lastUse: Double
    ) throws(EntryProblem) -> Bool {
        let size = front.count + body.count
        let part = try self.folder.part(front, body, of: entry, digest, lastUse: lastUse)
        self.partPath = part.path
        defer { self.partPath = nil }
        for _ in 0..<Self.mostTries {
            if try self.move(part, of: entry, digest, size: size) { return true }
            guard self.makeRoom(for: size) else { return false }
        }
        return false
    }

    /// Moves a file to the place of an entry, if there is room for it.
    private mutating func move(
        _ part: borrowing EntryPart, of entry: CacheEntry, _ digest: SHA256, size: Int
    ) throws(EntryProblem) -> Bool {
        var turn = self.takeTurn()
        defer { self.note(turn) }
        // Once more, at the last moment: others may have written meanwhile.
        let oldSize = try self.folder.placeSize(digest, for: entry)
        self.note(turn)
        guard self.bytes - oldSize + size <= self.capacity else { return false }
        try self.folder.move(part, digest, size: size, replacing: oldSize, in: &turn)
        return true
    }

    /// Removes the file of an entry, unless the one that is there now is to stay.
    ///
    /// - Throws: ``FileProblem`` if it could not be removed.
    mutating func removeFile(
        _ digest: SHA256, unless isSpared: (FileFacts) -> Bool
    ) throws(FileProblem) -> CacheFolder.Removal {
        var turn = self.takeTurn()
        defer { self.note(turn) }
        let removal = try self.folder.remove(digest, in: &turn, unless: isSpared)
        switch removal {
        case .left(let facts) where facts.isRegular: self.index?[digest] = CacheIndex.Entry(facts)
        case .done, .absent, .left: self.index?[digest] = nil
        }
        return removal
    }

    /// - Returns: What became of the file; `nil` if it could not be removed.
    private mutating func remove(
        _ digest: SHA256, unless isSpared: (FileFacts) -> Bool = { _ in false }
    ) -> CacheFolder.Removal? {
        let removal: CacheFolder.Removal
        do throws(FileProblem) {
            removal = try self.removeFile(digest, unless: isSpared)
        } catch {
            self.reports.append(.problem(.unremovable(error)))
            return nil
        }
        if case .left(let facts) = removal, !facts.isRegular { self.reports.append(.problem(.occupied(digest))) }
        if self.index != nil { self.mark = self.folder.mark }
        return removal
    }

    private mutating func remove(
        _ digest: SHA256, _ sweep: inout CacheSweep, unless isSpared: (FileFacts) -> Bool
    ) -> CacheFolder.Removal? {
        let removal = self.remove(digest, unless: isSpared)
        switch removal {
        case .done: sweep.removed.append(digest)
        case .absent, .left: break
        case nil: sweep.refused.append((digest, self.folder.mark(of: digest)))
        }
        return removal
    }

    /// Removes what cannot be read, if it is still there; but what a later version of this library wrote it can still
    /// read.
    private mutating func remove(
        _ digest: SHA256, _ damage: EntryDamage, _ mark: FileMark?, _ sweep: inout CacheSweep
    ) {
        guard damage != .otherFormat else { return }
        let removal = self.remove(digest, &sweep, unless: { $0.mark != mark })
        if case .done = removal, damage != .oldFormat { self.corruptions += 1 }
    }

    /// Removes what was to go before and could not, unless something has come in its place since.
    ///
    /// - Parameter refusals: Those that were to go.
    /// - Returns: Those of them that need not be withheld any longer.
    mutating func removeAgain(
        _ refusals: [SHA256: WithheldEntries.Refusal]
    ) -> [SHA256: WithheldEntries.Refusal] {
        var (settled, failures): ([SHA256: WithheldEntries.Refusal], Int) = ([:], 0)
        // In another order each time: there may be more that can be removed than are tried.
        for (digest, refusal) in refusals.shuffled() where failures < Self.mostFailures {
            if self.remove(digest, unless: { refusal.isOutlived(by: $0) }) != nil {
                settled[digest] = refusal
            } else {
                failures += 1
            }
        }
        return settled
    }
}
