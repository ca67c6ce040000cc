internal import Foundation

/// The folder of a disk cache while this cache holds its lock.
///
/// All changes are made here. A change begins by marking the record in the lock file, and ends by writing the new
/// record. A process that finds a mark counts the files again, because another one died during a change. The record is
/// therefore correct for every owner of the lock, and all files together never exceed the capacity, including those in
/// the making.
struct LockedFolder: ~Copyable {
    /// The limits of a cache.
    struct Limits {
        let capacity: Int
        /// In seconds.
        let maximumAge: Double
        let now: @Sendable () -> Double
    }

    private let folder: CacheFolder
    private let limits: Limits
    private let lock: OpenFile
    private(set) var record: FolderRecord
    private var isMarked = false
    private(set) var evictions = 0
    private(set) var corruptions = 0
    /// Set while the disk is full despite evictions: evicting more is useless until a write succeeds.
    private(set) var isDiskFull: Bool

    /// The interval in seconds after which entries are counted again to remove outdated ones, even if the record is
    /// valid.
    private static let countStep = 86_400.0

    /// Locks a folder, waiting for the current owner of the lock.
    static func lock(_ folder: CacheFolder, _ limits: Limits, isDiskFull: Bool) throws(FileProblem) -> LockedFolder {
        let lock = try folder.takeLock()
        let record = FolderRecord(try lock.read(FolderRecord.size))
        var locked = LockedFolder(folder, limits, lock, record ?? FolderRecord(), isDiskFull)
        if !(abs(limits.now() - locked.record.countedAt) < Self.countStep) { _ = try locked.count() }
        return locked
    }

    private init(
        _ folder: CacheFolder, _ limits: Limits, _ lock: consuming OpenFile, _ record: FolderRecord, _ isDiskFull: Bool
    ) {
        (self.folder, self.limits, self.record, self.isDiskFull) = (folder, limits, record, isDiskFull)
        self.lock = lock
    }

    /// Writes the new record and releases the lock.
    ///
    /// If that fails, the next owner counts the files.
    consuming func release() throws(FileProblem) {
        // Other code changed files of this cache.
        if min(self.record.bytes, self.record.entries) < 0 { _ = try self.count() }
        if self.isMarked { try self.lock.write(self.record.stored) }
    }

    private mutating func mark() throws(FileProblem) {
        if !self.isMarked { try self.lock.write(FolderRecord.mark) }
        self.isMarked = true
    }

    // MARK: - Storing

    /// Stores an entry, unless one that was requested later exists.
    ///
    /// If it cannot be stored, the older entry is removed.
    mutating func store(_ entry: CacheEntry, for key: CacheKey) throws(FileProblem) {
        let draft = EntryDraft(entry, for: key)
        do throws(FileProblem) {
            if try self.folder.stored(draft.digest)?.isLater(than: entry) == true { return }
            guard draft.size <= self.limits.capacity, draft.metadata.count <= EntryHeader.longestMetadata,
                case .bytes = entry.response.body
            else {
                return _ = try self.removeEntry(draft.digest)
            }
            if self.record.bytes + draft.size > self.limits.capacity {
                try self.evict(downTo: min(self.limits.capacity - draft.size, self.limits.capacity / 8 * 7))
            }
            do throws(FileProblem) { try self.write(draft) } catch {
                // Evict entries and retry once. If evicting all entries would not free enough space, keep them.
                guard error.isFullDisk, !self.isDiskFull, draft.size <= self.record.bytes else { throw error }
                self.isDiskFull = true
                try self.evict(downTo: self.record.bytes - max(draft.size, self.record.bytes / 8))
                try self.write(draft)
            }
            self.isDiskFull = false
        } catch {
            _ = try? self.removeEntry(draft.digest)
            throw error
        }
    }

    /// Replaces an entry atomically: if the process dies, the old or the new entry exists.
    private mutating func write(_ draft: EntryDraft) throws(FileProblem) {
        try self.mark()
        let old = try self.folder.stored(draft.digest)
        var (header, body) = (draft.header, draft.body)
        var (bodyPath, part) = (String?.none, self.folder.newPartPath(of: draft.digest))
        if body.count > CacheFolder.longestInline {
            // The same body with other metadata is not rewritten.
            let known = try self.body(of: old, sameAs: header)
            header.bodyNumber = known ?? .random(in: 1 ... .max)
            if known == nil { bodyPath = self.folder.path(ofBody: header.bodyNumber, of: draft.digest) }
        }
        do throws(FileProblem) {
            if let bodyPath { try self.make(bodyPath, body, draft) }
            if header.hasBodyFile { body = Data() }
            try self.make(part, header.bytes + draft.metadata + body, draft)
            try self.folder.rename(part, to: draft.digest)
        } catch {
            // Files that cannot be removed are garbage, removed with the next count.
            for path in [part, bodyPath].compactMap(\.self) { try? self.remove(path) }
            throw error
        }
        self.record.bytes -= old?.facts.size ?? 0
        self.record.entries += old == nil ? 1 : 0
        if old?.header?.bodyNumber != header.bodyNumber { try? self.removeBody(of: old, draft.digest) }
    }

    private func body(of old: CacheFolder.Stored?, sameAs new: EntryHeader) throws(FileProblem) -> UInt64? {
        guard let old = old?.header, old.hasBodyFile, old.hasSameBody(as: new) else { return nil }
        let facts = try FileFacts(path: self.folder.path(ofBody: old.bodyNumber, of: old.digest))
        return facts?.size == new.bodyLength ? old.bodyNumber : nil
    }

