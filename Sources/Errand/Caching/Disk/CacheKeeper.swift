internal import Foundation

/// The writing side of a disk cache, and what it knows of the folder; used by one thread at a time.
struct CacheKeeper {
    /// What came of a change.
    enum Report {
        case problem(CacheProblem)
        case wrote(SHA256)
    }

    private(set) var evictions = 0
    private(set) var corruptions = 0

    private let folder: CacheFolder
    private let capacity: Int
    /// In seconds.
    private let maximumAge: Double
    private let now: @Sendable () -> Double

    /// Nothing until it is needed.
    private var index: CacheIndex?
    /// The folder as it was after the last change of ours; others who write make it differ.
    private var mark: FileMark?
    private var hasForeignChanges = false
    private var lastScan = -Double.infinity
    private var bytesSinceScan = 0
    private var reports: [Report] = []
    /// Entries that were to go and are still there.
    private(set) var stuck: Set<SHA256> = []

    /// Files that are to become entries are left alone for so long, for somebody may be at work on them.
    private static let partLifetime = 60.0

    init(_ folder: CacheFolder, capacity: Int, maximumAge: Double, now: @escaping @Sendable () -> Double) {
        self.folder = folder
        self.capacity = capacity
        self.maximumAge = maximumAge
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
    /// - Returns: Whether the folder has, for this key, the entry or none; otherwise an older one is still there.
    mutating func carryOut(_ change: CacheChanges.Change, for key: CacheKey) -> Bool {
        let digest = key.digest
        if case .entry(let entry) = change, self.write(entry, key, digest) { return true }
        return self.remove(digest)
    }

    /// Reads an entry that looked damaged once more, as nobody writes now, and removes it if it is.
    mutating func entryAgain(_ digest: SHA256) -> Result<CacheEntry, CacheMiss> {
        do throws(EntryProblem) {
            return .success(try self.folder.entry(digest, limit: self.capacity, now: self.now()))
        } catch {
            guard case .damaged(let damage) = error else { return .failure(.noEntry) }
            if damage != .otherFormat { self.removeDamaged(digest) }
            return .failure(damage.miss)
        }
    }

    /// Removes the entries that a function chooses, and damaged ones, which nobody can judge.
    ///
    /// - Returns: How many were chosen.
    mutating func remove(where isChosen: (CacheItem) -> Bool) -> Int {
        guard self.refresh(isWanted: true) else { return 0 }
        var count = 0
        for digest in self.index?.digests ?? [] {
            do throws(EntryProblem) {
                guard isChosen(try self.folder.item(digest)) else { continue }
                if self.remove(digest) { count += 1 } else { self.stuck.insert(digest) }
            } catch {
                switch error {
                case .missing: self.index?[digest] = nil
                case .damaged(.otherFormat): break
                case .damaged: self.removeDamaged(digest)
                case .other(let problem): self.reports.append(.problem(problem))
                }
            }
        }
        return count
    }

    /// How much there is.
    mutating func usage() -> CacheUsage {
        self.refresh(isWanted: true)
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
        do throws(EntryProblem) {
            try self.put(front, body, digest, storedAt: entry.storedAt)
        } catch {
            if case .other(let problem) = error { self.reports.append(.problem(problem)) }
            return false
        }
        self.index?[digest] = CacheIndex.Entry(size: size, lastUse: self.now())
        self.bytesSinceScan += size
        self.mark = self.folder.mark
        self.stuck.remove(digest)
        self.reports.append(.wrote(digest))
        return true
    }

    private func put(_ front: [UInt8], _ body: Data, _ digest: SHA256, storedAt: Date) throws(EntryProblem) {
        do throws(EntryProblem) {
            return try self.folder.put(front, body, digest, storedAt: storedAt, now: self.now())
        } catch {
            guard case .missing = error else { throw error }
        }
        do throws(FileProblem) { try self.folder.make() } catch { throw .other(.unwritable(error)) }
        do throws(EntryProblem) {
            try self.folder.put(front, body, digest, storedAt: storedAt, now: self.now())
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

    private mutating func removeDamaged(_ digest: SHA256) {
        self.corruptions += 1
        _ = self.remove(digest)
    }

    // MARK: - Room

    /// Lets go of what was not used for longest, and of an eighth more than needed, so that this is not done each time.
    ///
    /// - Returns: Whether there is room.
    private mutating func makeRoom(for size: Int, _ digest: SHA256) -> Bool {
        guard let index, !self.hasRoom(for: size, digest) else { return true }
        let target = min(self.capacity - size, self.capacity / 8 * 7)
        for (digest, entry) in index.leastRecentlyUsed where self.bytes > target { self.evict(digest, entry) }
        // What others have used meanwhile was spared, and takes its turn according to that.
        for (digest, _) in self.index?.leastRecentlyUsed ?? [] where self.bytes > target { self.evict(digest, nil) }
        return self.hasRoom(for: size, digest)
    }

    private var bytes: Int { self.index?.bytes ?? 0 }

    private func hasRoom(for size: Int, _ digest: SHA256) -> Bool {
        self.bytes - (self.index?[digest]?.size ?? 0) + size <= self.capacity
    }

    /// Lets go of an entry; not of one that was used since the index knows of it, if that is given.
    private mutating func evict(_ digest: SHA256, _ known: CacheIndex.Entry?) {
        let path = self.folder.path(of: digest)
        do throws(FileProblem) {
            if let known {
                let facts = try FileFacts(path: path)
                guard facts.lastUse <= known.lastUse else {
                    self.index?[digest] = CacheIndex.Entry(size: facts.size, lastUse: facts.lastUse)
                    return
                }
            }
            try self.folder.remove(path)
            self.evictions += 1
        } catch {
            guard error.number == ENOENT else { return self.reports.append(.problem(.unremovable(error))) }
        }
        self.index?[digest] = nil
    }

    // MARK: - The index

    /// Looks at the folder if the index is not there, or not right any more: others may write to the folder as well.
    ///
    /// That it was others shows in the time of the folder, unless it was while this one wrote. So it is looked at from
    /// time to time in any case, but not each time, for that costs more than writing.
    ///
    /// - Parameter isWanted: Whether the index should be as right as can be.
    /// - Returns: Whether there is an index now.
    @discardableResult
    private mutating func refresh(isWanted: Bool = false) -> Bool {
        let now = self.now()
        guard let mark = self.folder.mark else {
            // Writing makes the folder, or finds out why it cannot be.
            (self.index, self.mark) = (CacheIndex(), nil)
            return true
        }
        if self.index != nil, let known = self.mark, known.isSameFile(as: mark) {
            self.hasForeignChanges = self.hasForeignChanges || known != mark
            let isTime = isWanted || abs(now - self.lastScan) >= 1 || self.bytesSinceScan >= self.capacity / 16
            guard self.hasForeignChanges && isTime || self.bytesSinceScan >= self.capacity / 4 else { return true }
        }
        return self.scan(now, mark)
    }

    /// Reads the whole folder, and removes what is too old in it.
    private mutating func scan(_ now: Double, _ mark: FileMark) -> Bool {
        var index = CacheIndex()
        var (old, parts): ([SHA256], [String]) = ([], [])
        do throws(FileProblem) {
            try self.folder.forEach { item in
                switch item {
                case .entry(let digest, let facts):
                    index[digest] = CacheIndex.Entry(size: facts.size, lastUse: facts.lastUse)
                    if now - facts.modified > self.maximumAge { old.append(digest) }
                case .part(let path, let facts):
                    if now - facts.changed > Self.partLifetime { parts.append(path) }
                }
            }
        } catch {
            // Not knowing what is there, nobody could keep the bound.
            guard [ENOENT, ENOTDIR].contains(error.number) else {
                self.reports.append(.problem(.unreadable(error)))
                return false
            }
        }
        (self.index, self.mark, self.hasForeignChanges) = (index, mark, false)
        (self.lastScan, self.bytesSinceScan) = (now, 0)
        for part in parts { _ = try? self.folder.remove(part) }
        for digest in old { self.evict(digest, nil) }
        if !parts.isEmpty || !old.isEmpty { self.mark = self.folder.mark }
        return true
    }
}
