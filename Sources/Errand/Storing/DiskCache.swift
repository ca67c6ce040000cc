internal import Dispatch
internal import ErrandLocks
public import Foundation
internal import Synchronization

/// Keeps responses in files, one for each, in a folder of its own; the one that was not used for longest goes first.
///
/// Whoever stores does not wait for the disk: entries are written behind the caller, and are answered from memory
/// until they are there. ``flush()`` waits for that, such as before an app goes to the background. A process that ends
/// earlier, in whatever way, leaves whole entries: the new one, or the one before, or none. A damaged entry is removed
/// and counted, and never answered. The body of an entry is stored as it is, not encrypted.
///
/// Several caches and processes may use one folder: they take turns to put entries in their places and to remove them,
/// and write down in it how many bytes there are. Other files in it are left alone, and links are not followed.
///
/// The bound holds for all of them together, within one entry for each that is about to put one in its place; what
/// processes left that were killed is included. Each keeps to its own bound: the lowest counts. Where the disk is full
/// before that, some entries that were not used for longest go. Where the folder cannot be locked, as in some file
/// systems on a network, while a process is stopped in the middle of a change, or where a disk is so slow that others
/// stop waiting, each counts for itself, and notices only from time to time what the others stored: for *n* of them, up
/// to *n*/16 of the capacity more may be there for a while, and up to *n*/4 when the changes of one hide behind those
/// of another.
public final class DiskCache: ResponseCache, Sendable {
    /// Where the entries are.
    public let folder: URL
    /// The most bytes that all entry files may have.
    public let capacity: Int
    /// How old an entry may become; an older one is never answered.
    public let maximumAge: Duration

    /// Something that the writing side is to look at once, however many ask for it.
    enum Chore: Hashable {
        case damaged(SHA256)
        case chosen(SHA256)
        case refused
    }

    struct State {
        var changes: CacheChanges
        var withheld = WithheldEntries()
        /// When it was last tried to remove those.
        var lastRetry = -Double.infinity
        var chores: Set<Chore> = []
        var notices = CacheNotices()
        /// Whether the writing side has looked through the folder.
        var hasIndex = false
        /// Whether the write queue has been told of the changes.
        var isDraining = false
    }

    let place: CacheFolder
    let now: @Sendable () -> Double
    private let maximumSeconds: Double
    let state: Locked<State>
    private let uses = CacheUses()
    private let removalCount = Atomic(0)
    /// Only used on the write queue: nobody ever waits for this lock, and so it may be held for long.
    let keeper: Locked<CacheKeeper>
    private let readQueue = DispatchQueue(label: "errand.cache.read", qos: .userInitiated, attributes: .concurrent)
    let writeQueue = DispatchQueue(label: "errand.cache.write", qos: .utility)

    /// How many bytes may wait to be written: a quarter of the capacity within these bounds.
    private static let pendingLimits = 64 << 10...32 << 20

    /// Creates a cache in a folder, which is made when the first entry is stored; nothing is read or written before.
    ///
    /// - Parameters:
    ///   - folder: Where to put the entries. A folder that has to be made is for this user only, and not backed up
    ///     where the system can be told so.
    ///   - capacity: The most bytes that all entry files may have.
    ///   - maximumAge: How old an entry may become; older ones are removed when somebody asks for them, and from time to
    ///     time while others are stored.
    public convenience init(
        folder: URL, capacity: Int = 150 << 20, maximumAge: Duration = .seconds(30 * 24 * 60 * 60)
    ) {
        self.init(folder: folder, capacity: capacity, maximumAge: maximumAge) { Date() }
    }

    /// Creates a cache that is told what time it is.
    package convenience init(
        folder: URL, capacity: Int = 150 << 20, maximumAge: Duration = .seconds(30 * 24 * 60 * 60),
        date: @escaping @Sendable () -> Date
    ) {
        self.init(folder: folder, capacity: capacity, maximumAge: maximumAge, watcher: nil, date: date)
    }

