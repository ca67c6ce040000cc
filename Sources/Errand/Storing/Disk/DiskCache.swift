internal import Dispatch
internal import ErrandLocks
public import Foundation

/// Caches responses in files in a folder of its own, and evicts the least recently used.
///
/// Storing does not wait for the disk: entries are written in the background, and served from memory until they are
/// written. ``flush()`` waits for that, for example before an app enters the background. If the process ends earlier,
/// in whatever way, the folder contains complete entries: the new one, the previous one, or none. A damaged entry is
/// removed and counted, and never returned. Bodies are stored unencrypted.
///
/// Several caches and processes may share one folder: writers lock it, readers need no lock. The files of all entries
/// together never exceed the capacity, at no step and with any number of processes; if capacities differ, each cache
/// applies its own when it stores. Other files in the folder are left alone, and symbolic links are not followed. If
/// the folder cannot be locked, no entries are stored. A folder or an entry that belongs to another user, or that
/// others may write to, is not used.
public final class DiskCache: ResponseCache, Sendable {
    /// The folder of the entries.
    public let folder: URL
    /// The maximum size of all entry files in bytes.
    public let capacity: Int
    /// The maximum age of an entry.
    ///
    /// Older entries are never returned.
    public let maximumAge: Duration

    private struct State {
        var pending: PendingChanges
        var notices: CacheNotices
        /// The entries whose last use has been recorded in their files, and the start of the minute for which that is
        /// exact enough.
        var uses: (since: Double, digests: Set<SHA256>) = (0, [])
        /// Unusable entries that are scheduled for removal.
        var unusable: Set<SHA256> = []
        /// Set while a write is scheduled.
        var isWriting = false
        var isDiskFull = false
        /// Set once the folder is known to be writable only by this user.
        var isChecked = false
        var evictions = 0
        var corruptions = 0

        mutating func isNewUse(of digest: SHA256, at now: Double) -> Bool {
            if abs(now - self.uses.since) >= 60 || self.uses.digests.count >= 4096 { self.uses = (now, []) }
            return self.uses.digests.insert(digest).inserted
        }
    }

    private let place: CacheFolder
    private let limits: LockedFolder.Limits
    private let state: Locked<State>
    private let removalCounts = RemovalCounts()
    private let readQueue = DispatchQueue(label: "errand.cache.read", qos: .userInitiated, attributes: .concurrent)
    private let writeQueue = DispatchQueue(label: "errand.cache.write", qos: .utility)

    /// Creates a cache in a folder, which is created with the first stored entry.
    ///
    /// No file is read or written before the first use.
    ///
    /// - Parameters:
    ///   - folder: The folder for the entries. A folder that is created is accessible to this user only, and excluded
    ///     from backups where the system supports that.
    ///   - capacity: The maximum size of all entry files in bytes.
    ///   - maximumAge: The maximum age of an entry. Older ones are removed when they are looked up, when room is made,
    ///     and once a day while others are stored.
    public convenience init(
        folder: URL, capacity: Int = 150 << 20, maximumAge: Duration = .seconds(30 * 24 * 60 * 60)
    ) {
        self.init(folder: folder, capacity: capacity, maximumAge: maximumAge, watcher: nil) { Date() }
    }

    /// Creates a cache with an injected clock and a hook for each step.
    init(
        folder: URL, capacity: Int, maximumAge: Duration, watcher: CacheFolder.Watcher?,
        date: @escaping @Sendable () -> Date
    ) {
        (self.folder, self.capacity, self.maximumAge) = (folder, max(0, capacity), maximumAge)
        self.place = CacheFolder(folder, watcher: watcher)
        self.limits = LockedFolder.Limits(
            capacity: self.capacity, maximumAge: maximumAge / .seconds(1), now: { date().timeIntervalSince1970 })
        // A quarter of the capacity may wait to be written, within bounds.
        let pending = PendingChanges(limit: min(max(self.capacity / 4, 64 << 10), 32 << 20))
        let name = folder.isFileURL ? folder.path : folder.absoluteString
        self.state = Locked(State(pending: pending, notices: CacheNotices(about: name)))
    }

    // MARK: - Reading

