internal import Dispatch
internal import ErrandLocks
public import Foundation

/// Keeps responses in files, in a folder of its own; the one that was not used for longest goes first.
///
/// Whoever stores does not wait for the disk: entries are written behind the caller, and are answered from memory
/// until they are there. ``flush()`` waits for that, such as before an app goes to the background. A process that ends
/// earlier, in whatever way, leaves whole entries: the new one, or the one before, or none. A damaged entry is removed
/// and counted, and never answered. The body of an entry is stored as it is, not encrypted.
///
/// Several caches and processes may use one folder: who changes something has its lock, and who reads needs none. All
/// files of entries together never have more bytes than the capacity, at no step and with any number of processes; if
/// their capacities differ, each keeps to its own when it stores. Other files in the folder are left alone, and links are not followed.
/// Where the folder cannot be locked, nothing is stored. A folder that belongs to another user, or that others may write to,
/// is not used, nor is such an entry.
public final class DiskCache: ResponseCache, Sendable {
    /// The folder of the entries.
    public let folder: URL
    /// The most bytes that all files of entries may have.
    public let capacity: Int
    /// The greatest age of an entry; an older one is never answered.
    public let maximumAge: Duration

    private struct State {
        var pending: PendingChanges
        var notices: CacheNotices
        /// Those whose last use is noted in their files, and since when: that is near enough for a minute.
        var uses: (since: Double, digests: Set<SHA256>) = (0, [])
        /// Those that the writing side is to look at.
        var unusable: Set<SHA256> = []
        /// Whether the write queue has been told of what waits.
        var isWriting = false
        var isDiskFull = false
        /// Whether it was looked that nobody else could have put anything into the folder.
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

    /// Creates a cache in a folder, which is made when the first entry is stored; nothing is read or written before.
    ///
    /// - Parameters:
    ///   - folder: Where to put the entries. A folder that has to be made is for this user only, and not backed up
    ///     where the system can be told so.
    ///   - capacity: The most bytes that all files of entries may have.
    ///   - maximumAge: How old an entry may become; older ones are removed when somebody asks for them, when room is
    ///     made, and once a day while others are stored.
    public convenience init(
        folder: URL, capacity: Int = 150 << 20, maximumAge: Duration = .seconds(30 * 24 * 60 * 60)
    ) {
        self.init(folder: folder, capacity: capacity, maximumAge: maximumAge, watcher: nil) { Date() }
    }

    /// Creates a cache that is told what time it is, and of which somebody sees each step.
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

    /// Returns the entry stored for a key, unless it is older than ``maximumAge``: then it is removed.
    ///
    /// A task that is cancelled does not wait for the disk, and gets ``CacheMiss/noEntry``.
    ///
    /// - Throws: ``CacheMiss/noEntry``, ``CacheMiss/unreadable``, ``CacheMiss/otherFormat``,
    ///   ``CacheMiss/corruptHead`` or ``CacheMiss/corruptBody``.
    @concurrent
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        let now = self.limits.now()
        let entry: CacheEntry
        switch self.state.withLock({ $0.pending[key] }) {
        case .removal: throw .noEntry
        case nil: entry = try await self.stored(key.digest, now)
        case .entry(let waiting):
            // The one that it would replace may have been asked for later.
            let stored = waiting.receivedAt == nil ? nil : try? await self.stored(key.digest, now)
            entry = stored.flatMap { waiting.replaces(entryStoredAt: $0.storedAt) ? nil : $0 } ?? waiting
        }
        guard now - entry.storedAt.timeIntervalSince1970 <= self.limits.maximumAge else {
            self.removeIfUnusable(key.digest)
            throw .noEntry
        }
        return entry
    }

    /// Returns the entry stored for a key where the system has it in memory, and nothing has to be waited for.
    public func entryAtHand(for key: CacheKey) -> CacheEntry? {
        let now = self.limits.now()
        guard self.state.withLock({ $0.pending[key] }) == nil, let entry = try? self.storedAtHand(key.digest, now),
            now - entry.storedAt.timeIntervalSince1970 <= self.limits.maximumAge
        else { return nil }
        return entry
    }

    private func storedAtHand(_ digest: SHA256, _ now: Double) throws(EntryProblem) -> CacheEntry? {
        let (isNewUse, isChecked) = self.state.withLock { ($0.isNewUse(of: digest, at: now), $0.isChecked) }
        if !isChecked { try self.checkFolder() }
        return try self.place.entryAtHand(digest, isNewUse: isNewUse, now: now)
    }

