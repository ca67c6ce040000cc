internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

/// A task executor whose one driving thread runs the ready jobs in a random order that a seed fixes.
///
/// Jobs are kept, not run, until `SimulationDriver` asks for them: it alone decides when and where one runs. Whatever
/// thread a job comes from, it is run by the driver, so no two jobs ever run at once.
final class SimulationExecutor: TaskExecutor {
    /// What the driver finds to do next.
    enum Next {
        case job(UnownedJob)
        case nothing
        case interrupted
    }

    private struct State {
        var ready: [UnownedJob] = []
        var generator: SplitMix64
        var fingerprint: UInt64 = 0
        var escapedJobs = 0
        /// The thread that runs the jobs; `nil` until it starts, and whatever comes in before is no escape.
        var driver: ObjectIdentifier?
        var isInterrupted = false
        var hasEnded = false
        var isClosed = false

        mutating func note(_ value: UInt64) {
            self.fingerprint = SplitMix64.mix(self.fingerprint &* 31 &+ value)
        }
    }

    private let state: Locked<State>
    /// Counts what other threads have brought.
    ///
    /// Only the driver waits for it, on the queue of its simulation: no thread of the pool that tasks share.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Creates an executor whose order follows from a seed.
    init(seed: UInt64) {
        self.state = Locked(State(generator: SplitMix64(seed: seed)))
    }

    /// The hash over all choices so far.
    var fingerprint: UInt64 { self.state.withLock { $0.fingerprint } }

    /// The number of jobs that came from other threads while the driver was at work.
    var escapedJobs: Int { self.state.withLock { $0.escapedJobs } }

    /// Whether the body of the scenario has returned or thrown.
    var hasEnded: Bool { self.state.withLock { $0.hasEnded } }

    // MARK: - What the runtime and the scenario tell

    /// Keeps a job until the driver picks it; a job that comes after `close()` is never run.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = ObjectIdentifier(Thread.current)
        let isForeign = self.state.withLock { state in
            guard !state.isClosed else { return false }
            state.ready.append(job)
            guard let driver = state.driver, driver != thread else { return false }
            state.escapedJobs += 1
            return true
        }
        if isForeign { self.arrivals.signal() }
    }

    /// The body of the scenario has returned or thrown.
    func bodyEnded() {
        self.state.withLock { $0.hasEnded = true }
    }

    /// Nobody wants the outcome any more: the driver stops before its next job.
    func interrupt() {
        self.state.withLock { $0.isInterrupted = true }
        self.arrivals.signal()
    }

    // MARK: - What the driver asks

    /// The calling thread will run the jobs from now on.
    func start() {
        let thread = ObjectIdentifier(Thread.current)
        self.state.withLock { $0.driver = thread }
    }

    /// Takes one of the ready jobs at random.
    func takeNext() -> Next {
        self.state.withLock { state in
            if state.isInterrupted { return .interrupted }
            return state.ready.isEmpty ? .nothing : .job(Self.pick(from: &state))
        }
    }

    /// Waits in real time until another thread has brought something, and returns whether it has.
    func waitForArrival(until deadline: DispatchTime) -> Bool {
        self.arrivals.wait(timeout: deadline) == .success
    }

    /// Makes the instant to which the clock has jumped part of the fingerprint.
    func note(jumpTo instant: TestClock.Instant) {
        let (seconds, attoseconds) = instant.offset.components
        self.state.withLock { state in
            state.note(UInt64(bitPattern: seconds))
            state.note(UInt64(bitPattern: attoseconds))
        }
    }

    /// Takes any ready job, even after an interruption, to let abandoned tasks end.
    func takeRemaining() -> UnownedJob? {
        self.state.withLock { state in
            state.ready.isEmpty ? nil : Self.pick(from: &state)
        }
    }

    /// Forgets the ready jobs and takes no more.
    func close() {
        self.state.withLock { state in
            state.isClosed = true
            state.ready = []
        }
    }

    // MARK: - Private helpers

    private static func pick(from state: inout State) -> UnownedJob {
        let count = state.ready.count
        let index = count == 1 ? 0 : state.generator.next(below: count)
        state.note(UInt64(count) << 32 | UInt64(index))
        state.ready.swapAt(index, count - 1)
        return state.ready.removeLast()
    }
}
