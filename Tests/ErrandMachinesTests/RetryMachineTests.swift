internal import ErrandMachines
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Whether a request is sent again (G16, G18)", .timeLimit(.minutes(60)), .paced)
struct RetryMachineTests {
    private static func actions(
        limit: Int, budget: Int, cap: Duration = .seconds(20), failures: Int
    ) -> [RetryMachine.Action] {
        var machine = RetryMachine(limit: limit, longestHint: .seconds(60))
        let rule = BackoffRule(base: .seconds(1), factor: 2, cap: cap, jitter: .none)
        var delays = BackoffDelays(rule, using: SplitMix64(seed: 0))
        var left = budget
        return (0..<failures).map { _ in
            machine.failed(RetryMachine.Failure(), delay: delays.next() ?? .zero) {
                defer { left = max(0, left - 1) }
                return left > 0
            }
        }
    }

    private static func retries(_ seconds: Int...) -> [RetryMachine.Action] {
        seconds.map { .retry(after: .seconds($0)) }
    }

    /// The cases of the AWS standard retry mode: three attempts in all, unless it says otherwise.
    @Test func `waits longer each time, and ends where it may not go on`() {
        #expect(Self.actions(limit: 2, budget: 100, failures: 2) == Self.retries(1, 2), "and then succeeds")
        #expect(Self.actions(limit: 2, budget: 100, failures: 3) == Self.retries(1, 2) + [.giveUp])
        #expect(Self.actions(limit: 2, budget: 1, failures: 2) == Self.retries(1) + [.refuse(.noBudgetLeft)])
        #expect(Self.actions(limit: 2, budget: 0, failures: 1) == [.refuse(.noBudgetLeft)])
        #expect(Self.actions(limit: 4, budget: 100, failures: 5) == Self.retries(1, 2, 4, 8) + [.giveUp])
        #expect(
            Self.actions(limit: 4, budget: 100, cap: .seconds(3), failures: 5) == Self.retries(1, 2, 3, 3) + [.giveUp])
        #expect(Self.actions(limit: 0, budget: 100, failures: 1) == [.giveUp])
        #expect(Self.actions(limit: -1, budget: 100, failures: 1) == [.giveUp])
    }

    @Test(arguments: [
        // The hint is a floor, and the delay comes on top.
        (hint: Duration.seconds(10), left: Duration?.none, expected: RetryMachine.Action.retry(after: .seconds(11))),
        (.zero, nil, .retry(after: .seconds(1))), (.seconds(-5), nil, .retry(after: .seconds(1))),
        (.seconds(60), nil, .retry(after: .seconds(61))), (.seconds(61), nil, .refuse(.askedToWaitTooLong)),
        (.seconds(Int64.max), nil, .refuse(.askedToWaitTooLong)),
        // One that cannot finish in time is not begun.
        (.zero, .seconds(1), .refuse(.noTimeLeft)), (.zero, .milliseconds(1_001), .retry(after: .seconds(1))),
        (.seconds(10), .seconds(11), .refuse(.noTimeLeft)), (.zero, .seconds(-3), .refuse(.noTimeLeft)),
    ])
    func `keeps to what the server and the deadline say`(
        hint: Duration, left: Duration?, expected: RetryMachine.Action
    ) {
        var machine = RetryMachine(limit: 1, longestHint: .seconds(60))
        let failure = RetryMachine.Failure(hint: hint, timeLeft: left)
        let action = machine.failed(failure, delay: .seconds(1)) { true }
        #expect(action == expected)
    }

    @Test func `takes nothing out of the budget for what is not sent again`() {
        for failure in [
            RetryMachine.Failure(isRepeatable: false), RetryMachine.Failure(hint: .seconds(100)),
            RetryMachine.Failure(timeLeft: .zero),
        ] {
            var machine = RetryMachine(limit: 1, longestHint: .seconds(60))
            let action = machine.failed(failure, delay: .zero) { () -> Bool in
                Issue.record("it was asked")
                return true
            }
            guard case .refuse = action else {
                Issue.record("\(action)")
                continue
            }
        }
    }
}

extension LongTests {
    /// An outage in virtual time: 1 000 clients send a request every other second, and for a minute half of what they
    /// ask for fails, however often they ask.
    @Suite("Retries in an outage (G18)", .timeLimit(.minutes(60)), .paced)
    struct RetryOutageTests {
        /// The load in each second: requests that were offered, and those that came to the server.
        private struct Load {
            var offered = [Int](repeating: 0, count: Self.seconds)
            var sent = [Int](repeating: 0, count: Self.seconds)
            static let seconds = 160

            func sum(_ numbers: [Int], _ range: Range<Int>) -> Int { numbers[range].reduce(0, +) }
        }

