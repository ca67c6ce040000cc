/// The partial order of the steps of a run: the class of all runs that differ only in the order of independent steps.
struct Ordering {
    /// Two steps that could have come in the other order.
    struct Race {
        let first: Int
        let second: Int
    }

    let count: Int
    private let width: Int
    private let steps: [RecordedStep]
    /// For each step, a row of bits: the steps that come before it in all runs of the class.
    private var rows: [UInt64]

    /// Orders the steps of a run.
    init(_ steps: [RecordedStep]) {
        self.steps = steps
        self.count = steps.count
        self.width = (steps.count + 63) / 64
        self.rows = [UInt64](repeating: 0, count: self.count * self.width)
        var uses = Uses()
        for index in steps.indices { self.insert(index, &uses) }
    }

    /// Returns whether one step comes before another in all runs of the class.
    func isOrdered(_ first: Int, before second: Int) -> Bool {
        self.rows[second * self.width + first / 64] & 1 << UInt64(first % 64) != 0
    }

    /// Returns the races whose second step is at or after an index.
    func races(from start: Int) -> [Race] {
        var races: [Race] = []
        for second in max(start, 0)..<max(self.count, start, 0) where !self.steps[second].isJump {
            var covered = [UInt64](repeating: 0, count: self.width)
            for first in stride(from: second - 1, through: 0, by: -1) where self.isOrdered(first, before: second) {
                if covered[first / 64] & 1 << UInt64(first % 64) != 0 { continue }
                for word in 0..<self.width { covered[word] |= self.rows[first * self.width + word] }
                if first != self.steps[second].creator, !self.steps[first].isJump {
                    races.append(Race(first: first, second: second))
                }
            }
        }
        return races
    }

    /// Returns the jobs with one of which a run must continue, instead of the first step of a race, to reverse it.
    ///
    /// - Returns: Their arrivals, in the order of the run.
    func initials(reversing race: Race) -> [Int] {
        var (chosen, initials) = ([Int](), [Int]())
        for step in race.first + 1...race.second
        where step == race.second || !self.isOrdered(race.first, before: step) {
            let isInitial = !chosen.contains { self.isOrdered($0, before: step) }
            if isInitial { initials.append(self.steps[step].arrival) }
            chosen.append(step)
        }
        return initials
    }

    /// A number that is the same for all runs of the class, and differs for runs of other classes.
    var fingerprint: UInt64 {
        var (hashes, sum) = ([UInt64](), UInt64(0))
        for step in 0..<self.count {
            var past: UInt64 = 0
            for earlier in 0..<step where self.isOrdered(earlier, before: step) {
                past &+= SplitMix64.mix(hashes[earlier])
            }
            hashes.append(Resource.mix(self.steps[step].label, past))
            sum &+= SplitMix64.mix(hashes[step] ^ 0xF0A7A)
        }
        return sum
    }

    // MARK: - Private helpers

    /// The last steps that used each resource.
    private struct Uses {
        var writers: [UInt64: Int] = [:]
        var readers: [UInt64: [Int]] = [:]
        var barrier = -1
        var sinceBarrier: [Int] = []
    }

    private mutating func insert(_ index: Int, _ uses: inout Uses) {
        let step = self.steps[index]
        self.order(step.creator, before: index)
        self.order(uses.barrier, before: index)
        for key in step.footprint.reads {
            if let writer = uses.writers[key] { self.order(writer, before: index) }
            uses.readers[key, default: []].append(index)
        }
        for key in step.footprint.writes {
            if let writer = uses.writers[key] { self.order(writer, before: index) }
            for reader in uses.readers[key] ?? [] { self.order(reader, before: index) }
            uses.readers[key] = nil
            uses.writers[key] = index
        }
        if step.footprint.isBarrier {
            for earlier in uses.sinceBarrier { self.order(earlier, before: index) }
            uses.barrier = index
            uses.sinceBarrier = []
        } else {
            uses.sinceBarrier.append(index)
        }
    }

    private mutating func order(_ first: Int, before second: Int) {
        guard first >= 0, first != second else { return }
        for word in 0..<self.width { self.rows[second * self.width + word] |= self.rows[first * self.width + word] }
        self.rows[second * self.width + first / 64] |= 1 << UInt64(first % 64)
    }
}
