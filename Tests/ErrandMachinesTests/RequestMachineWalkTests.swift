import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G1, G6: a request under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct RequestMachineWalkTests {
        private typealias Phase = RequestMachine.Phase

        private struct Edge: Hashable {
            let from: Phase
            let to: Phase

            init(_ from: Phase, _ to: Phase) {
                self.from = from
                self.to = to
            }
        }

        /// The edges that users are told of.
        private static let edges: Set<Edge> = [
            Edge(.idle, .running), Edge(.idle, .failed),
            Edge(.running, .cached), Edge(.running, .finished), Edge(.running, .failed),
            Edge(.cached, .running),
        ]
        /// A run that ends while its cached answer still shows, before the refresh was asked for.
        private static let edgesWhileShowing: Set<Edge> = [Edge(.cached, .finished), Edge(.cached, .failed)]

        @Test("It ends once, moves along the edges, stays terminal, and a stop that was accepted wins")
        func anyEvents() async {
            let ends: Set<String> = ["finished", "cached", "failed", "cancelled"]
            let others: Set<String> = ["refreshed", "stopped late", "settled", "seen out", "too late", "went on"]
            await overSeeds(reaching: ends.union(others)) { random in
                var walk = Walk()
                // Few cancellations, so that the other ends are reached; some walks have none.
                let cancelling = random.below(4)
                for _ in 0..<200 { try walk.step(&random, cancelling: cancelling) }
                return walk.words
            }
        }

        private struct Walk: ~Copyable {
            var machine = RequestMachine()
            var words = Set<String>()
            private var begins = 0
            private var concludes = 0
            private var publishes = 0
            private var stoppedFor: StopReason?
            private var waiting = 0
            private var isKept = false
            private var concluded: RequestMachine.Conclusion?

            mutating func step(_ random: inout SplitMix64, cancelling: Int) throws {
                let phase = self.machine.phase
                let conclusion = self.machine.conclusion
                if random.below(40) < cancelling {
                    try self.cancel(for: random.chance(50) ? .cancelled : .totalTimedOut(.seconds(1)))
                } else {
                    try self.apply(random.below(12), &random)
                }
                let after = self.machine.phase
                if after != phase {
                    let edge = Edge(phase, after)
                    let isAllowed =
                        RequestMachineWalkTests.edges.contains(edge)
                        || RequestMachineWalkTests.edgesWhileShowing.contains(edge)
                    try hold(isAllowed, "\(phase) went to \(after)")
                    try hold(conclusion == nil, "changed to \(after) after the end")
                    if edge == Edge(.cached, .running) { self.words.insert("refreshed") }
                }
                if let conclusion {
                    try hold(self.machine.conclusion == conclusion, "the conclusion \(conclusion) changed")
                }
                try self.checkCounts()
            }

            private mutating func cancel(for reason: StopReason) throws {
                try self.carryOut(self.machine.stop(reason), reason)
            }

            private mutating func carryOut(_ action: RequestMachine.StopAction, _ reason: StopReason) throws {
                switch action {
                case .settle:
                    try hold(self.begins == 0, "settled after the start")
                    self.words.insert("settled")
                    self.stoppedFor = reason
                case .stopRun:
                    try hold(self.stoppedFor == nil && self.concludes == 0, "told to stop twice, or too late")
                    self.stoppedFor = reason
                case .none:
                    if self.concludes > 0 { self.words.insert("stopped late") }
                    // A cancellation after everyone has left takes the place of that.
                    if self.stoppedFor == .abandoned, self.machine.stopReason == .cancelled {
                        self.stoppedFor = .cancelled
                    }
                }
            }

            private mutating func join() throws {
                let action = self.machine.join()
                try hold((action == .tooLate) == (self.machine.stopReason == .abandoned), "joined: \(action)")
                if action == .stay { self.waiting += 1 } else { self.words.insert("too late") }
            }

            private mutating func leave() throws {
                guard self.waiting > 0 else { return }
                self.waiting -= 1
                switch self.machine.left() {
                case .none:
                    try hold(self.waiting > 0 || self.isKept, "went on without anyone")
                    self.words.insert("went on")
                case .seeOut(let action):
                    try hold(self.waiting == 0 && !self.isKept, "stopped though someone is there")
                    self.words.insert("seen out")
                    try self.carryOut(action, .abandoned)
                }
            }

            private mutating func apply(_ event: Int, _ random: inout SplitMix64) throws {
                switch event {
                case 0: if self.machine.start() == .begin { self.begins += 1 }
                case 1 where random.chance(20): _ = self.machine.refused()
                case 2: _ = self.machine.entered()
                case 3:
                    let action = self.machine.showedCached()
                    try hold(action == .none || self.stoppedFor == nil, "a cached answer was shown after the stop")
                case 4: _ = self.machine.refreshing()
                case 5:
                    let asked: [RequestMachine.Conclusion] = [.finished, .cached, .failed, .cancelled]
                    if random.chance(15) { try self.conclude(asked[random.below(4)]) }
                case 6:
                    guard case .publish(let conclusion) = self.machine.stopped() else { return }
                    self.publishes += 1
                    try hold(conclusion == self.concluded, "ended as \(conclusion)")
                case 7: try self.join()
                case 8 where random.chance(30): try self.leave()
                case 9 where random.chance(5):
                    if self.machine.keep() == .stay { self.isKept = true }
                default: break
                }
            }

            private mutating func conclude(_ asked: RequestMachine.Conclusion) throws {
                switch self.machine.concluded(asked) {
                case .none: return
                case .end:
                    try hold(self.stoppedFor == nil, "ended as \(asked) after a stop")
                    self.concluded = asked
                case .endAsStopped(let reason):
                    try hold(reason == self.stoppedFor, "ended as stopped for \(reason)")
                    self.concluded = reason.conclusion
                }
                self.concludes += 1
            }

            private mutating func checkCounts() throws {
                try hold(self.begins <= 1, "began twice")
                try hold(self.concludes <= 1, "concluded twice")
                try hold(self.publishes <= self.concludes, "showed an end that was not concluded")
                guard let conclusion = self.machine.conclusion else { return }
                self.words.insert("\(conclusion)")
                try hold(self.machine.phase == conclusion.phase, "\(conclusion) shows as \(self.machine.phase)")
                try hold(
                    self.stoppedFor.map { $0.conclusion == conclusion } ?? true,
                    "stopped for another reason, but ended as \(conclusion)")
                try hold(self.begins == self.concludes, "ended without a conclude action")
            }
        }
    }
}
