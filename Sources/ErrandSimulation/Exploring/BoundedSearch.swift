/// Enumerates all schedules with up to a number of departures from the default order: none, then one, and so on.
///
/// It walks the tree of schedules in which each has one departure more than its parent, after all of the parent's.
/// Every round runs the schedules with that round's number of departures, and repeats those with fewer to learn where
/// they can depart. It stores only the path to the current schedule.
struct BoundedSearch {
    typealias Choice = PrefixPolicy.Choice

    /// A departure of the current schedule, and the points at which its parent could have departed.
    private struct Frame {
        var choice: Choice
        let firstIndex: Int
        let alternatives: [Int]
    }

    private let switches: Int
    private var round = 0
    private var isRoundEmpty = true
    private var frames: [Frame] = []

    /// True once all schedules have been run.
    private(set) var isComplete = false

    init(switches: Int) {
        self.switches = switches
    }

    /// The policy of the schedule to run next.
    var policy: PrefixPolicy { PrefixPolicy(choices: self.frames.map(\.choice)) }

    /// True if the next schedule has not been run in an earlier round.
    var isNew: Bool { self.frames.count == self.round }

    /// Moves to the next schedule after a run.
    ///
    /// - Parameter policy: The policy of the run, which now knows the other points at which the run could have
    ///   departed.
    mutating func ran(_ policy: PrefixPolicy) {
        if self.isNew {
            self.isRoundEmpty = false
            self.advance()
        } else if let choice = Self.firstChoice(from: 0, of: policy.firstIndex, policy.alternatives) {
            self.frames.append(
                Frame(choice: choice, firstIndex: policy.firstIndex, alternatives: policy.alternatives))
        } else {
            self.advance()
        }
    }

    // MARK: - Private helpers

    /// Moves to the next departure of the deepest schedule that has one.
    private mutating func advance() {
        while var frame = self.frames.popLast() {
            let offset = frame.choice.index - frame.firstIndex
            if frame.choice.alternative + 1 < frame.alternatives[offset] {
                frame.choice.alternative += 1
            } else if let choice = Self.firstChoice(from: offset + 1, of: frame.firstIndex, frame.alternatives) {
                frame.choice = choice
            } else {
                continue
            }
            self.frames.append(frame)
            return
        }
        self.endRound()
    }

    /// Ends a round; one without a schedule is the last, since there are none with more departures either.
    private mutating func endRound() {
        self.isComplete = self.isRoundEmpty || self.round == self.switches
        self.round += 1
        self.isRoundEmpty = true
    }

    private static func firstChoice(from offset: Int, of firstIndex: Int, _ alternatives: [Int]) -> Choice? {
        guard let next = alternatives[offset...].firstIndex(where: { $0 > 0 }) else { return nil }
        return Choice(index: firstIndex + next, alternative: 0)
    }
}
