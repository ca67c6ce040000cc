internal import ErrandLocks

/// A clock that moves only when a test advances it.
///
/// The clock starts at offset zero. Code under test sleeps on it as on any other `Clock`; a test waits until that code
/// has gone to sleep and then moves the clock there:
///
/// ```swift
/// let clock = TestClock()
/// let work = Task { try await clock.sleep(for: .seconds(30)) }
/// await clock.waitForSleeper()
/// clock.advance(by: .seconds(30))
/// try await work.value
/// ```
///
/// No member ever waits for real time. All members may be called from any thread and any isolation domain.
public final class TestClock: Clock, Sendable {
    /// The duration type of the standard library.
    public typealias Duration = Swift.Duration

    private struct Waiter {
        let id: UInt64
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant.zero
        var sleepers = TestClockSleepers()
        /// Cancelled sleeps, whose resources have not been released.
        var cancelled: [SleepingJob] = []
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
        var isClosed = false

        mutating func makeID() -> UInt64 {
            self.lastID += 1
            return self.lastID
        }

        /// Removes and returns the waiters that the number of sleepers satisfies.
        mutating func removeSatisfiedWaiters() -> [Waiter] {
            let count = self.sleepers.count
            guard self.waiters.contains(where: { $0.count <= count }) else { return [] }
            let satisfied = self.waiters.filter { $0.count <= count }
            self.waiters.removeAll { $0.count <= count }
            return satisfied
        }
    }

    private let state = Locked(unobserved: State())
    private let observer: (any SleepObserver)?

    /// Creates a clock at offset zero.
    public convenience init() {
        self.init(observer: nil)
    }

    /// Creates a clock that notifies an observer when tasks wake.
    init(observer: (any SleepObserver)?) {
        self.observer = observer
    }

    // MARK: - Reading the clock

    /// The current instant of the clock.
    public var now: Instant {
        StepRecorder.note(.clock, isWrite: false)
        return self.state.withLock { $0.now }
    }

    /// The smallest step of the clock: zero, since it moves by any duration.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks asleep on the clock.
    public var sleeperCount: Int {
        StepRecorder.note(.clock, isWrite: false)
        return self.state.withLock { $0.sleepers.count }
    }

    /// The earliest instant for which a task is asleep, or `nil` if no task is.
    public var nextSleeperDeadline: Instant? {
        StepRecorder.note(.clock, isWrite: false)
        return self.state.withLock { $0.sleepers.first?.deadline }
    }

    // MARK: - Sleeping

