/// Departs from the default order at given points, and counts the alternatives after the last of them.
struct PrefixPolicy: SchedulingPolicy {
    /// A departure: the index of the decision in the run, and the chosen one of the jobs other than the default's.
    struct Choice: Hashable, Sendable {
        var index: Int
        var alternative: Int
    }

    private let choices: [Choice]
    private var made = 0
    /// The first decision whose alternatives are counted.
    let firstIndex: Int
    /// For each decision after the departures, the number of ready jobs other than the default's.
    private(set) var alternatives: [Int] = []

    init(choices: [Choice]) {
        self.choices = choices
        self.firstIndex = (choices.last?.index ?? -1) + 1
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        if point.index >= self.firstIndex { self.alternatives.append(ready.count - 1) }
        guard self.made < self.choices.count, self.choices[self.made].index == point.index else {
            return point.standard
        }
        let alternative = self.choices[self.made].alternative
        self.made += 1
        // A scenario that is not deterministic may have fewer jobs now.
        guard alternative < ready.count - 1 else { return nil }
        let standard = ready.position(of: point.standard)
        return ready.arrival(at: alternative < standard ? alternative : alternative + 1)
    }
}
