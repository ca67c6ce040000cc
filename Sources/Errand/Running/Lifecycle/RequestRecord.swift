internal import ErrandLocks
package import ErrandMachines

public import struct Foundation.Date

/// An object in the request record: a request, batch, or chain.
package protocol RecordedWork: AnyObject, Sendable {
    nonisolated var id: RequestID { get }
    nonisolated var tag: String? { get }
    nonisolated var isCoordinator: Bool { get }
    /// Stops the work; returns at once.
    nonisolated func stop(_ reason: StopReason)
    /// Suspends or resumes its transfers; returns at once.
    nonisolated func setSuspended(_ isSuspended: Bool)
    /// The current description, with the start time on the client's clock.
    nonisolated func describe() -> WorkDescription
}

package struct WorkDescription: Sendable {
    let kind: RequestActivity.Kind
    let name: String
    let state: RequestState
    let host: String?
    let startedAt: Duration
}

/// The requests, batches, and chains in flight, from their start to their end.
///
/// Work is in the record from its start, before its `willStart` hooks, until before its `didStop` hooks. All started
/// work can be found and cancelled here.
public actor RequestRecord {
    /// An entry of the record.
    public struct Entry: Sendable, Identifiable {
        /// The ID of the work.
        public let id: RequestID
        /// The kind of work.
        public let kind: RequestActivity.Kind
        /// The name of the endpoint's type; `batch` or `chain` for those.
        public let name: String
        /// The state of the work.
        public let state: RequestState
        /// The host and port of the request; `nil` for a batch or a chain.
        public let host: String?
        /// The tag of the work.
        public let tag: String?
        /// The time at which the work was started.
        public let since: Date
    }

    private struct Table {
        var works: [RequestID: any RecordedWork] = [:]
        /// Set if the count has readers, so that the actor must be notified of each change.
        var isWatched = false
        /// The reason for stopping any new work, once closed.
        var closeReason: StopReason?
        /// The reason for stopping new work that does not belong to running work, once draining.
        var drainReason: StopReason?
        /// Work that was started while draining, and is being stopped.
        var refused = Set<RequestID>()
        /// Waiters for the moment when no work is in flight.
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
    /// Under a lock, so that work can enter and leave without waiting for the actor.
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

    // MARK: - Inspecting

    /// The number of requests, batches, and chains in flight.
    public var count: Int { self.table.withLock { $0.works.count } }

    /// The current count, then each change.
    ///
    /// A slow reader gets only the latest.
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
            // Unstructured: the reader does not wait for the removal of its stream. Ends with this call.
            spawn { await self?.forgetStream(key) }
        }
        return stream
    }

    /// Returns a Boolean value that indicates whether the work with this ID is in flight.
    public func contains(_ id: RequestID) -> Bool {
        self.work(id) != nil
    }

    /// Returns the entry of the work with this ID, or `nil` if it is not in flight.
    public func entry(_ id: RequestID) -> Entry? {
        self.work(id).map { self.entry(of: $0) }
    }

    /// Returns the entries of all work in flight, in order of creation.
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

    /// Cancels all work in flight: batches and chains as a whole, including their requests.
    ///
    /// Returns at once. The cancelled work then ends by itself, including its hooks.
    public func cancelAll() {
        self.stopAll(.cancelled)
    }

    /// Cancels all work in flight with this tag, and returns its number.
    @discardableResult
    public func cancel(tag: String) -> Int {
        let tagged = self.works.filter { $0.tag == tag }
        for work in tagged.inOrderOfStopping { work.stop(.cancelled) }
        return tagged.count
    }

    /// Cancels the work with this ID; returns `false` if it was not in flight.
    @discardableResult
    public func cancel(_ id: RequestID) -> Bool {
        guard let work = self.work(id) else { return false }
        work.stop(.cancelled)
        return true
    }

    /// Stops all work, including work started later.
    package func close(_ reason: StopReason) {
        let drains = self.table.withLock { table in
            table.closeReason = reason
            return table.takeDrains()
        }
        self.stopAll(reason)
        for waiter in drains { waiter.wake() }
    }

    /// Stops work that is started later, unless it belongs to work in flight.
    ///
    /// - Returns: A waiter that is woken as soon as no work is in flight.
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

    /// The work in flight, except for work that was refused.
    func undrained() -> [Entry] {
        let refused = self.table.withLock { $0.refused }
        return self.snapshot().filter { !refused.contains($0.id) }
    }

    private func stopAll(_ reason: StopReason) {
        for work in self.works.inOrderOfStopping { work.stop(reason) }
    }

    // MARK: - Suspending

    /// Suspends all requests, batches, and chains in flight with this tag; see ``Request/suspend()``.
    ///
    /// Work started later with the tag is not suspended, except for the requests of these batches and chains.
    ///
    /// - Returns: The number of suspended requests, batches, and chains.
    @discardableResult
    public func suspend(tag: String) -> Int { self.setSuspended(true, tag: tag) }

    /// Resumes all work in flight with this tag, and returns its number.
    @discardableResult
    public func resume(tag: String) -> Int { self.setSuspended(false, tag: tag) }

    private func setSuspended(_ isSuspended: Bool, tag: String) -> Int {
        let tagged = self.works.filter { $0.tag == tag }
        for work in tagged { work.setSuspended(isSuspended) }
        return tagged.count
    }

    /// Suspends or resumes all work in flight.
    nonisolated func setAllSuspended(_ isSuspended: Bool) {
        for work in self.table.withLock({ Array($0.works.values) }) { work.setSuspended(isSuspended) }
    }

    // MARK: - Entering and leaving

    /// Inserts work.
    ///
    /// From here on, it can be found and cancelled in the record.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - id: Its ID.
    ///   - isPart: True if it belongs to a batch or a chain in flight.
    @inline(__always)
    package nonisolated func insert(_ work: any RecordedWork, _ id: RequestID, isPart: Bool = false) async {
        if self.take(work, id, isPart: isPart) { await self.publishCount() }
    }

    /// Removes the work with this ID.
    @inline(__always)
    package nonisolated func remove(_ id: RequestID) async {
        if self.drop(id) { await self.publishCount() }
    }

    /// - Returns: True if the count has readers.
    private nonisolated func take(_ work: any RecordedWork, _ id: RequestID, isPart: Bool) -> Bool {
        let (isWatched, closeReason) = self.table.withLock { table in
            table.works[id] = work
            if !isPart, table.drainReason != nil { table.refused.insert(id) }
            return (table.isWatched, table.closeReason ?? (isPart ? nil : table.drainReason))
        }
        if let closeReason { work.stop(closeReason) }
        return isWatched
    }

    /// - Returns: True if the count has readers and the work was present.
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
    /// The order in which work is stopped: coordinators before their children, so that they do not count the stop as a
    /// failure.
    ///
    /// Otherwise oldest first, because the order of a dictionary is random.
    fileprivate var inOrderOfStopping: [any RecordedWork] {
        let sorted = self.sorted { $0.id < $1.id }
        return sorted.filter(\.isCoordinator) + sorted.filter { !$0.isCoordinator }
    }
}
