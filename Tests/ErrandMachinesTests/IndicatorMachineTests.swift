import TestEffort
import Testing

@testable import ErrandMachines

@Suite("An indicator shows what lasts, and does not flicker", .timeLimit(.minutes(60)), .paced)
struct IndicatorMachineTests {
    typealias Action = IndicatorMachine.Action

    @Test func `brief work shows nothing`() {
        var machine = IndicatorMachine(isEnabled: true)
        #expect(machine.began() == .start(1, .activation))
        #expect(machine.ended() == .none)
        #expect(machine.fired(1) == .none)
        #expect(machine.isVisible == false)
        #expect(machine.began() == .start(2, .activation))
    }

    @Test func `work that lasts shows, and a burst shows once`() {
        var machine = IndicatorMachine(isEnabled: true)
        #expect(machine.began() == .start(1, .activation))
        #expect(machine.ended() == .none)
        #expect(machine.began() == .none)
        #expect(machine.fired(1) == Action(isVisible: true))
        #expect(machine.began() == .none)
        #expect(machine.ended() == .none)
        #expect(machine.ended() == .start(2, .completion))
        #expect(machine.isVisible == true)
        #expect(machine.began() == Action(cancelsTimer: true))
        #expect(machine.fired(2) == .none, "late")
        #expect(machine.isVisible == true)
        #expect(machine.ended() == .start(3, .completion))
        #expect(machine.fired(3) == Action(isVisible: false))
        #expect(machine.isVisible == false)
    }

    @Test func `switched off it hides at once and counts on`() {
        var machine = IndicatorMachine(isEnabled: false)
        #expect(machine.began() == .none)
        #expect(machine.enabled(true) == .start(1, .activation), "what is under way counts")
        #expect(machine.enabled(true) == .none)
        #expect(machine.enabled(false) == Action(cancelsTimer: true))
        #expect(machine.fired(1) == .none, "late")
        #expect(machine.enabled(true) == .start(2, .activation))
        #expect(machine.fired(2) == Action(isVisible: true))
        #expect(machine.enabled(false) == Action(isVisible: false))
        #expect(machine.ended() == .none)
        #expect(machine.count == 0)
        #expect(machine.enabled(true) == .none)
        _ = machine.began()
        _ = machine.fired(3)
        #expect(machine.ended() == .start(4, .completion))
        #expect(machine.enabled(false) == Action(cancelsTimer: true, isVisible: false))
        #expect(machine.fired(4) == .none, "late")
    }
}

extension LongTests {
    @Suite("An indicator under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct IndicatorMachineWalkTests {
        @Test("It says each change once, has a timer just when it waits, and shows what the timers say")
        func anyEvents() async {
            await overSeeds(reaching: ["shown", "hidden", "kept", "skipped", "off", "late"]) { random in
                var walk = Walk(machine: IndicatorMachine(isEnabled: random.chance(80)))
                for _ in 0..<200 { try walk.step(&random) }
                return walk.words
            }
        }

        private struct Walk: ~Copyable {
            var machine: IndicatorMachine
            var words = Set<String>()
            private var count = 0
            private var isVisible = false
            /// The timer that runs, and the ones that were cancelled or have fired.
            private var timer: (number: UInt64, delay: IndicatorMachine.Delay)?
            private var spent: [UInt64] = []

            init(machine: consuming IndicatorMachine) {
                self.machine = machine
            }

            mutating func step(_ random: inout SplitMix64) throws {
                switch random.below(8) {
                case 0...2:
                    self.count += 1
                    try self.take(self.machine.began(), "began")
                case 3...5 where self.count > 0:
                    self.count -= 1
                    try self.take(self.machine.ended(), "ended")
                case 6:
                    try self.fire(&random)
                case 7 where random.chance(20):
                    let isEnabled = random.chance(70)
                    if !isEnabled { self.words.insert("off") }
                    try self.take(self.machine.enabled(isEnabled), "enabled")
                default:
                    break
                }
                try hold(self.machine.count == self.count, "counts \(self.machine.count) of \(self.count)")
                try hold(self.machine.isVisible == self.isVisible, "shows something else than it said")
                try self.holdTimers()
            }

            private mutating func fire(_ random: inout SplitMix64) throws {
                if let late = self.spent.last, random.chance(20) {
                    self.words.insert("late")
                    return try hold(self.machine.fired(late) == .none, "a late timer did something")
                }
                guard let timer = self.timer else { return }
                self.timer = nil
                self.spent.append(timer.number)
                let expected: Bool? = timer.delay == .completion ? false : self.count > 0 ? true : nil
                self.words.insert(expected.map { $0 ? "shown" : "hidden" } ?? "skipped")
                let action = self.machine.fired(timer.number)
                try hold(action == IndicatorMachine.Action(isVisible: expected), "\(action) for \(timer)")
                self.isVisible = expected ?? self.isVisible
            }

            private mutating func take(_ action: IndicatorMachine.Action, _ event: String) throws {
                if action.cancelsTimer {
                    guard let timer = self.timer.take() else { throw Violation(description: "no timer to cancel") }
                    self.spent.append(timer.number)
                    if event == "began" { self.words.insert("kept") }
                }
                if let number = action.timer, let delay = action.delay {
                    try hold(self.timer == nil, "a second timer")
                    try hold(!self.spent.contains(number), "a timer once more")
                    self.timer = (number, delay)
                }
                if let isVisible = action.isVisible {
                    try hold(event == "enabled" && !isVisible && self.isVisible, "\(event) changed what shows")
                    self.isVisible = isVisible
                }
            }

            private func holdTimers() throws {
                guard self.machine.isEnabled else {
                    return try hold(self.timer == nil && !self.isVisible, "switched off, and not at rest")
                }
                switch (self.isVisible, self.count > 0) {
                case (true, true): try hold(self.timer == nil, "a timer runs while it shows what is there")
                case (true, false): try hold(self.timer?.delay == .completion, "nothing will hide it")
                case (false, true): try hold(self.timer?.delay == .activation, "nothing will show it")
                case (false, false): try hold(self.timer?.delay != .completion, "waits to hide what is hidden")
                }
            }
        }
    }
}