        private static let outage = 20..<80
        private static let window = 10

        private static func load(budgets: [RetryBudgetMachine]?, limit: Int, seed: UInt64) -> Load {
            var (load, budgets, random) = (Load(), budgets, SplitMix64(seed: seed))
            var queue = BinaryHeap<Attempt>()
            let rule = BackoffRule(base: .seconds(1), factor: 2, cap: .seconds(20), jitter: .full)
            for client in 0..<1_000 {
                queue.insert(Attempt(due: .milliseconds(random.below(2_000)), client: client, retry: nil))
            }
            while let attempt = queue.popFirst() {
                let second = Int(attempt.due / .seconds(1))
                guard second < Load.seconds else { break }
                load.sent[second] += 1
                let budget = budgets.map { attempt.client % $0.count }
                if attempt.retry == nil {
                    load.offered[second] += 1
                    if let budget { budgets?[budget].noteRequest(at: attempt.due) }
                    queue.insert(Attempt(due: attempt.due + .seconds(2), client: attempt.client, retry: nil))
                }
                let isDown = Self.outage.contains(second)
                guard isDown, attempt.retry != nil || random.chance(50) else { continue }
                let count = (attempt.retry ?? 0) + 1
                guard count <= limit else { continue }
                var isPaid = true
                if let budget { isPaid = budgets?[budget].withdraw(at: attempt.due) ?? true }
                guard isPaid else { continue }
                let delay = rule.bound(of: count - 1) * Double.random(in: 0...1, using: &random)
                queue.insert(Attempt(due: attempt.due + delay, client: attempt.client, retry: count))
            }
            return load
        }

        private struct Attempt: Comparable {
            let due: Duration
            let client: Int
            /// Which retry of its request it is, from 1.
            let retry: Int?

            static func < (one: Attempt, other: Attempt) -> Bool { one.due < other.due }
        }

        private static let limits = RetryBudgetMachine.Limits(ratio: 0.2, perSecond: 10, window: .seconds(10))

        @Test(arguments: [UInt64](0..<3))
        func `the server never gets more than a fifth on top, and the floor`(seed: UInt64) {
            let budgets = [RetryBudgetMachine(Self.limits)]
            let load = Self.load(budgets: budgets, limit: 5, seed: seed)
            for start in 0..<(Load.seconds - Self.window) {
                let range = start..<(start + Self.window)
                let (offered, sent) = (load.sum(load.offered, range), load.sum(load.sent, range))
                // What was paid for in one window may be sent in the next one.
                let floor = 2 * 10 * Self.window
                #expect(Double(sent) <= 1.2 * Double(offered) + Double(floor) + 0.05 * Double(offered), "\(range)")
            }
            let all = 0..<Load.seconds
            let floor = 10 * Self.outage.count
            #expect(
                Double(load.sum(load.sent, all))
                    <= 1.2 * Double(load.sum(load.offered, all)) + Double(floor))
            // Two windows after the outage there is nothing left of it but what still sleeps before its last retry.
            let after = (Self.outage.upperBound + 2 * Self.window)..<Load.seconds
            #expect(load.sum(load.sent, after) == load.sum(load.offered, after))
        }

        @Test func `without a budget it gets three times as much`() {
            let load = Self.load(budgets: nil, limit: 5, seed: 1)
            let range = (Self.outage.upperBound - Self.window)..<Self.outage.upperBound
            #expect(load.sum(load.sent, range) > 3 * load.sum(load.offered, range))
        }

        @Test func `the picture of the documentation shows it`() throws {
            let with = Self.load(budgets: [RetryBudgetMachine(Self.limits)], limit: 5, seed: 1)
            let without = Self.load(budgets: nil, limit: 5, seed: 1)
            let plot = LoadPlot(
                title: "Requests a second, from 1000 clients", marked: (Self.outage, "half of them fail"),
                lines: [
                    LoadPlot.Line(name: "five retries, no budget", colour: "#cf222e", numbers: without.sent),
                    LoadPlot.Line(name: "five retries, standard budget", colour: "#0969da", numbers: with.sent),
                    LoadPlot.Line(name: "what the clients asked for", colour: "#57606a", numbers: with.offered),
                ])
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let committed = root.appending(path: "Sources/Errand/Errand.docc/Resources/outage.svg")
            let drawn = FileManager.default.temporaryDirectory.appending(path: "outage.svg")
            guard try plot.svg != String(contentsOf: committed, encoding: .utf8) else { return }
            try plot.svg.write(to: drawn, atomically: true, encoding: .utf8)
            Issue.record("the picture differs from \(drawn.path)")
        }
    }
}