    /// Returns the entry stored for a key.
    ///
    /// An entry older than ``maximumAge`` is removed instead. A cancelled task does not wait for the disk, and gets
    /// ``CacheMiss/noEntry``.
    ///
    /// - Throws: ``CacheMiss/noEntry``, ``CacheMiss/unreadable``, ``CacheMiss/otherFormat``, ``CacheMiss/corruptHead``
    ///   or ``CacheMiss/corruptBody``.
    @concurrent
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        let now = self.limits.now()
        let entry: CacheEntry
        switch self.state.withLock({ $0.pending[key] }) {
        case .removal: throw .noEntry
        case nil: entry = try await self.stored(key.digest, now)
        case .entry(let waiting):
            // The stored entry that it would replace may have been requested later.
            let stored = waiting.receivedAt == nil ? nil : try? await self.stored(key.digest, now)
            entry = stored.flatMap { waiting.replaces(entryStoredAt: $0.storedAt) ? nil : $0 } ?? waiting
        }
        guard now - entry.storedAt.timeIntervalSince1970 <= self.limits.maximumAge else {
            self.removeIfUnusable(key.digest)
            throw .noEntry
        }
        return entry
    }

    /// Returns the entry stored for a key if the system has it in memory, so that reading does not block.
    public func entryWithoutSuspending(for key: CacheKey) -> CacheEntry? {
        let now = self.limits.now()
        guard self.state.withLock({ $0.pending[key] }) == nil,
            let entry = try? self.storedWithoutSuspending(key.digest, now),
            now - entry.storedAt.timeIntervalSince1970 <= self.limits.maximumAge
        else { return nil }
        return entry
    }

    private func storedWithoutSuspending(_ digest: SHA256, _ now: Double) throws(EntryProblem) -> CacheEntry? {
        let (isNewUse, isChecked) = self.state.withLock { ($0.isNewUse(of: digest, at: now), $0.isChecked) }
        if !isChecked { try self.checkFolder() }
        return try self.place.entryWithoutSuspending(digest, isNewUse: isNewUse, now: now)
    }

    /// Checks once that the contents of the folder can be trusted.
    private func checkFolder() throws(EntryProblem) {
        do throws(FileProblem) { try OwnFolder.check(self.place.path) } catch {
            throw error.isAbsence ? EntryProblem.missing : EntryProblem.other(error)
        }
        self.state.withLock { $0.isChecked = true }
    }

    private func stored(_ digest: SHA256, _ now: Double) async throws(CacheMiss) -> CacheEntry {
        do throws(EntryProblem) {
            // Reading on this thread costs less than a thread hop, unless a disk or a network must be waited for.
            if let entry = try self.storedWithoutSuspending(digest, now) { return entry }
            let result = await self.readQueue.performUnlessCancelled {
                Result { () throws(EntryProblem) in try self.place.entry(digest, limit: self.readLimit, now: now) }
            }
            return try (result ?? .failure(.missing)).get()
        } catch {
            switch error {
            case .missing: throw .noEntry
            case .damaged(let damage):
                if damage != .otherFormat { self.removeIfUnusable(digest) }
                throw damage
            case .other(let problem):
                self.state.withLock { $0.notices.note(.read, problem) }
                throw .unreadable
            }
        }
    }

    /// Larger entries are not stored, and would not fit into memory.
    private var readLimit: Int { min(self.capacity, 1 << 31) }

    // MARK: - Changing

    /// Stores an entry, replacing the existing one.
    ///
    /// An entry larger than the capacity is not stored. An existing entry that was requested later stays, see
    /// ``CacheEntry/replaces(entryStoredAt:)``, whichever process stored it. A large body that has not changed is not
    /// written again.
    ///
    /// Returns at once. Entries that arrive faster than the disk can write are dropped once some megabytes are waiting.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        let (removal, isFirst) = self.state.withLock { state in
            let isAdded = state.pending.add(entry, for: key)
            if !isAdded { state.notices.noteHaste() }
            defer { state.isWriting = true }
            return (isAdded ? nil : state.pending.addRemoval(of: key), !state.isWriting)
        }
        // The older entry must not be returned either.
        if let removal { self.writeQueue.async { try? self.carryOut(removal) } }
        if isFirst { self.writeQueue.async { self.write() } }
    }

    /// Removes the entry of a key, if there is one, and waits until it is gone.
    ///
    /// - Throws: ``ErrandError``: with the code ``ErrandError/Code/fileFailed`` if the system refuses; the entry may
    ///   then be returned later. With ``ErrandError/Code/cancelled`` if the task is cancelled; the entry is removed
    ///   nevertheless.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        self.removalCounts.note(key)
        let removal = self.state.withLock { $0.pending.addRemoval(of: key) }
        try await self.removing { () throws(FileProblem) in try self.carryOut(removal) }
    }

    /// Removes all entries that satisfy a predicate, waits until they are gone, and returns their number.
    ///
    /// Damaged entries, which cannot be tested, are removed too. Entries of another version of this library stay.
    ///
    /// - Throws: ``ErrandError``, as ``remove(_:)`` does, after all others were removed.
    /// - Complexity: Linear in the number of entries, since the metadata of each is read.
    @discardableResult
    public func remove(
        where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ErrandError) -> Int {
        self.removalCounts.noteAll()
        return try await self.removing { () throws(FileProblem) in
            self.write()
            return try self.carryOut(isChosen)
        }
    }

    private func removing<Value: Sendable>(
        _ work: @escaping @Sendable () throws(FileProblem) -> Value
    ) async throws(ErrandError) -> Value {
        switch await self.writeQueue.performUnlessCancelled({ Result { () throws(FileProblem) in try work() } }) {
        case .success(let value): return value
        case .failure(let problem):
            let words = self.state.withLock { $0.notices.words(.remove, problem) }
            throw ErrandError(.fileFailed, words, cause: problem)
        case nil: throw .cancelled()
        }
    }

    /// Waits until all entries stored so far are on the disk.
    public func flush() async {
        await self.writeQueue.performUnlessCancelled { self.write() }
    }

    // MARK: - Inspecting

    /// Returns summaries of all readable entries, in no particular order.
    ///
    /// - Complexity: Linear in the number of entries, since the metadata of each is read.
    public func summaries() async -> [CacheEntry.Summary] {
        let items = await self.writeQueue.performUnlessCancelled {
            self.write()
            var items: [CacheEntry.Summary] = []
            try? self.forEach { _, item, _ in items.append(item) }
            return items
        }
        return items ?? []
    }

    /// The number and size of the entries on the disk, including all entries stored so far.
    ///
    /// Evictions and corruptions are those of this cache since its creation.
    ///
    /// - Complexity: Constant; linear in the number of entries if they must be counted, as the first time.
    public var usage: CacheEntry.Totals? {
        get async {
            let record = await self.writeQueue.performUnlessCancelled {
                self.write()
                return try? self.withLock { folder in folder.record } ?? FolderRecord()
            }
            guard let record = record ?? nil else { return nil }
            return self.state.withLock {
                CacheEntry.Totals(
                    entries: record.entries, bytes: record.bytes, evictions: $0.evictions, corruptions: $0.corruptions)
            }
        }
    }

    /// Returns a description of a problem with the folder, each problem once until entries can be stored again.
    public func takeNotice() -> String? {
        self.state.withLock { $0.notices.take() }
    }

    /// Always `true`: a cancelled task does not wait for the disk.
    public var respondsToCancellation: Bool { true }

    /// Returns the number of times the entry of a key was removed explicitly, or may have been.
    public func removals(of key: CacheKey) -> Int { self.removalCounts[key] }

    // MARK: - On the queues

    /// Writes the waiting entries in batches, so that other processes get the lock in between.
    private func write() {
        var rest = self.state.withLock { state in
            state.isWriting = false
            return state.pending.takeEntries()[...]
        }
        while !rest.isEmpty {
            let batch = rest.prefix(16)
            rest = rest.dropFirst(16)
            var problem: FileProblem?
            do throws(FileProblem) {
                try self.withLock(making: true) { folder in
                    for case (let key, .entry(let entry)) in batch.map({ ($0.key, $0.change) }) {
                        do throws(FileProblem) { try folder.store(entry, for: key) } catch { problem = error }
                    }
                }
            } catch {
                problem = error
            }
            self.state.withLock { [problem] state in
                for change in batch { state.pending.finish(change) }
                if let problem {
                    state.notices.note(.store, problem)
                } else {
                    state.notices.forget()
                }
            }
        }
    }

    private func carryOut(_ removal: PendingChanges.Pending) throws(FileProblem) {
        defer { self.state.withLock { $0.pending.finish(removal) } }
        // Requests wait for this when they remove an entry that may exist. If it does not, avoid waiting for the lock
        // or a count.
        guard try self.place.stored(removal.key.digest) != nil else { return }
        try self.withLock { folder throws(FileProblem) in _ = try folder.removeEntry(removal.key.digest) }
    }

    private func carryOut(_ isChosen: (CacheEntry.Summary) -> Bool) throws(FileProblem) -> Int {
        // The predicate may be slow: do not hold the lock meanwhile.
        var chosen: [(digest: SHA256, stored: CacheFolder.Stored)] = []
        try self.forEach { if isChosen($1) { chosen.append(($0, $2)) } }
        guard !chosen.isEmpty else { return 0 }
        let result = try self.withLock { folder in
            var (count, problem): (Int, FileProblem?) = (0, nil)
            for (digest, stored) in chosen {
                do throws(FileProblem) { count += try folder.removeEntry(digest, ifStill: stored) ? 1 : 0 } catch {
                    problem = error
                }
            }
            return (count, problem)
        }
        if let problem = result?.1 { throw problem }
        return result?.0 ?? 0
    }

    /// Reads the summaries of all entries that are not too old.
    private func forEach(_ body: (SHA256, CacheEntry.Summary, CacheFolder.Stored) -> Void) throws(FileProblem) {
        for shard in CacheFolder.shards where try self.place.hasShard(shard) {
            let path = self.place.path(ofShard: shard)
            try self.place.forEach(in: path, named: { CacheFolder.Name($0, in: shard) }) { name, _, _ in
                guard case .entry(let digest) = name else { return }
                do throws(EntryProblem) {
                    let (item, stored) = try self.place.item(digest)
                    let age = self.limits.now() - item.storedAt.timeIntervalSince1970
                    if age <= self.limits.maximumAge {
                        body(digest, item, stored)
                    } else {
                        self.removeIfUnusable(digest)
                    }
                } catch {
                    if case .damaged(let damage) = error, damage != .otherFormat { self.removeIfUnusable(digest) }
                }
            }
        }
    }

    /// Removes a damaged or outdated entry in the background.
    private func removeIfUnusable(_ digest: SHA256) {
        guard self.state.withLock({ $0.unusable.insert(digest).inserted }) else { return }
        self.writeQueue.async {
            do throws(FileProblem) {
                try self.withLock { folder throws(FileProblem) in
                    try folder.removeIfUnusable(digest, limit: self.readLimit)
                }
            } catch {
                self.state.withLock { $0.notices.note(.remove, error) }
            }
            self.state.withLock { _ = $0.unusable.remove(digest) }
        }
    }

    /// Changes the folder while holding its lock.
    ///
    /// - Returns: `nil` if the folder does not exist and is not to be created.
    @discardableResult
    private func withLock<Value>(
        making isMade: Bool = false, _ body: (inout LockedFolder) throws(FileProblem) -> Value
    ) throws(FileProblem) -> Value? {
        var folder: LockedFolder
        let isDiskFull = self.state.withLock { $0.isDiskFull }
        do throws(FileProblem) {
            folder = try LockedFolder.lock(self.place, self.limits, isDiskFull: isDiskFull)
        } catch {
            guard error.isAbsence else { throw error }
            guard isMade else { return nil }
            try self.place.make()
            folder = try LockedFolder.lock(self.place, self.limits, isDiskFull: isDiskFull)
        }
        let result = Result { () throws(FileProblem) in try body(&folder) }
        let (evictions, corruptions, isFull) = (folder.evictions, folder.corruptions, folder.isDiskFull)
        self.state.withLock { state in
            (state.evictions, state.corruptions) = (state.evictions + evictions, state.corruptions + corruptions)
            state.isDiskFull = isFull
        }
        try folder.release()
        return try result.get()
    }
}
