/// Finds a small set of departures with which a scenario fails as it does with many.
///
/// First by delta debugging (Zeller, 1999): parts of the departures are left out as long as the scenario still fails in
/// the same way. Departures that no longer fit are ignored, and the departures actually made become the new set. In the
/// result, no single departure can be left out, but there may be a shorter schedule with other departures, for which a
/// bounded search looks.
struct Minimiser {
    /// The budget of steps for each phase, from the steps of the run: some hundred runs, unless they are very long.
    private static let (leastBudget, runs, largestBudget) = (150_000, 100, 2_000_000)

    private let explorer: Explorer
    private let kind: FailureKind
    private let seed: UInt64
    private let budget: Int
    private var steps = 0

    /// Creates a minimizer for failures of a kind.
    init(explorer: Explorer, kind: FailureKind, seed: UInt64, steps: Int) {
        self.explorer = explorer
        self.kind = kind
        self.seed = seed
        self.budget = max(Self.leastBudget, Self.runs * min(steps, Self.largestBudget / Self.runs))
    }

    /// Returns the smallest set of departures that was found to fail.
    mutating func minimise(_ departures: [Departure]) async -> [Departure] {
        var current = departures
        if let empty = await self.test([]) { return empty }
        current = await self.reduce(current)
        self.steps = 0
        return await self.search(below: current.count) ?? current
    }

    // MARK: - Private helpers

    private var mayGoOn: Bool { self.steps < self.budget && !Task.isCancelled }

    private mutating func reduce(_ departures: [Departure]) async -> [Departure] {
        var (current, parts) = (departures, 2)
        while current.count >= 2, self.mayGoOn {
            if let (smaller, isPart) = await self.smaller(than: current, parts: parts) {
                current = smaller
                parts = isPart ? 2 : max(parts - 1, 2)
            } else if parts >= current.count {
                break
            } else {
                parts *= 2
            }
            parts = min(parts, max(current.count, 2))
        }
        return current
    }

    /// Tries each part alone, and then all departures without each part.
    private mutating func smaller(
        than current: [Departure], parts: Int
    ) async -> (departures: [Departure], isPart: Bool)? {
        let bounds = (0...parts).map { current.count * $0 / parts }
        for (start, end) in zip(bounds, bounds.dropFirst()) where self.mayGoOn {
            if let failed = await self.test(Array(current[start..<end])) { return (failed, true) }
        }
        guard parts > 2 else { return nil }
        for (start, end) in zip(bounds, bounds.dropFirst()) where self.mayGoOn {
            if let failed = await self.test(Array(current[..<start] + current[end...])) { return (failed, false) }
        }
        return nil
    }

    /// Runs departures, and returns those actually made if the run fails in the expected way.
    private mutating func test(_ departures: [Departure]) async -> [Departure]? {
        await self.run(ReplayPolicy(departures, isStrict: false)).failed
    }

    /// Searches for a failure with fewer departures than a number.
    private mutating func search(below count: Int) async -> [Departure]? {
        guard count > 1 else { return nil }
        var search = BoundedSearch(switches: count - 1)
        while !search.isComplete, self.mayGoOn {
            let (failed, policy) = await self.run(search.policy)
            if let failed { return failed }
            guard let policy = policy as? PrefixPolicy else { return nil }
            search.ran(policy)
        }
        return nil
    }

    private mutating func run(
        _ policy: any SchedulingPolicy
    ) async -> (failed: [Departure]?, policy: any SchedulingPolicy) {
        let record = await self.explorer.run(policy, seed: self.seed)
        self.steps += max(record.steps, 1)
        let isWanted = FailureKind(record) == self.kind
        return (isWanted ? record.departures : nil, record.decided.policy)
    }
}
