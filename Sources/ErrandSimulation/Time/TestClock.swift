internal import ErrandLocks

/// A clock that stands still until a test moves it.
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
    /// A span of time, as everywhere in the standard library.
    public typealias Duration = Swift.Duration

    private struct Waiter {
        let id: UInt64
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant.zero
        var sleepers = TestClockSleepers()
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
        var isClosed = false

        mutating func makeID() -> UInt64 {
            self.lastID += 1
            return self.lastID
        }

        /// Takes out the waiters which the number of sleepers satisfies.
        mutating func removeSatisfiedWaiters() -> [Waiter] {
            let count = self.sleepers.count
            guard self.waiters.contains(where: { $0.count <= count }) else { return [] }
            let satisfied = self.waiters.filter { $0.count <= count }
            self.waiters.removeAll { $0.count <= count }
            return satisfied
        }
    }

    private let state = Locked(State())
    private let observer: (any SleepObserver)?

    /// Creates a clock that stands at offset zero.
    public convenience init() {
        self.init(observer: nil)
    }

    /// Creates a clock that tells an observer who wakes on it.
    init(observer: (any SleepObserver)?) {
        self.observer = observer
    }

    // MARK: - Reading the clock

    /// The instant at which the clock stands.
    public var now: Instant { self.state.withLock { $0.now } }

    /// The smallest step of the clock, which is none: it moves by any duration.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks asleep on the clock; zero says that nothing is left asleep.
    public var sleeperCount: Int { self.state.withLock { $0.sleepers.count } }

    /// The earliest instant for which a task is asleep, or `nil` if none is.
    public var nextSleeperDeadline: Instant? { self.state.withLock { $0.sleepers.first?.deadline } }

    // MARK: - Sleeping

    /// Sleeps until the clock has been moved to a deadline or past it.
    ///
    /// Returns at once if the clock already stands there. A cancelled task wakes at once and is no longer counted as
    /// asleep.
    ///
    /// - Parameters:
    ///   - deadline: The instant at which to wake.
    ///   - tolerance: Has no meaning here: sleepers wake in the exact order of their deadlines.
    /// - Throws: `CancellationError` if the task is cancelled before the deadline.
    /// - Complexity: O(*n*) in the number of sleepers, with a search of O(log *n*).
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = self.state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = self.observer?.sleepingTask ?? 0
                self.register(
                    TestClockSleepers.Sleeper(
                        id: id, deadline: deadline, task: task, waking: .continuation(continuation)))
            }
        } onCancel: {
            // A cancellation that comes before `register` finds no sleeper here; `register` then sees the cancelled
            // task.
            let sleeper = self.state.withLock { $0.sleepers.remove(id: id, deadline: deadline) }
            sleeper?.cancel()
        }
    }

    /// Lets a task of the standard library's clocks sleep for a duration.
    func sleep(_ job: SleepingJob, for duration: Duration) {
        let (id, now) = self.state.withLock { ($0.makeID(), $0.now) }
        let task = self.observer?.sleepingTask ?? 0
        self.register(
            TestClockSleepers.Sleeper(id: id, deadline: now.advanced(by: duration), task: task, waking: .job(job)))
    }

    // MARK: - Moving the clock

    /// Moves the clock forward by a duration and wakes whoever sleeps until then.
    ///
    /// Sleepers are resumed in the order of their deadlines, and in the order in which they went to sleep where those
    /// are equal. They do not run before this method returns: when they do, `now` is the clock's new instant.
    ///
    /// - Parameter duration: How far to move; it must not be negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock does not move backwards (\(duration)).")
        self.move { $0.now.advanced(by: duration) }
    }

    /// Moves the clock forward to an instant and wakes whoever sleeps until then.
    ///
    /// Wakes sleepers as `advance(by:)` does. Does nothing if the clock already stands at the instant or past it.
    ///
    /// - Parameter instant: The instant at which the clock shall stand.
    public func advance(to instant: Instant) {
        self.move { _ in instant }
    }

    /// Moves the clock to the deadline of the earliest sleeper and wakes all who sleep until that instant.
    ///
    /// Who sleeps until the end of the clock's time sleeps for ever, and does not count.
    ///
    /// - Returns: Whether there was a sleeper; if not, the clock has not moved.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        self.removeEnded()
        return self.move { state in state.sleepers.first.flatMap { $0.deadline == .latest ? nil : $0.deadline } }
    }

    // MARK: - Waiting for sleepers

    /// Waits until at least a number of tasks are asleep on the clock.
    ///
    /// Every task that goes to sleep checks the waiters, so a waiter is certain to be woken by the sleeper that
    /// completes its count. A cancelled task stops waiting and returns.
    ///
    /// - Parameter count: The number of tasks to wait for.
    public func waitForSleeper(count: Int = 1) async {
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.register(Waiter(id: id, count: count, continuation: continuation))
            }
        } onCancel: {
            // As in `sleep`: a cancellation that comes before `register` is seen there.
            let waiter = self.state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
    }

    // MARK: - Closing

    /// Wakes all sleepers with `CancellationError` and all waiters, and lets nobody sleep from now on.
    func close() {
        let (sleepers, waiters) = self.state.withLock { state in
            state.isClosed = true
            let waiters = state.waiters
            state.waiters = []
            return (state.sleepers.removeAll(), waiters)
        }
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

    /// Puts a sleeper among the others, or resumes it if it must not sleep.
    private func register(_ sleeper: TestClockSleepers.Sleeper) {
        let registration: Registration = self.state.withLock { state in
            // Checked under the lock: a cancellation from here on finds the sleeper registered.
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
            // Who sleeps again and again until it is cancelled would never end.
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

    /// Takes out the sleepers at the front whose sleep has been cancelled, which nobody tells the clock.
    private func removeEnded() {
        while let sleeper = self.state.withLock({ $0.sleepers.removeFirst { $0.hasEnded } }) { sleeper.wake() }
    }

    /// Moves the clock to the instant that `target` gives and resumes whoever is due, outside the lock.
    @discardableResult
    private func move(to target: (borrowing State) -> Instant?) -> Bool {
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
