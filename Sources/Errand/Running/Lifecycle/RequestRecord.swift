internal import ErrandLocks
package import ErrandMachines

public import struct Foundation.Date

/// Something that can be in the record: a request, a batch or a chain.
package protocol RecordedWork: AnyObject, Sendable {
    nonisolated var id: RequestID { get }
    nonisolated var tag: String? { get }
    nonisolated var isCoordinator: Bool { get }
    /// Tells it to stop; returns at once.
    nonisolated func stop(_ reason: StopReason)
    /// Holds its transfers back, or lets them go on; returns at once.
    nonisolated func setSuspended(_ isSuspended: Bool)
    /// What the world sees of it right now; the moment it started is given on the client's clock.
    nonisolated func describe() -> WorkDescription
}

package struct WorkDescription: Sendable {
    let kind: RequestActivity.Kind
    let name: String
    let state: RequestState
    let host: String?
    let startedAt: Duration
}

/// What is in flight: every request, batch and chain that was started and has not ended.
///
/// Work is in the record from its start, before its `willStart` hooks, until before its `didStop` hooks: what has been
/// started can be found and cancelled here.
public actor RequestRecord {
    /// One entry of the record.
    public struct Entry: Sendable, Identifiable {
        /// The id of the work.
        public let id: RequestID
        /// What kind of work it is.
        public let kind: RequestActivity.Kind
        /// The name of the endpoint's type; `batch` or `chain` for those.
        public let name: String
        /// Where it is in its life.
        public let state: RequestState
        /// The host and port that the request goes to; `nil` for a batch or a chain.
        public let host: String?
        /// The tag its maker gave it.
        public let tag: String?
        /// When it was started.
        public let since: Date
    }

    private struct Table {
        var works: [RequestID: any RecordedWork] = [:]
        /// Someone reads the counts: the actor has to be told of each change.
        var isWatched = false
        /// Why nothing may start any more.
        var closeReason: StopReason?
        /// Why nothing may start any more but what belongs to what runs.
        var drainReason: StopReason?
        /// What was started nevertheless, and is told so.
        var refused = Set<RequestID>()
        /// Those who wait until nothing is in flight.
        var drains: [Waiter<Void>] = []

        var isDrained: Bool { self.works.count == self.refused.count }

        mutating func takeDrains() -> [Waiter<Void>] {
            guard !self.drains.isEmpty else { return [] }
            defer { self.drains = [] }
            return self.drains
        }
    }

    private let timebase: Timebase
    private let date: @Sendable () -> Date
    /// Under a lock, so that work enters and leaves without waiting for the actor.
    private nonisolated let table = Locked(Table())
    private var countStreams: [UInt64: AsyncStream<Int>.Continuation] = [:]
    private var lastStream: UInt64 = 0

    package init(timebase: Timebase, date: @escaping @Sendable () -> Date) {
        self.timebase = timebase
        self.date = date
    }

    deinit {
        for stream in self.countStreams.values { stream.finish() }
    }

    // MARK: - Looking

    /// How many requests, batches and chains are in flight.
    public var count: Int { self.table.withLock { $0.works.count } }

    /// The count now, and after each change; a slow reader gets the latest.
    public var counts: AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        self.lastStream += 1
        let key = self.lastStream
        self.countStreams[key] = continuation
        continuation.yield(
            self.table.withLock { table in
                table.isWatched = true
                return table.works.count
            })
        continuation.onTermination = { [weak self] _ in
            // Unstructured: the reader does not wait for its stream to be forgotten. Ends with that one call.
            spawn { await self?.forgetStream(key) }
        }
        return stream
    }

    /// Tells whether the work with this id is in flight.
    public func contains(_ id: RequestID) -> Bool {
        self.work(id) != nil
    }

    /// The work with this id, if it is in flight.
    public func entry(_ id: RequestID) -> Entry? {
        self.work(id).map { self.entry(of: $0) }
    }

    /// All that is in flight, in the order in which it was made.
    public func snapshot() -> [Entry] {
        self.works.map { self.entry(of: $0) }.sorted { $0.id < $1.id }
    }

    private var works: [any RecordedWork] { self.table.withLock { Array($0.works.values) } }

    private func work(_ id: RequestID) -> (any RecordedWork)? {
        self.table.withLock { $0.works[id] }
    }

    private func entry(of work: any RecordedWork) -> Entry {
        let description = work.describe()
        let age = self.timebase.now - description.startedAt
        return Entry(
            id: work.id, kind: description.kind, name: description.name, state: description.state,
            host: description.host, tag: work.tag,
            since: self.date().addingTimeInterval(-(age / .seconds(1))))
    }

    // MARK: - Cancelling

    /// Cancels everything that is in flight: batches and chains as such, and their requests with them.
    ///
    /// Returns at once; what was cancelled ends by itself, hooks and all.
    public func cancelAll() {
        self.stopAll(.cancelled)
    }

    /// Cancels everything in flight that has this tag, and returns how many that are.
    @discardableResult
    public func cancel(tag: String) -> Int {
        let tagged = self.works.filter { $0.tag == tag }
        for work in tagged.inOrderOfStopping { work.stop(.cancelled) }
        return tagged.count
    }

    /// Cancels the work with this id, and tells whether it was in flight.
    @discardableResult
    public func cancel(_ id: RequestID) -> Bool {
        guard let work = self.work(id) else { return false }
        work.stop(.cancelled)
        return true
    }

    /// Stops everything, and whatever is started later.
    package func close(_ reason: StopReason) {
        let drains = self.table.withLock { table in
            table.closeReason = reason
            return table.takeDrains()
        }
        self.stopAll(reason)
        for waiter in drains { waiter.wake() }
    }

    /// Stops whatever is started later, unless it belongs to what is in flight.
    ///
    /// - Returns: What is woken as soon as nothing is in flight.
    nonisolated func drain(_ reason: StopReason) -> Waiter<Void> {
        let drained = Waiter<Void>()
        let isOver = self.table.withLock { table in
            table.drainReason = reason
            let isOver = table.isDrained || table.closeReason != nil
            if !isOver { table.drains.append(drained) }
            return isOver
        }
        if isOver { drained.wake() }
        return drained
    }

    /// What is in flight, but for what was refused.
    func undrained() -> [Entry] {
        let refused = self.table.withLock { $0.refused }
        return self.snapshot().filter { !refused.contains($0.id) }
    }

    private func stopAll(_ reason: StopReason) {
        for work in self.works.inOrderOfStopping { work.stop(reason) }
    }

    // MARK: - Suspending

    /// Suspends all requests, batches and chains in flight that have this tag; see ``Request/suspend()``.
    ///
    /// What is started later with the tag is not suspended, but for the requests of these batches and chains.
    ///
    /// - Returns: How many there are.
    @discardableResult
    public func suspend(tag: String) -> Int { self.setSuspended(true, tag: tag) }

    /// Lets all that is in flight with this tag go on, and returns how many that are.
    @discardableResult
    public func resume(tag: String) -> Int { self.setSuspended(false, tag: tag) }

    private func setSuspended(_ isSuspended: Bool, tag: String) -> Int {
        let tagged = self.works.filter { $0.tag == tag }
        for work in tagged { work.setSuspended(isSuspended) }
        return tagged.count
    }

    /// Suspends all that is in flight, or lets it go on.
    nonisolated func setAllSuspended(_ isSuspended: Bool) {
        for work in self.table.withLock({ Array($0.works.values) }) { work.setSuspended(isSuspended) }
    }

    // MARK: - Keeping

    /// Takes in work; whoever looks into the record finds it from here on, and whoever cancels there reaches it.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - id: Its id.
    ///   - isPart: Whether it belongs to a batch or a chain, which is in flight.
    @inline(__always)
    package nonisolated func insert(_ work: any RecordedWork, _ id: RequestID, isPart: Bool = false) async {
        if self.take(work, id, isPart: isPart) { await self.publishCount() }
    }

    /// Takes it out.
    @inline(__always)
    package nonisolated func remove(_ id: RequestID) async {
        if self.drop(id) { await self.publishCount() }
    }

    /// - Returns: Whether someone reads the counts.
    private nonisolated func take(_ work: any RecordedWork, _ id: RequestID, isPart: Bool) -> Bool {
        let (isWatched, closeReason) = self.table.withLock { table in
            table.works[id] = work
            if !isPart, table.drainReason != nil { table.refused.insert(id) }
            return (table.isWatched, table.closeReason ?? (isPart ? nil : table.drainReason))
        }
        if let closeReason { work.stop(closeReason) }
        return isWatched
    }

    /// - Returns: Whether someone reads the counts, and it was there.
    private nonisolated func drop(_ id: RequestID) -> Bool {
        let (work, isWatched, drained) = self.table.withLock { table in
            let work = table.works.removeValue(forKey: id)
            if !table.refused.isEmpty { table.refused.remove(id) }
            return (work, table.isWatched, table.isDrained ? table.takeDrains() : [])
        }
        for waiter in drained { waiter.wake() }
        return work != nil && isWatched
    }

    private func publishCount() {
        let count = self.count
        for stream in self.countStreams.values { stream.yield(count) }
    }

    private func forgetStream(_ key: UInt64) {
        self.countStreams[key] = nil
        let isWatched = !self.countStreams.isEmpty
        self.table.withLock { $0.isWatched = isWatched }
    }
}

extension [any RecordedWork] {
    /// A coordinator hears that it is stopped before its children do, so that it does not take that for a failure.
    ///
    /// Otherwise oldest first, since the order of a dictionary is another one each time.
    fileprivate var inOrderOfStopping: [any RecordedWork] {
        let sorted = self.sorted { $0.id < $1.id }
        return sorted.filter(\.isCoordinator) + sorted.filter { !$0.isCoordinator }
    }
}
