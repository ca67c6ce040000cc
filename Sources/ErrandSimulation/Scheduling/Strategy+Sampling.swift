extension Simulation.Strategy {
    /// The strategies through which the mixed strategy cycles.
    ///
    /// They were chosen by measuring: of the mixtures that were tried, none finds the planted and the reported bugs of the
    /// tests with fewer schedules in total.
    static let mixture: [Simulation.Strategy] = [
        .random, .urw, .pct(depth: 5), .pausing(tasks: 1), .urw, .pausing(tasks: 2),
    ]

    /// The assumed number of steps before the first run has ended.
    private static let unknownSteps = 100

    /// Returns the policy of one of many schedules.
    ///
    /// - Parameters:
    ///   - number: The number of the schedule, from 0.
    ///   - seed: The seed of the schedule.
    ///   - estimates: The tasks and steps of the longest run so far.
    /// - Returns: The policy; for a bounded search, that of its first schedule.
    func policy(number: Int, seed: UInt64, estimates: TaskEstimates) -> any SchedulingPolicy {
        // A sequence that differs from those of the random policy and of the context's chance.
        let ownSeed = SplitMix64.mix(seed ^ 0x5C4E_D01E)
        switch self.kind {
        case .random: return RandomPolicy(seed: seed)
        case .sticky(let percent): return StickyPolicy(percent: percent, seed: ownSeed)
        case .priorities(let depth):
            let steps = estimates.runSteps == 0 ? Self.unknownSteps : estimates.runSteps
            return PriorityPolicy(depth: depth, steps: steps, seed: ownSeed)
        case .orders: return OrderSamplingPolicy(seed: ownSeed)
        case .weighted: return WeightedPolicy(estimates: estimates, seed: ownSeed)
        case .pauses(let count): return PausePolicy(count: count, estimates: estimates, seed: ownSeed)
        case .bounded: return PrefixPolicy(choices: [])
        case .mixed:
            return Self.mixture[number % Self.mixture.count].policy(number: number, seed: seed, estimates: estimates)
        }
    }
}