    /// Looks once whether what is in the folder can be trusted.
    private func checkFolder() throws(EntryProblem) {
        do throws(FileProblem) { try OwnFolder.check(self.place.path) } catch {
            throw error.isAbsence ? EntryProblem.missing : EntryProblem.other(error)
        }
        self.state.withLock { $0.isChecked = true }
    }

    private func stored(_ digest: SHA256, _ now: Double) async throws(CacheMiss) -> CacheEntry {
        do throws(EntryProblem) {
            // To hand it to another thread costs more than to read it, unless there is a disk or a network to wait for.
            if let entry = try self.storedAtHand(digest, now) { return entry }
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

    /// What is larger was not stored, and would not fit into memory.
    private var readLimit: Int { min(self.capacity, 1 << 31) }

    // MARK: - Changing

    /// Stores an entry in place of the one that was there; one that is larger than the capacity is not kept.
    ///
    /// One that was asked for later stays, see ``CacheEntry/replaces(entryStoredAt:)``, whichever process stored it. A
    /// large body that is the same as before is not written again.
    ///
    /// Returns at once. What comes faster than the disk takes it is not kept either, from some megabytes on.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        let (removal, isFirst) = self.state.withLock { state in
            let isAdded = state.pending.add(entry, for: key)
            if !isAdded { state.notices.noteHaste() }
            defer { state.isWriting = true }
            return (isAdded ? nil : state.pending.addRemoval(of: key), !state.isWriting)
        }
        // The older one is not to be answered either.
        if let removal { self.writeQueue.async { try? self.carryOut(removal) } }
        if isFirst { self.writeQueue.async { self.write() } }
    }

    /// Removes the entry of a key, if there is one, and waits until it is gone.
    ///
    /// - Throws: ``ErrandError``: with the code ``ErrandError/Code/fileFailed`` if the system refuses, and may return
    ///   the entry later; ``ErrandError/Code/cancelled`` if the task is cancelled, though it is removed then.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        self.removalCounts.note(key)
        let removal = self.state.withLock { $0.pending.addRemoval(of: key) }
        try await self.removing { () throws(FileProblem) in try self.carryOut(removal) }
    }

    /// Removes all entries that a function chooses, and waits until they are gone; returns how many that were.
    ///
    /// Damaged entries, which cannot be judged, go as well; those of another version of this library stay.
    ///
    /// - Throws: ``ErrandError``, as ``remove(_:)`` does, after all others were removed.
    /// - Complexity: Linear in the number of entries, of each of which the metadata are read.
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

    /// Waits until everything that was stored before is on the disk.
    public func flush() async {
        await self.writeQueue.performUnlessCancelled { self.write() }
    }

    // MARK: - Looking inside

    /// Descriptions of all entries that can be read, in no order.
    ///
    /// - Complexity: Linear in the number of entries, of each of which the metadata are read.
    public func summaries() async -> [CacheEntry.Summary] {
        let items = await self.writeQueue.performUnlessCancelled {
            self.write()
            var items: [CacheEntry.Summary] = []
            try? self.forEach { _, item, _ in items.append(item) }
            return items
        }
        return items ?? []
    }

    /// The size of what is on the disk, also of what was stored before.
    ///
    /// Evictions and corruptions are those of this cache since it was created.
    ///
    /// - Complexity: Constant; linear in the number of entries when they have to be counted, as the first time.
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

    /// Returns what is wrong with the folder, in words, each thing once until entries can be stored again.
    public func takeNotice() -> String? {
        self.state.withLock { $0.notices.take() }
    }

    /// Always: a cancelled task does not wait for the disk.
    public var respondsToCancellation: Bool { true }

    /// The number of times the entry of a key was removed by hand, or may have been.
    public func removals(of key: CacheKey) -> Int { self.removalCounts[key] }

    // MARK: - On the queues

    /// Writes what waits, some at a time, so that others get the lock in between.
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
        // Requests wait for this that remove what may be there: where nothing is, none has to wait for others, or a count.
        guard try self.place.stored(removal.key.digest) != nil else { return }
        try self.withLock { folder throws(FileProblem) in _ = try folder.removeEntry(removal.key.digest) }
    }

    private func carryOut(_ isChosen: (CacheEntry.Summary) -> Bool) throws(FileProblem) -> Int {
        // Whoever chooses may take their time: nobody waits for the lock meanwhile.
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

    /// Reads what all entries are about that are not too old.
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

    /// Removes an entry that is damaged or too old, without anybody waiting for it.
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

    /// Changes the folder.
    ///
    /// - Returns: `nil` if there is none, and it is not to be made.
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
