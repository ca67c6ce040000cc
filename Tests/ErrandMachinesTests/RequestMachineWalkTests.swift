import TestEffort
import Testing

@testable import ErrandMachines

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

        @Test("It ends once, moves along the edges, stays terminal, and a cancellation that was accepted wins")
        func anyEvents() async {
            let ends: Set<String> = ["finished", "cached", "failed", "cancelled"]
            await overSeeds(reaching: ends.union(["refreshed", "cancelled late", "settled"])) { random in
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
            private var wasCancelled = false
            private var concluded: RequestMachine.Conclusion?

            mutating func step(_ random: inout SplitMix64, cancelling: Int) throws {
                let phase = self.machine.phase
                let conclusion = self.machine.conclusion
                if random.below(40) < cancelling { try self.cancel() } else { try self.apply(random.below(9), &random) }
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

            private mutating func cancel() throws {
                switch self.machine.cancel() {
                case .settle:
                    try hold(self.begins == 0, "settled after the start")
                    self.words.insert("settled")
                    self.wasCancelled = true
                case .stopRun:
                    try hold(!self.wasCancelled && self.concludes == 0, "told to stop twice, or too late")
                    self.wasCancelled = true
                case .none:
                    if self.concludes > 0 { self.words.insert("cancelled late") }
                }
            }

            private mutating func apply(_ event: Int, _ random: inout SplitMix64) throws {
                switch event {
                case 0: if self.machine.start() == .begin { self.begins += 1 }
                case 1 where random.chance(20): _ = self.machine.refused()
                case 2: _ = self.machine.entered()
                case 3:
                    let action = self.machine.showedCached()
                    try hold(action == .none || !self.wasCancelled, "a cached answer was shown after the cancellation")
                case 4: _ = self.machine.refreshing()
                case 5:
                    let asked: [RequestMachine.Conclusion] = [.finished, .cached, .failed, .cancelled]
                    if random.chance(15) { try self.conclude(asked[random.below(4)]) }
                case 6:
                    guard case .publish(let conclusion) = self.machine.stopped() else { return }
                    self.publishes += 1
                    try hold(conclusion == self.concluded, "ended as \(conclusion)")
                default: break
                }
            }

            private mutating func conclude(_ asked: RequestMachine.Conclusion) throws {
                guard case .stop(let settled) = self.machine.concluded(asked) else { return }
                self.concludes += 1
                self.concluded = settled
                try hold(settled == (self.wasCancelled ? .cancelled : asked), "\(asked) was settled as \(settled)")
            }

            private mutating func checkCounts() throws {
                try hold(self.begins <= 1, "began twice")
                try hold(self.concludes <= 1, "concluded twice")
                try hold(self.publishes <= self.concludes, "showed an end that was not concluded")
                guard let conclusion = self.machine.conclusion else { return }
                self.words.insert("\(conclusion)")
                try hold(self.machine.phase == conclusion.phase, "\(conclusion) shows as \(self.machine.phase)")
                try hold(!self.wasCancelled || conclusion == .cancelled, "cancelled, but ended as \(conclusion)")
                try hold(self.begins == self.concludes, "ended without a conclude action")
            }
        }
    }
}