    /// Creates a cache of which somebody sees each step.
    init(
        folder: URL, capacity: Int, maximumAge: Duration, watcher: CacheFolder.Watcher?,
        date: @escaping @Sendable () -> Date
    ) {
        let capacity = max(0, capacity)
        let place = CacheFolder(folder, watcher: watcher)
        let now = { @Sendable in date().timeIntervalSince1970 }
        self.folder = folder
        self.capacity = capacity
        self.maximumAge = maximumAge
        self.place = place
        self.now = now
        self.maximumSeconds = maximumAge / .seconds(1)
        let limits = Self.pendingLimits
        let limit = min(max(capacity / 4, limits.lowerBound), limits.upperBound)
        self.state = Locked(State(changes: CacheChanges(limit: limit)))
        self.keeper = Locked(
            CacheKeeper(
                place, capacity: capacity, maximumAge: self.maximumSeconds, uses: self.uses, now: now))
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
        let digest = key.digest
        let (change, withheld) = self.state.withLock { ($0.changes[key], $0.withheld) }
        let entry: CacheEntry
        switch change {
        case .entry(let waiting):
            entry = withheld.contains(digest) ? waiting : await self.later(of: waiting, key, unless: withheld)
        case .removal: throw .noEntry
        case nil:
            guard !withheld.contains(digest) else {
                self.doLater(.refused) { self.removeAgain(&$0) }
                throw .noEntry
            }
            entry = try await self.stored(key, unless: withheld)
        }
        guard self.countUse(of: entry, for: key) else {
            // Nobody waits for that.
            self.writeQueue.async { self.work { $0.evictIfOld(digest) } }
            throw .noEntry
        }
        return entry
    }

    /// What counts of an entry that waits to be written and the one that it would replace: that may have been asked for
    /// later.
    private func later(
        of waiting: CacheEntry, _ key: CacheKey, unless withheld: WithheldEntries
    ) async -> CacheEntry {
        guard let stored = await self.onReadQueue({ self.place.storedAt(key.digest) }) ?? nil,
            stored > waiting.storedAt, !waiting.replaces(entryStoredAt: stored),
            case .success(let entry) = await self.find(key, unless: withheld),
            // What the file says is exact, and it may be another file by now.
            !waiting.replaces(entryStoredAt: entry.storedAt)
        else { return waiting }
        return entry
    }

    private func stored(
        _ key: CacheKey, unless withheld: WithheldEntries
    ) async throws(CacheMiss) -> CacheEntry {
        switch await self.find(key, unless: withheld) {
        case .success(let entry): return entry
        case nil, .failure(.missing), .failure(.outdone): throw .noEntry
        case .failure(.damaged(let damage)):
            if damage != .otherFormat {
                self.doLater(.damaged(key.digest)) { self.removeIfDamaged(key.digest, &$0) }
            }
            throw damage.miss
        case .failure(.other(let problem)):
            self.state.withLock { $0.notices.note(problem) }
            throw .unreadable
        }
    }

    /// What is larger was not stored, and would not fit into memory.
    var readLimit: Int { min(self.capacity, 1 << 31) }

    /// Looks for an entry on the disk, but for one that was chosen to be removed from there.
    ///
    /// - Returns: Nothing when the task was cancelled.
    private func find(
        _ key: CacheKey, unless withheld: WithheldEntries
    ) async -> Result<CacheEntry, EntryProblem>? {
        let result = await self.find(key.digest)
        guard case .success(let entry) = result,
            withheld.chooses(
                key.digest, CacheItem(entry, for: key, size: EntryFile.size(of: entry, for: key)), at: self.now())
        else { return result }
        // Now that it can be read it can perhaps be removed.
        self.doLater(.chosen(key.digest)) { self.removeIfChosen(key.digest, &$0) }
        return .failure(.missing)
    }

    /// - Returns: Nothing when the task was cancelled.
    private func find(_ digest: SHA256) async -> Result<CacheEntry, EntryProblem>? {
        // To hand it to another thread costs more than to read it, unless there is a disk or a network to wait for.
        do throws(EntryProblem) {
            let entry = try self.place.entryAtHand(digest, limit: self.readLimit, now: self.now())
            if let entry { return .success(entry) }
        } catch {
            // Another may have been put in its place meanwhile: what is looked at first and then read is one file.
            guard case .damaged = error else { return .failure(error) }
        }
        return await self.onReadQueue {
            Result { () throws(EntryProblem) in
                try self.place.entry(digest, limit: self.readLimit, now: self.now())
            }
        }
    }

