internal import CErrandSimulation
internal import ErrandLocks

/// The abilities that one run captures, and the route to its executor.
///
/// It belongs to the executor, and is prepared before the first job.
final class RunReach: Sendable {
    private struct State {
        var reach = Simulation.Reach.structured
        /// Weak, since the run owns the clock, which references the executor.
        weak var clock: TestClock?
        var mainExecutor: SimulationMainExecutor?
        /// The addresses of jobs that were submitted to the main actor's executor and have not been run.
        var mainJobs: Set<Int> = []
    }

    private let state = Locked(unobserved: State())

    /// Sets the abilities that the run captures.
    func prepare(_ reach: Simulation.Reach, clock: TestClock, executor: SimulationExecutor) {
        guard !reach.isEmpty else { return }
        let mainExecutor = reach.contains(.mainActor) ? SimulationMainExecutor(executor) : nil
        self.state.withLock { state in
            state.reach = reach
            state.clock = clock
            state.mainExecutor = mainExecutor
        }
    }

    /// The clock on which sleepers of the standard clocks wait, or `nil` if they sleep in real time.
    var sleepClock: TestClock? {
        self.state.withLock { $0.reach.contains(.sleep) ? $0.clock : nil }
    }

    // MARK: - Driving

    /// Captures all work of the function on the calling thread.
    func withRoute(to executor: SimulationExecutor, _ body: () -> Void) {
        let (reach, clock, mainExecutor) = self.state.withLock { ($0.reach, $0.clock, $0.mainExecutor) }
        guard let clock, !reach.isEmpty else { return body() }
        var route = unsafe errand_reach_route()
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *), reach.contains(.tasks) {
            unsafe route.task_executor = Self.words(executor)
        }
        if let mainExecutor { unsafe route.main_executor = Self.words(mainExecutor) }
        unsafe route.has_clocks = reach.contains(.sleep)
        unsafe route.has_now = reach.contains(.now)
        unsafe route.clock = UnsafeRawPointer(Unmanaged.passUnretained(clock).toOpaque())
        unsafe route.read = { clock in unsafe RunReach.time(of: clock) }
        unsafe withUnsafePointer(to: route) { route in
            let previous = unsafe errand_reach_enter(route)
            body()
            _ = unsafe errand_reach_enter(previous)
        }
    }

    /// Runs a job on the executor to which it was submitted: the main actor's or the run's own.
    func run(_ job: UnownedJob, on executor: SimulationExecutor) {
        let mainExecutor = self.state.withLock { state in
            state.mainJobs.remove(job.address) == nil ? nil : state.mainExecutor
        }
        // No run begins on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        guard let mainExecutor else {
            return unsafe ExecutorJob(job).runSynchronously(on: executor.asUnownedTaskExecutor())
        }
        unsafe job.runSynchronously(
            isolatedTo: mainExecutor.asUnownedSerialExecutor(), taskExecutor: executor.asUnownedTaskExecutor())
    }

    /// Marks the next job that the executor receives as the main actor's.
    func noteMain(_ job: UnownedJob) {
        self.state.withLock { _ = $0.mainJobs.insert(job.address) }
    }

    /// Returns whether a job that has not been run was submitted to the main actor's executor.
    func isMain(_ job: UnownedJob) -> Bool {
        self.state.withLock { $0.mainJobs.contains(job.address) }
    }

    // MARK: - Private helpers

    /// The two words of the existential.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private static func words(_ executor: any TaskExecutor) -> errand_reach_words {
        // The cast keeps the existential from being opened.
        unsafe unsafeBitCast(executor as any TaskExecutor, to: errand_reach_words.self)
    }

    /// The two words of the unowned reference, for which the runtime asks.
    private static func words(_ executor: SimulationMainExecutor) -> errand_reach_words {
        unsafe unsafeBitCast(executor.asUnownedSerialExecutor(), to: errand_reach_words.self)
    }

    /// The largest system time, relative to the second at which the clock starts.
    private static let latest: Int64 = 1 << 53

    private static func time(of clock: UnsafeRawPointer?) -> errand_reach_time {
        guard let clock = unsafe clock else { return errand_reach_time() }
        let offset = unsafe Unmanaged<TestClock>.fromOpaque(clock).takeUnretainedValue().now.offset
        let (seconds, attoseconds) = offset.components
        return errand_reach_time(
            seconds: min(seconds, Self.latest), nanoseconds: attoseconds / 1_000_000_000)
    }
}
