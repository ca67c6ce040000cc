/// Runs one scenario under many schedules until one fails.
struct Explorer: Sendable {
    typealias Body = @Sendable (Simulation.Context) async throws -> Void

    let limits: Simulation.Limits
    private let reach: Simulation.Reach
    let body: Body
    private let thread: SimulationThread
    private let trail = Trail.ofEnvironment()

    /// Creates an explorer; abilities that are not available here are removed from the reach.
    init(reach: Simulation.Reach, limits: Simulation.Limits, body: @escaping Body) {
        self.reach = reach.restricted
        self.limits = limits
        self.body = body
        self.thread = SimulationThread(reach: self.reach)
    }

    /// Runs the scenario once.
    func run(
        _ policy: any SchedulingPolicy, seed: UInt64, isRecording: Bool = false, observer: StepRecorder? = nil
    ) async -> RunRecord {
        self.trail?.begin(seed: seed)
        // The last run of a failure is also observed, so that it can name the tasks that wait.
        let observer = observer ?? (isRecording && StepRecorder.isAvailable ? StepRecorder() : nil)
        let run = SimulationRun(
            policy: policy, seed: seed, reach: self.reach, limits: self.limits, isRecording: isRecording,
            trail: self.trail, observer: observer)
        return await run.perform(on: self.thread, self.body).record
    }

    // MARK: - Exploring

    /// Runs the given number of schedules that a strategy chooses, and more as long as a condition holds.
    ///
    /// - Throws: `SimulationFailure` for the first that fails; `CancellationError` if the caller is cancelled.
    func sample(
        _ count: Int, by strategy: Simulation.Strategy, seed: UInt64, whileTrue goesOn: @Sendable () -> Bool
    ) async throws -> Simulation.Exploration {
        var (exploration, distinct, estimates) = (Simulation.Exploration(), DistinctCounter(), TaskEstimates())
        while exploration.schedules < count || goesOn() {
            let number = exploration.schedules
            let seed = seed &+ UInt64(number)
            let policy = strategy.policy(number: number, seed: seed, estimates: estimates)
            let record = await self.run(policy, seed: seed)
            try await self.check(record, number: number + 1)
            exploration.note(record, &distinct)
            estimates.note(record.decided.places, steps: record.decided.log.count)
        }
        return exploration
    }

    /// Runs all schedules up to a number of departures; beyond a number of schedules, only as long as a condition
    /// holds.
    ///
    /// - Throws: As `sample` does.
    func search(
        _ count: Int, switches: Int, seed: UInt64, whileTrue goesOn: @Sendable () -> Bool
    ) async throws -> Simulation.Exploration {
        var (exploration, distinct) = (Simulation.Exploration(), DistinctCounter())
        var search = BoundedSearch(switches: switches)
        while !search.isComplete, exploration.schedules < count || !search.isNew || goesOn() {
            let record = await self.run(search.policy, seed: seed)
            try await self.check(record, number: exploration.schedules + 1)
            if search.isNew { exploration.note(record, &distinct) }
            guard let policy = record.decided.policy as? PrefixPolicy else { break }
            search.ran(policy)
        }
        // Runs with jobs from other threads may have taken another path than the search wanted.
        exploration.isComplete = search.isComplete && exploration.escapedSchedules == 0
        return exploration
    }

    func check(_ record: RunRecord, number: Int) async throws {
        try Task.checkCancellation()
        if record.failure != nil { throw await self.failure(of: record, number: number) }
    }
}

extension Simulation.Exploration {
    fileprivate mutating func note(_ record: RunRecord, _ distinct: inout DistinctCounter) {
        distinct.insert(record.decided.log.fingerprint)
        self.schedules += 1
        if record.decided.escapes.count > 0 { self.escapedSchedules += 1 }
        self.distinctSchedules = distinct.count
        self.largestSteps = max(self.largestSteps, record.steps)
    }
}