    /// - Returns: Nothing when the task was cancelled.
    private func onReadQueue<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
        // Certain to be woken: the queue runs all it is given.
        let waiter = Waiter<Result>()
        self.readQueue.async { waiter.resume(work()) }
        return await waiter.wait()
    }

    // MARK: - Changing

    /// Stores an entry in place of the one that was there; one that is larger than the capacity is not kept.
    ///
    /// One that was asked for later stays, see ``CacheEntry/replaces(entryStoredAt:)``, whichever process stored it.
    ///
    /// Returns at once. What comes faster than the disk takes it is not kept either, from some megabytes on.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        self.noteUse(of: key.digest)
        self.add(.entry(entry), for: key)
    }

    /// Removes the entry of a key, if there is one, and waits until it is gone.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        self.countRemoval()
        let number = self.add(.removal, for: key)
        await self.onWriteQueue { self.drain(upTo: number, into: &$0) }
    }

    /// Removes all entries that a function chooses, and waits until they are gone; returns how many that were.
    ///
    /// Damaged entries, which cannot be judged, go as well, and those that are too old or that an earlier version of
    /// this library wrote; those of a later version stay.
    ///
    /// - Complexity: Linear in the number of entries, of each of which the head is read.
    @discardableResult
    public func remove(where isChosen: @escaping @Sendable (CacheItem) -> Bool) async throws(ErrandError) -> Int {
        self.countRemoval()
        let number = self.lastNumber
        let choice = WithheldEntries.Choice(isChosen: isChosen, time: self.now())
        return await self.onWriteQueue { keeper in
            self.drain(upTo: number, into: &keeper)
            return self.sweep(&keeper, choice).count
        }
    }

    /// What is known of all entries, in no order; those that can be read.
    ///
    /// - Complexity: Linear in the number of entries, of each of which the head is read.
    public func items() async -> [CacheItem] {
        let number = self.lastNumber
        return await self.onWriteQueue { keeper in
            self.drain(upTo: number, into: &keeper)
            let withheld = self.state.withLock { $0.withheld }
            var items: [CacheItem] = []
            _ = keeper.remove { digest, item in
                if !withheld.contains(digest), !withheld.chooses(digest, item, at: self.now()) { items.append(item) }
                return false
            }
            return items
        }
    }

    /// Waits until everything that was stored before is on the disk.
    public func flush() async {
        let number = self.lastNumber
        await self.onWriteQueue { self.drain(upTo: number, into: &$0) }
    }

    private func countRemoval() {
        self.removalCount.add(1, ordering: .sequentiallyConsistent)
    }

    // MARK: - Looking inside

    /// Always: a cancelled task does not wait for the disk.
    public var respondsToCancellation: Bool { true }

    /// How often something was removed by hand.
    public var removals: Int { self.removalCount.load(ordering: .sequentiallyConsistent) }

    /// How much is on the disk; what was stored before is counted.
    ///
    /// Evictions and corruptions are those of this cache since it was created.
    ///
    /// - Complexity: Linear in the number of entries when the folder has to be looked through, as the first time.
    public var usage: CacheUsage? {
        get async {
            let number = self.lastNumber
            return await self.onWriteQueue { keeper in
                self.drain(upTo: number, into: &keeper)
                return keeper.usage()
            }
        }
    }

    /// Returns what is wrong with the folder, in words, each thing once until entries can be stored again.
    public func takeNotice() -> String? {
        self.state.withLock { $0.notices.take() }
    }
}

// MARK: - Uses

extension DiskCache {
    private func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool {
        guard self.now() - entry.storedAt.timeIntervalSince1970 <= self.maximumSeconds else { return false }
        self.noteUse(of: key.digest)
        return true
    }

    private func noteUse(of digest: SHA256) {
        guard self.uses.note(digest, at: self.now()) else { return }
        self.writeQueue.async { self.work { $0.takeUses() } }
    }
}