    private mutating func make(
        _ path: String, _ bytes: some DataProtocol & ContiguousBytes, _ draft: EntryDraft
    ) throws(FileProblem) {
        let now = self.limits.now()
        try self.folder.write(bytes, to: path, of: draft.digest, lastUse: now, modified: draft.storedAt)
        self.record.bytes += bytes.count
    }

    // MARK: - Removing

    /// Removes a file that counts toward the size, if there is one.
    private mutating func remove(_ path: String) throws(FileProblem) {
        guard let facts = try FileFacts(path: path), facts.isRegular else { return }
        try self.mark()
        try self.folder.remove(path)
        self.record.bytes -= facts.size
    }

    private mutating func removeBody(of old: CacheFolder.Stored?, _ digest: SHA256) throws(FileProblem) {
        guard let old else { return }
        // Only a count of all files shows whether a body file exists.
        guard let header = old.header else { return _ = try self.count() }
        if header.hasBodyFile { try self.remove(self.folder.path(ofBody: header.bodyNumber, of: digest)) }
    }

    /// Removes the entry of a key, or only a particular version of it; returns true if it was removed.
    mutating func removeEntry(_ digest: SHA256, ifStill chosen: CacheFolder.Stored? = nil) throws(FileProblem) -> Bool {
        guard let old = try self.folder.stored(digest), chosen.map(old.isSame) != false else { return false }
        // Remove the entry first: a body without an entry is garbage.
        try self.remove(self.folder.path(of: digest))
        self.record.entries -= 1
        try self.removeBody(of: old, digest)
        return true
    }

    /// Removes an entry if it is damaged, outdated, or too large to be read.
    mutating func removeIfUnusable(_ digest: SHA256, limit: Int) throws(FileProblem) {
        do throws(EntryProblem) {
            let entry = try self.folder.entry(digest, limit: limit, now: nil)
            guard self.limits.now() - entry.storedAt.timeIntervalSince1970 > self.limits.maximumAge else { return }
        } catch {
            switch error {
            case .damaged(.otherFormat): return
            case .damaged, .missing: self.corruptions += try self.removeEntry(digest) ? 1 : 0
            case .other(let problem): throw problem
            }
            return
        }
        self.evictions += try self.removeEntry(digest) ? 1 : 0
    }

    // MARK: - Counting and evicting

    /// A counted entry, and its body file if there is one.
    private struct Counted {
        let digest: SHA256
        let facts: FileFacts
        var bodyPath: String?
    }

    /// Evicts the least recently used entries; throws if that frees too little space.
    private mutating func evict(downTo target: Int) throws(FileProblem) {
        let entries = try self.count().sorted { $0.facts.lastUse < $1.facts.lastUse }
        var problems: [FileProblem] = []
        // Give up after this number of failures.
        for entry in entries where self.record.bytes > target && problems.count < 16 {
            do throws(FileProblem) { try self.evict(entry) } catch { problems.append(error) }
        }
        if self.record.bytes > target { throw problems.first ?? FileProblem(ENOSPC) }
    }

    private mutating func evict(_ entry: Counted) throws(FileProblem) {
        try self.remove(self.folder.path(of: entry.digest))
        (self.record.entries, self.evictions) = (self.record.entries - 1, self.evictions + 1)
        if let path = entry.bodyPath { try self.remove(path) }
    }

    /// Counts all entries; removes abandoned temporary files, unreferenced bodies, outdated entries, and files of
    /// earlier versions of this library.
    ///
    /// - Returns: All entries.
    private mutating func count() throws(FileProblem) -> [Counted] {
        try self.mark()
        self.record = FolderRecord(countedAt: self.limits.now())
        let folder = self.folder
        try folder.forEach(in: folder.path, named: { CacheFolder.isOld($0) ? () : nil }) {
            _, path, _ in try? folder.remove(path)
        }
        var all: [Counted] = []
        for shard in CacheFolder.shards where try folder.hasShard(shard) { try self.count(shard, &all) }
        let oldest = self.limits.now() - self.limits.maximumAge
        for entry in all where entry.facts.modified < oldest { try? self.evict(entry) }
        return all.filter { $0.facts.modified >= oldest }
    }

    private mutating func count(_ shard: String, _ all: inout [Counted]) throws(FileProblem) {
        let folder = self.folder
        var (bodies, garbage, bytes): ([SHA256: [(number: UInt64, path: String)]], [String], Int) = ([:], [], 0)
        let start = all.count
        try folder.forEach(in: folder.path(ofShard: shard), named: { CacheFolder.Name($0, in: shard) }) {
            name, path, facts in
            bytes += facts.size
            switch name {
            case .entry(let digest): all.append(Counted(digest: digest, facts: facts))
            case .body(let digest, let number): bodies[digest, default: []].append((number, path))
            case .part: garbage.append(path)
            }
        }
        self.record.bytes += bytes
        self.record.entries += all.count - start
        for index in all.indices[start...] where bodies[all[index].digest] != nil {
            let number = try folder.stored(all[index].digest)?.header?.bodyNumber
            let named = bodies[all[index].digest]?.firstIndex { $0.number == number }
            all[index].bodyPath = named.flatMap { bodies[all[index].digest]?.remove(at: $0).path }
        }
        for path in garbage + bodies.values.joined().map(\.path) { try? self.remove(path) }
    }
}