    /// Sleeps until the clock has reached a deadline.
    ///
    /// Returns at once if the clock is already there. A cancelled task wakes at once and is no longer counted as
    /// asleep.
    ///
    /// - Parameters:
    ///   - deadline: The instant at which to wake.
    ///   - tolerance: Ignored: sleepers wake in the exact order of their deadlines.
    /// - Throws: `CancellationError` if the task is cancelled before the deadline.
    /// - Complexity: O(*n*) in the number of sleepers, with a search of O(log *n*).
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        StepRecorder.note(.clock)
        let id = self.state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = self.observer?.sleepingTask ?? 0
                self.register(
                    TestClockSleepers.Sleeper(
                        id: id, deadline: deadline, task: task, waking: .continuation(continuation)))
            }
        } onCancel: {
            StepRecorder.note(.clock)
            // A cancellation before `register` finds no sleeper here; `register` then sees the cancelled task.
            let sleeper = self.state.withLock { $0.sleepers.remove(id: id, deadline: deadline) }
            sleeper?.cancel()
        }
    }

    /// Puts a task that uses a clock of the standard library to sleep for a duration.
    func sleep(_ job: SleepingJob, for duration: Duration) {
        StepRecorder.note(.clock)
        let (id, now) = self.state.withLock { ($0.makeID(), $0.now) }
        let task = self.observer?.sleepingTask ?? 0
        self.register(
            TestClockSleepers.Sleeper(id: id, deadline: now.advanced(by: duration), task: task, waking: .job(job)))
    }

    /// Notes that a task has become ready: if it sleeps on a clock of the standard library, its sleep was cancelled, of
    /// which the clock is not notified.
    ///
    /// The resources of the sleep are released when the clock moves: the runtime is still using them.
    func noteReady(_ taskID: UInt64) {
        let wasAsleep = self.state.withLock { state in
            guard let job = state.sleepers.removeJob(ofTask: taskID) else { return false }
            state.cancelled.append(job)
            return true
        }
        if wasAsleep { StepRecorder.note(.clock) }
    }

    // MARK: - Moving the clock

    /// Moves the clock forward by a duration, and wakes the tasks whose deadlines it reaches.
    ///
    /// Sleepers are resumed in the order of their deadlines, and, for equal deadlines, in the order in which they went
    /// to sleep. They do not run before this method returns: when they do, `now` is the clock's new instant.
    ///
    /// - Parameter duration: The duration; it must not be negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock does not move backwards (\(duration)).")
        self.move { $0.now.advanced(by: duration) }
    }

    /// Moves the clock forward to an instant, and wakes the tasks whose deadlines it reaches.
    ///
    /// Wakes sleepers as `advance(by:)` does. Does nothing if the clock is already at the instant or past it.
    ///
    /// - Parameter instant: The new instant of the clock.
    public func advance(to instant: Instant) {
        self.move { _ in instant }
    }

    /// Moves the clock to the earliest deadline, and wakes all tasks that sleep until that instant.
    ///
    /// A task that sleeps until the latest possible instant sleeps forever, and does not count.
    ///
    /// - Returns: `false` if there was no sleeper, in which case the clock has not moved.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        self.move { state in state.sleepers.first.flatMap { $0.deadline == .latest ? nil : $0.deadline } }
    }

    // MARK: - Waiting for sleepers

    /// Waits until at least the given number of tasks are asleep on the clock.
    ///
    /// Every task that goes to sleep checks the waiters, so a waiter is certain to be woken by the sleeper that
    /// completes its count. A cancelled task stops waiting and returns.
    ///
    /// - Parameter count: The number of tasks to wait for.
    public func waitForSleeper(count: Int = 1) async {
        StepRecorder.note(.clock)
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.register(Waiter(id: id, count: count, continuation: continuation))
            }
        } onCancel: {
            StepRecorder.note(.clock)
            // As in `sleep`: `register` sees a cancellation that comes before it.
            let waiter = self.state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
    }

    // MARK: - Closing

    /// Wakes all sleepers with `CancellationError` and all waiters, and makes later sleeps throw at once.
    func close() {
        let (sleepers, waiters) = self.state.withLock { state in
            state.isClosed = true
            let waiters = state.waiters
            state.waiters = []
            return (state.sleepers.removeAll(), waiters)
        }
        self.releaseCancelled()
        for sleeper in sleepers { sleeper.cancel() }
        for waiter in waiters { waiter.continuation.resume() }
    }

    // MARK: - Private helpers

    private enum Registration {
        case asleep(satisfied: [Waiter])
        case due
        case cancelled
        case closed
    }

    /// Adds a sleeper, or resumes it if it must not sleep.
    private func register(_ sleeper: TestClockSleepers.Sleeper) {
        let registration: Registration = self.state.withLock { state in
            // Checked under the lock: a later cancellation finds the sleeper registered.
            if Task.isCancelled { return .cancelled }
            if state.isClosed { return .closed }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers.insert(sleeper)
            return .asleep(satisfied: state.removeSatisfiedWaiters())
        }
        switch registration {
        case .asleep(let satisfied): for waiter in satisfied { waiter.continuation.resume() }
        case .due: sleeper.wake()
        case .cancelled: sleeper.cancel()
        case .closed:
            // A task that sleeps in a loop until it is cancelled would never end otherwise.
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            sleeper.cancel()
        }
    }

    private func register(_ waiter: Waiter) {
        let isOver = self.state.withLock { state in
            if Task.isCancelled || state.isClosed || state.sleepers.count >= waiter.count { return true }
            state.waiters.append(waiter)
            return false
        }
        if isOver { waiter.continuation.resume() }
    }

    private func releaseCancelled() {
        let cancelled = self.state.withLock { state in
            defer { state.cancelled = [] }
            return state.cancelled
        }
        for job in cancelled { job.wake() }
    }

    /// Moves the clock to the instant that `target` returns, and resumes the sleepers that are due, outside the lock.
    @discardableResult
    private func move(to target: (borrowing State) -> Instant?) -> Bool {
        StepRecorder.note(.clock)
        self.releaseCancelled()
        let due: [TestClockSleepers.Sleeper]? = self.state.withLock { state in
            guard let instant = target(state) else { return nil }
            state.now = max(state.now, instant)
            return state.sleepers.removeDue(at: state.now)
        }
        for sleeper in due ?? [] {
            self.observer?.willWake(sleeper.task)
            sleeper.wake()
        }
        self.observer?.willWake(nil)
        return due != nil
    }
}
