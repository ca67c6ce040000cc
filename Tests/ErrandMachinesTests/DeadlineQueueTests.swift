import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G10: deadlines", .timeLimit(.minutes(60)), .paced)
    struct DeadlineQueueTests {
        // MARK: - Scripts

        @Test("Deadlines fall due in their order, whatever the order in which they were set")
        func order() {
            var queue = LabelledDeadlines<String>()
            #expect(queue.earliest() == nil)
            #expect(queue.popDue(now: .seconds(100)) == nil)
            _ = queue.set(due: .seconds(3), "third")
            _ = queue.set(due: .seconds(1), "first")
            _ = queue.set(due: .seconds(2), "second")
            #expect(queue.earliest() == .seconds(1))
            #expect(queue.popDue(now: .milliseconds(999)) == nil)
            #expect(queue.popDue(now: .seconds(1)) == "first")
            #expect(queue.popDue(now: .seconds(1)) == nil)
            #expect(queue.popDue(now: .seconds(9)) == "second")
            #expect(queue.popDue(now: .seconds(9)) == "third")
            #expect(queue.count == 0)
            #expect(queue.earliest() == nil)
        }

        @Test("A deadline that was cleared never falls due")
        func clearing() {
            var queue = LabelledDeadlines<String>()
            let first = queue.set(due: .seconds(1), "first")
            let second = queue.set(due: .seconds(2), "second")
            queue.clear(first)
            #expect(queue.count == 1)
            #expect(queue.earliest() == .seconds(2))
            #expect(queue.popDue(now: .seconds(1)) == nil)
            queue.clear(first)
            #expect(queue.popDue(now: .seconds(2)) == "second")
            queue.clear(second)
            #expect(queue.count == 0)
        }

        @Test("Clearing late does not touch a deadline that was set after")
        func clearingLate() {
            var queue = LabelledDeadlines<String>()
            let first = queue.set(due: .seconds(1), "first")
            #expect(queue.popDue(now: .seconds(1)) == "first")
            let second = queue.set(due: .seconds(2), "second")
            #expect(second.index == first.index)
            queue.clear(first)
            #expect(queue.count == 1)
            #expect(queue.earliest() == .seconds(2))
        }

        @Test("Deadlines of one moment fall due together")
        func sameMoment() {
            var queue = LabelledDeadlines<Int>()
            for number in 0..<10 { _ = queue.set(due: .seconds(5), number) }
            var popped = Set<Int>()
            while let number = queue.popDue(now: .seconds(5)) { popped.insert(number) }
            #expect(popped == Set(0..<10))
        }

        // MARK: - Memory

        @Test("Any number of deadlines that are set and cleared take the room of a few")
        func boundedWhileClearing() {
            var queue = LabelledDeadlines<Int>()
            var most = 0
            for number in 0..<TestEffort.rounds(of: 250_000) {
                queue.clear(queue.set(due: .seconds(number), number))
                most = max(most, queue.heapCount)
            }
            #expect(most <= 33)
            #expect(queue.count == 0)
        }

        @Test("Dead entries do not outlive the deadlines that fell due before them")
        func boundedWhileFallingDue() {
            var queue = LabelledDeadlines<Int>()
            for number in 0..<1_000 { _ = queue.set(due: .seconds(number), number) }
            for number in 0..<1_000 { queue.clear(queue.set(due: .seconds(10_000 + number), number)) }
            _ = queue.set(due: .seconds(5_000), 5_000)
            for _ in 0..<1_000 { _ = queue.popDue(now: .seconds(1_000)) }
            #expect(queue.earliest() == .seconds(5_000))
            #expect(queue.count == 1)
            #expect(queue.heapCount <= 2 * queue.count + 32)
        }

        // MARK: - Walks

        @Test("Any sequence of events gives what a sorted array gives, in bounded room")
        func sameAsSortedArray() async {
            await overSeeds(reaching: ["fell due", "cleared", "cleared late", "dropped dead"]) { random in
                var walk = Walk()
                for _ in 0..<200 { try walk.step(&random) }
                return walk.words
            }
        }

        private struct Walk: ~Copyable {
            private struct Deadline {
                let key: LabelledDeadlines<Int>.Key
                let due: Duration
                let payload: Int
            }

            private var queue = LabelledDeadlines<Int>()
            private var model: [Deadline] = []
            private var gone: [LabelledDeadlines<Int>.Key] = []
            private var now = Duration.zero
            private var nextPayload = 0
            private(set) var words = Set<String>()

            init() {}

            mutating func step(_ random: inout SplitMix64) throws {
                let heapCount = self.queue.heapCount
                switch random.below(12) {
                case 0..<5: self.set(&random)
                case 5..<9: self.clear(&random)
                case 9: self.clearLate(&random)
                default: try self.popDue(&random)
                }
                if self.queue.heapCount < heapCount - 1 { self.words.insert("dropped dead") }
                try hold(self.queue.count == self.model.count, "\(self.queue.count) are set, not \(self.model.count)")
                try hold(self.queue.heapCount <= 2 * self.model.count + 32, "\(self.queue.heapCount) entries")
                if random.chance(30) {
                    try hold(self.queue.earliest() == self.model.first?.due, "another is the earliest")
                }
            }

            private mutating func set(_ random: inout SplitMix64) {
                let due = self.now + .milliseconds(random.below(300))
                let key = self.queue.set(due: due, self.nextPayload)
                self.model.append(Deadline(key: key, due: due, payload: self.nextPayload))
                self.model.sort { $0.due < $1.due }
                self.nextPayload += 1
            }

            private mutating func clear(_ random: inout SplitMix64) {
                guard !self.model.isEmpty else { return }
                let deadline = self.model.remove(at: random.below(self.model.count))
                self.queue.clear(deadline.key)
                self.gone.append(deadline.key)
                self.words.insert("cleared")
            }

            private mutating func clearLate(_ random: inout SplitMix64) {
                guard !self.gone.isEmpty else { return }
                self.queue.clear(self.gone[random.below(self.gone.count)])
                self.words.insert("cleared late")
            }

            private mutating func popDue(_ random: inout SplitMix64) throws {
                self.now += .milliseconds(random.below(40))
                guard let payload = self.queue.popDue(now: self.now) else {
                    return try hold(self.model.allSatisfy { $0.due > self.now }, "one is due, and did not fall")
                }
                guard let index = self.model.firstIndex(where: { $0.payload == payload }) else {
                    throw Violation(description: "\(payload) fell due, which is not set")
                }
                let deadline = self.model.remove(at: index)
                try hold(deadline.due <= self.now, "\(payload) fell before it was due")
                try hold(self.model.allSatisfy { $0.due >= deadline.due }, "an earlier one waits")
                self.gone.append(deadline.key)
                self.words.insert("fell due")
            }
        }
    }
}
