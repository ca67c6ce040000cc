extension Simulation.Strategy {
    /// The strategies through which the mixed strategy cycles.
    static let mixture: [Simulation.Strategy] = [
        .random, .pct(depth: 1), .pct(depth: 2), .pct(depth: 3), .pct(depth: 5), .sticky(percent: 75),
    ]

    /// The assumed number of steps before the first run has ended.
    private static let unknownSteps = 100

    /// Returns the policy of one of many schedules.
    ///
    /// - Parameters:
    ///   - number: The number of the schedule, from 0.
    ///   - seed: The seed of the schedule.
    ///   - steps: The largest number of choices in a run so far; zero before the first.
    /// - Returns: The policy; for a bounded search, that of its first schedule.
    func policy(number: Int, seed: UInt64, steps: Int) -> any SchedulingPolicy {
        // A sequence that differs from those of the random policy and of the context's chance.
        let ownSeed = SplitMix64.mix(seed ^ 0x5C4E_D01E)
        switch self.kind {
        case .random: return RandomPolicy(seed: seed)
        case .sticky(let percent): return StickyPolicy(percent: percent, seed: ownSeed)
        case .priorities(let depth):
            return PriorityPolicy(depth: depth, steps: steps == 0 ? Self.unknownSteps : steps, seed: ownSeed)
        case .bounded: return PrefixPolicy(choices: [])
        case .mixed:
            return Self.mixture[number % Self.mixture.count].policy(number: number, seed: seed, steps: steps)
        }
    }
}
