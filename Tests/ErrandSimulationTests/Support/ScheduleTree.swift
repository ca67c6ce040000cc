@testable import ErrandSimulation

/// Walks all schedules of a scenario, or one of each class, whether they fail or not.
struct ScheduleTree {
    /// The result of a walk.
    struct Walk: Equatable {
        /// The number of schedules that ran to their end.
        var schedules = 0
        /// The number of schedules that were cut.
        var cut = 0
        /// The distinct classes of the schedules.
        var classes: Set<UInt64> = []
        /// The distinct outcomes: what the scenario reported, or the error.
        var outcomes: Set<String> = []
    }

    /// True if the numbers of classes are those of the tests: an optimized build has fewer steps, and no locks that
    /// report their use.
    static let isExact: Bool = {
        #if DEBUG
            RuntimeLayout.knowsSharing
        #else
            false
        #endif
    }()

    typealias Body = @Sendable (Simulation.Context) async throws -> Void

    let body: Body
    var limit = 5_000
    var reach = Simulation.Reach.structured

    init(limit: Int = 5_000, reach: Simulation.Reach = .structured, _ body: @escaping Body) {
        (self.body, self.limit, self.reach) = (body, limit, reach)
    }

    /// Runs all schedules by the bounded search, which knows nothing of classes; `nil` if there are too many.
    func all() async -> Walk? {
        var (search, walk) = (BoundedSearch(switches: 10_000), Walk())
        while !search.isComplete {
            guard walk.schedules < self.limit else { return nil }
            let (record, run) = await self.run(search.policy)
            if search.isNew { Self.note(record, run, in: &walk) }
            guard let policy = record.decided.policy as? PrefixPolicy else { return nil }
            search.ran(policy)
        }
        return walk
    }

    /// Runs one schedule of each class; `nil` if there are too many.
    func classes(_ rules: SharingRules = .all) async -> Walk? {
        var (search, walk) = (VerificationSearch(isFull: false), Walk())
        while !search.isComplete {
            guard walk.schedules + walk.cut < self.limit else { return nil }
            let recorder = StepRecorder(rules: rules)
            let (record, run) = await self.run(search.policy(recorder), recorder)
            guard let policy = record.decided.policy as? VerificationPolicy else { return nil }
            if policy.isCut { walk.cut += 1 } else { Self.note(record, run, in: &walk) }
            search.ran(policy, run, hasEnded: record.ending == .ended && rules.contains(.ending))
        }
        return walk
    }

    // MARK: - Private helpers

    private func run(
        _ policy: any SchedulingPolicy, _ recorder: StepRecorder = StepRecorder()
    ) async -> (RunRecord, RecordedRun) {
        let limits = Simulation.Limits(maxSteps: 2_000)
        let explorer = Explorer(reach: self.reach, limits: limits, body: self.body)
        let record = await explorer.run(policy, seed: 0, observer: recorder)
        return (record, recorder.run)
    }

    private static func note(_ record: RunRecord, _ run: RecordedRun, in walk: inout Walk) {
        walk.schedules += 1
        walk.classes.insert(Ordering(run.steps).fingerprint)
        let failure = record.failure.map { ($0 as? SimulationError)?.code.description ?? "\($0)" }
        walk.outcomes.insert(failure ?? record.points.sorted().joined(separator: " "))
    }
}
