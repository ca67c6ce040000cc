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
    /// How many bytes there were, at the last look, in files that others are at work on or that cannot be removed.
    var partBytes = 0
    /// The folder as it was after the last change of ours; others who write make it differ.
    var mark: FileMark?
    var hasForeignChanges = false
    var lastScan = -Double.infinity
    var bytesSinceScan = 0
    var reports: [Report] = []
    /// Entries that were to go and are still there.
    private(set) var stuck: Set<SHA256> = []
    /// The disk was full although room was made: more of that is no use, until something can be written again.
    private var isDiskFull = false

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

    /// Answers what was to be told since the last call.
    mutating func takeReports() -> [Report] {
        defer { self.reports = [] }
        return self.reports
    }

    // MARK: - Changes

    /// Brings a change to the disk.
    ///
    /// - Returns: Whether the folder has, for this key, the entry, one that was asked for later, or none; otherwise an
    ///   older one is still there.
    mutating func carryOut(_ change: CacheChanges.Change, for key: CacheKey) -> Bool {
        let digest = key.digest
        if case .entry(let entry) = change {
            // Where nobody can look, nobody finds an older one.
            if self.write(entry, key, digest) || !self.folder.canLook(at: digest) { return true }
        }
        return self.remove(digest)
    }

    /// Reads an entry that looked damaged once more, as nobody writes now, and removes it if it is.
    mutating func entryAgain(_ digest: SHA256) -> Result<CacheEntry, CacheMiss> {
        do throws(EntryProblem) {
            return .success(try self.folder.entry(digest, limit: self.capacity, now: self.now()))
        } catch {
            guard case .damaged(let damage) = error else { return .failure(.noEntry) }
            self.remove(digest, damage)
            return .failure(damage.miss)
        }
    }

    /// Removes the entries that a function chooses, those that are too old, and damaged ones, which nobody can judge.
    ///
    /// - Returns: How many were chosen.
    mutating func remove(where isChosen: (CacheItem) -> Bool) -> Int {
        guard self.refresh(isWanted: true) else { return 0 }
        self.evictOld()
        var count = 0
        for digest in self.index?.digests ?? [] {
            do throws(EntryProblem) {
                guard isChosen(try self.folder.item(digest)) else { continue }
                if self.remove(digest) { count += 1 } else { self.stuck.insert(digest) }
            } catch {
                switch error {
                case .missing, .outdone: self.index?[digest] = nil
                case .damaged(let damage): self.remove(digest, damage)
                case .other(let problem): self.reports.append(.problem(problem))
                }
            }
        }
        return count
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
        guard size <= self.capacity, self.refresh(), self.makeRoom(for: size, digest) else { return false }
        let lastUse = self.uses.time(of: digest) ?? self.now()
        do throws(EntryProblem) {
            try self.put(front, body, of: entry, digest, lastUse: lastUse)
        } catch {
            if case .outdone = error { return true }
            if case .other(let problem) = error { self.reports.append(.problem(problem)) }
            return false
        }
        self.index?[digest] = CacheIndex.Entry(
            size: size, storedAt: entry.storedAt.timeIntervalSince1970, lastUse: lastUse)
        self.bytesSinceScan += size
        self.mark = self.folder.mark
        self.stuck.remove(digest)
        self.isDiskFull = false
        self.reports.append(.wrote(digest))
        return true
    }

    /// Writes an entry, twice if the first time the disk was full or there was no folder.
    private mutating func put(
        _ front: [UInt8], _ body: Data, of entry: CacheEntry, _ digest: SHA256, lastUse: Double
    ) throws(EntryProblem) {
        do throws(EntryProblem) {
            return try self.folder.put(front, body, of: entry, digest, lastUse: lastUse)
        } catch {
            switch error {
            case .missing:
                do throws(FileProblem) { try self.folder.make() } catch { throw .other(.unwritable(error)) }
            case .other(.unwritable(let problem)) where problem.isFullDisk:
                guard !self.isDiskFull, self.makeRoomOnDisk(for: front.count + body.count) else { throw error }
                self.isDiskFull = true
            default: throw error
            }
        }
        do throws(EntryProblem) {
            try self.folder.put(front, body, of: entry, digest, lastUse: lastUse)
        } catch {
            guard case .missing = error else { throw error }
            throw .other(.unwritable(FileProblem(ENOENT)))
        }
    }

    /// - Returns: Whether no entry is there; something else may be.
    private mutating func remove(_ digest: SHA256) -> Bool {
        do throws(FileProblem) {
            if try !self.folder.remove(self.folder.path(of: digest)) {
                self.reports.append(.problem(.occupied(digest)))
            }
        } catch {
            self.reports.append(.problem(.unremovable(error)))
            return false
        }
        self.stuck.remove(digest)
        if self.index != nil {
            self.index?[digest] = nil
            self.mark = self.folder.mark
        }
        return true
    }

    /// Removes what cannot be read; but what a later version of this library wrote it can still read.
    private mutating func remove(_ digest: SHA256, _ damage: EntryDamage) {
        switch damage {
        case .otherFormat: return
        case .oldFormat: break
        case .head, .body: self.corruptions += 1
        }
        _ = self.remove(digest)
    }
}
