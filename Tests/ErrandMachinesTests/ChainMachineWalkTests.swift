import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G5, G7: a chain under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct ChainMachineWalkTests {
        @Test("Steps run in order, each after the callback before it, none after the end, and a cancellation wins")
        func anyEvents() async {
            let ends: Set<String> = ["finished", "failed", "cancelled", "empty", "settled"]
            await overSeeds(reaching: ends.union(["grew in a callback", "recovered", "cancelled in a callback"])) {
                random in
                var walk = Walk(steps: random.below(4))
                let moods = (failing: [5, 50][random.below(2)], cancelling: [0, 1, 4][random.below(3)])
                for _ in 0..<200 { try walk.step(&random, failing: moods.failing, cancelling: moods.cancelling) }
                return walk.words
            }
        }

        /// What a step was last told to do.
        private enum Work: Equatable {
            case none, request, callback, recovery
        }

        private struct Walk: ~Copyable {
            var machine: ChainMachine
            var words = Set<String>()
            private var stepCount: Int
            private var begins = 0
            private var startAnswers = 0
            /// The step that was run last, and what of it is under way.
            private var step = -1
            private var work = Work.none
            private var wasCancelled = false
            private var end: ChainMachine.Conclusion?

            init(steps: Int) {
                self.stepCount = steps
                self.machine = ChainMachine(stepCount: steps)
            }

            mutating func step(_ random: inout SplitMix64, failing: Int, cancelling: Int) throws {
                if random.chance(cancelling) {
                    try self.cancel()
                } else {
                    let succeeds = !random.chance(failing)
                    switch random.below(10) {
                    case 0 where random.chance(40): try self.start()
                    case 1: try self.enter()
                    case 2 where random.chance(30): try self.add()
                    case 3: try self.tellOfAnother(&random, succeeds)
                    case 4...: try self.goOn(&random, succeeds)
                    default: break
                    }
                }
                try hold(self.machine.conclusion == self.end, "concluded without an action, or changed it")
                try hold(self.machine.stepCount == self.stepCount, "\(self.machine.stepCount) steps")
                let expected = self.work == .none ? nil : self.step
                try hold(self.machine.currentStep == expected, "works on \(self.machine.currentStep ?? -1)")
            }

            // MARK: - Events

            private mutating func start() throws {
                let action = self.machine.start()
                self.startAnswers += 1
                switch action {
                case .begin:
                    try hold(self.startAnswers == 1 && self.stepCount > 0 && self.end == nil, "began")
                    self.begins += 1
                case .empty:
                    try hold(self.startAnswers == 1 && self.stepCount == 0 && self.end == nil, "empty")
                    self.end = .empty
                    self.words.insert("empty")
                case .cancelled:
                    try hold(self.begins == 0 && self.wasCancelled, "said that it was cancelled before the start")
                    self.startAnswers = 0
                case .alreadyStarted:
                    try hold(self.startAnswers > 1, "said that it was started before")
                }
            }

            private mutating func enter() throws {
                let action = self.machine.entered()
                guard self.begins == 1, self.step < 0, self.end == nil else {
                    return try hold(action == .none, "entered and answered \(action)")
                }
                try self.carryOut(action, expected: .run(0))
            }

            private mutating func add() throws {
                let action = self.machine.addStep()
                guard self.end == nil, !self.wasCancelled else {
                    return try hold(action == .refused, "a step was added too late")
                }
                try hold(action == .added(self.stepCount), "a step was answered \(action)")
                self.stepCount += 1
                if self.work == .callback { self.words.insert("grew in a callback") }
            }

            private mutating func goOn(_ random: inout SplitMix64, _ succeeds: Bool) throws {
                let step = self.step
                switch self.work {
                case .none: break
                case .request where succeeds:
                    try self.carryOut(self.machine.stepSucceeded(step), expected: .callback(step))
                case .request:
                    let canRecover = random.chance(50)
                    let expected: ChainMachine.StepAction = canRecover ? .recover(step) : .finish(.failed(step: step))
                    try self.carryOut(self.machine.stepFailed(step, canRecover: canRecover), expected: expected)
                case .recovery:
                    let expected: ChainMachine.StepAction = succeeds ? .callback(step) : .finish(.failed(step: step))
                    try self.carryOut(self.machine.recoveryEnded(step, succeeded: succeeds), expected: expected)
                case .callback:
                    if self.wasCancelled { self.words.insert("cancelled in a callback") }
                    let next: ChainMachine.StepAction = step + 1 < self.stepCount ? .run(step + 1) : .finish(.finished)
                    let expected = succeeds ? next : .finish(.failed(step: step))
                    try self.carryOut(self.machine.callbackEnded(step, succeeded: succeeds), expected: expected)
                }
            }

            /// Says something that is not true of the chain as it is: of another step, or of work that is not under
            /// way.
            private mutating func tellOfAnother(_ random: inout SplitMix64, _ succeeds: Bool) throws {
                let other = self.step + [-1, 1, 2][random.below(3)]
                var actions = [self.machine.stepSucceeded(other), self.machine.stepFailed(other, canRecover: succeeds)]
                actions.append(self.machine.callbackEnded(other, succeeded: succeeds))
                actions.append(self.machine.recoveryEnded(other, succeeded: succeeds))
                if self.work != .request { actions.append(self.machine.stepSucceeded(self.step)) }
                if self.work != .callback { actions.append(self.machine.callbackEnded(self.step, succeeded: succeeds)) }
                if self.work != .recovery { actions.append(self.machine.recoveryEnded(self.step, succeeded: succeeds)) }
                try hold(actions.allSatisfy { $0 == .none }, "late words were answered \(actions)")
            }

            private mutating func cancel() throws {
                switch self.machine.cancel() {
                case .settle:
                    try hold(self.begins == 0 && self.end == nil, "settled after the start")
                    self.words.insert("settled")
                    self.end = .cancelled
                case .stopRun:
                    try hold(
                        self.begins == 1 && !self.wasCancelled && self.end == nil, "told to stop twice, or too late")
                case .none:
                    try hold(self.wasCancelled || self.end != nil, "a cancellation was not heard")
                    return
                }
                self.wasCancelled = true
            }

            // MARK: - Actions

            private mutating func carryOut(
                _ action: ChainMachine.StepAction, expected: ChainMachine.StepAction
            ) throws {
                let expected = self.wasCancelled ? .finish(.cancelled) : expected
                try hold(action == expected, "\(action) in place of \(expected)")
                switch action {
                case .run(let step):
                    self.step = step
                    self.work = .request
                case .callback:
                    if self.work == .recovery { self.words.insert("recovered") }
                    self.work = .callback
                case .recover: self.work = .recovery
                case .finish(let conclusion):
                    self.work = .none
                    self.end = conclusion
                    self.words.insert(self.word(of: conclusion))
                case .none: break
                }
            }

            private func word(of conclusion: ChainMachine.Conclusion) -> String {
                if case .failed = conclusion { "failed" } else { "\(conclusion)" }
            }
        }
    }
}
