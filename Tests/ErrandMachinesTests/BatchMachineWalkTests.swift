import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G4, G10: a batch under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct BatchMachineWalkTests {
        @Test("Each child counts once and it ends once, failing fast")
        func failFast() async {
            let ends: Set<String> = ["finished", "failed", "cancelled", "settled"]
            await overSeeds(reaching: ends.union(["reported twice", "several failed"])) { random in
                try Self.walk(.failFast, &random)
            }
        }

        @Test("Each child counts once and it ends once, collecting all")
        func collectAll() async {
            await overSeeds(reaching: ["finished", "cancelled", "settled", "reported twice", "several failed"]) {
                random in
                try Self.walk(.collectAll, &random)
            }
        }

        private static func walk(
            _ policy: BatchMachine.FailurePolicy, _ random: inout SplitMix64
        ) throws -> Set<String> {
            var walk = Walk(policy)
            let moods = (failing: [0, 3, 40][random.below(3)], cancelling: [0, 1, 5][random.below(3)])
            for _ in 0..<200 { try walk.step(&random, failing: moods.failing, cancelling: moods.cancelling) }
            return walk.words
        }

        /// A batch, and what must be true of it by plain counting.
        private struct Walk: ~Copyable {
            var machine: BatchMachine
            var words = Set<String>()
            private let policy: BatchMachine.FailurePolicy
            private var started: [Int] = []
            private var open: [Int] = []
            private var failures: [Int] = []
            private var begins = 0
            private var finishes = 0
            private var isInputOver = false
            private var stop: BatchMachine.Conclusion?

            init(_ policy: BatchMachine.FailurePolicy) {
                self.policy = policy
                self.machine = BatchMachine(policy: policy)
            }

            mutating func step(_ random: inout SplitMix64, failing: Int, cancelling: Int) throws {
                if random.chance(cancelling) {
                    try self.cancel()
                } else {
                    switch random.below(20) {
                    case 0: try self.start()
                    case 1..<9: try self.startChild()
                    case 9..<16: try self.endChild(&random, failing: failing)
                    case 16: try self.endLate(&random)
                    case 17 where random.chance(10): try self.endInput()
                    default: break
                    }
                }
                try self.checkCounts()
            }

            // MARK: - Events

            private mutating func start() throws {
                let expected: BatchMachine.StartAction =
                    self.begins > 0 ? .alreadyStarted : self.stop == .cancelled ? .cancelled : .begin
                let action = self.machine.start()
                try hold(action == expected, "a start was answered \(action)")
                if action == .begin { self.begins += 1 }
            }

            private mutating func startChild() throws {
                guard case .start(let index) = self.machine.startChild() else {
                    try hold(
                        self.begins == 0 || self.stop != nil || self.finishes > 0, "a running batch skipped a child")
                    return
                }
                try hold(self.begins == 1, "child \(index) was started before the batch")
                try hold(self.stop == nil && self.finishes == 0, "child \(index) was started after the stop")
                try hold(index == self.started.count, "child \(index) came after \(self.started.count) others")
                self.started.append(index)
                self.open.append(index)
            }

            private mutating func endChild(_ random: inout SplitMix64, failing: Int) throws {
                guard !self.open.isEmpty else { return }
                let child = self.open.remove(at: random.below(self.open.count))
                let isSuccess = !random.chance(failing)
                let wasStopping = self.stop != nil
                if !isSuccess, !wasStopping {
                    self.failures.append(child)
                    if self.policy == .failFast { self.stop = .failed(child: child) }
                }
                if !isSuccess, wasStopping || self.failures.count > 1 { self.words.insert("several failed") }
                let action = self.machine.childEnded(child, succeeded: isSuccess)
                if !self.isOver, self.stop != nil, !wasStopping {
                    try hold(action == .stopOthers, "the first failure was answered \(action)")
                } else {
                    try self.check(action)
                }
            }

            private mutating func endLate(_ random: inout SplitMix64) throws {
                let ended = self.started.filter { !self.open.contains($0) } + [self.started.count + 1]
                let child = ended[random.below(ended.count)]
                let action = self.machine.childEnded(child, succeeded: random.chance(50))
                try hold(action == .none, "child \(child) was reported twice and answered \(action)")
                self.words.insert("reported twice")
            }

            private mutating func endInput() throws {
                if self.begins > 0 { self.isInputOver = true }
                try self.check(self.machine.inputEnded())
            }

            private mutating func cancel() throws {
                switch self.machine.cancel() {
                case .settle:
                    try hold(self.begins == 0 && self.stop == nil, "settled after the start")
                    self.words.insert("settled")
                    self.stop = .cancelled
                case .stopChildren:
                    try hold(
                        self.begins == 1 && self.stop == nil && self.finishes == 0, "told to stop twice, or too late")
                    self.stop = .cancelled
                case .none:
                    try hold(self.stop != nil || self.finishes > 0, "a cancellation was not heard")
                }
            }

            // MARK: - Invariants

            /// Tells whether nothing of a started batch is left.
            private var isOver: Bool { self.begins > 0 && self.isInputOver && self.open.isEmpty }

            private mutating func check(_ action: BatchMachine.ProgressAction) throws {
                if self.isOver, self.finishes == 0 {
                    try hold(action == .finish(self.stop ?? .finished), "the end was answered \(action)")
                    self.finishes += 1
                    self.words.insert(self.word)
                } else {
                    try hold(action == .none, "\(action), though \(self.open.count) run")
                }
            }

            private var word: String {
                switch self.stop {
                case nil, .finished?: "finished"
                case .failed?: "failed"
                case .cancelled?: "cancelled"
                }
            }

            private func checkCounts() throws {
                try hold(self.machine.startedCount == self.started.count, "\(self.machine.startedCount) started")
                try hold(self.machine.openCount == self.open.count, "\(self.machine.openCount) run")
                let ended = self.started.count - self.open.count
                try hold(self.machine.endedCount == ended, "\(self.machine.endedCount) ended, not \(ended)")
                let failure = self.machine.firstFailure
                try hold(failure == self.failures.first, "\(failure ?? -1) failed first")
                let isConcluded = self.finishes > 0 || (self.begins == 0 && self.stop != nil)
                let expected = isConcluded ? self.stop ?? .finished : nil
                try hold(self.machine.conclusion == expected, "concluded wrongly")
            }
        }
    }
}
