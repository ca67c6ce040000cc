internal import ErrandMachines
internal import TestEffort
internal import Testing

@Suite("The budget of retries (G18)", .timeLimit(.minutes(60)), .paced)
struct RetryBudgetMachineTests {
    private static func budget(_ ratio: Double, perSecond: Double, window: Duration) -> RetryBudgetMachine {
        RetryBudgetMachine(RetryBudgetMachine.Limits(ratio: ratio, perSecond: perSecond, window: window))
    }

    /// Each request is followed by as many retries as there can be: a part of the requests, and the reserve.
    @Test(arguments: [
        (ratio: 0.1, perSecond: 0.0, seconds: 60, reserve: 0), (0.5, 0, 60, 0), (0.25, 0, 60, 0), (0.75, 0, 60, 0),
        (0.99, 0, 60, 0), (0.999, 0, 60, 0), (0.9999, 0, 60, 0), (0.01, 0, 60, 0), (0.001, 0, 60, 0),
        (0.0001, 0, 60, 0), (0, 10, 1, 10), (0, 5, 2, 10), (0.1, 10, 1, 10), (0.5, 5, 2, 10),
    ])
    func `lets a part of the requests retry`(ratio: Double, perSecond: Double, seconds: Int, reserve: Int) {
        var budget = Self.budget(ratio, perSecond: perSecond, window: .seconds(seconds))
        #expect(budget.balance(at: .zero) == reserve)
        var retried = 0
        for _ in 0..<10_000 {
            budget.noteRequest(at: .zero)
            if budget.withdraw(at: .zero) { retried += 1 } else { #expect(budget.balance(at: .zero) == 0) }
        }
        #expect(abs(Int(10_000 * ratio) + reserve - retried) <= 1)
    }

    @Test func `lets more retries than requests, where that is wanted`() {
        var budget = Self.budget(2, perSecond: 0, window: .seconds(60))
        for _ in 0..<10_000 { budget.noteRequest(at: .zero) }
        #expect(budget.balance(at: .zero) == 20_000)
    }

    @Test func `gives nothing where there is nothing`() {
        var budget = Self.budget(1, perSecond: 0, window: .seconds(1))
        var isPaid = budget.withdraw(at: .zero)
        #expect(!isPaid)
        budget.noteRequest(at: .zero)
        isPaid = budget.withdraw(at: .seconds(3))
        #expect(!isPaid, "what was paid in is forgotten")
    }

    @Test func `what is paid in counts for the window`() {
        var budget = Self.budget(0.5, perSecond: 0, window: .seconds(1))
        budget.noteRequest(at: .zero)
        budget.noteRequest(at: .zero)
        var isPaid = budget.withdraw(at: .milliseconds(901))
        #expect(isPaid)
        // All of that is over. The first of these is forgotten, and the others are not.
        for moment in [2_902, 3_203, 4_004] { budget.noteRequest(at: .milliseconds(moment)) }
        isPaid = budget.withdraw(at: .milliseconds(4_004))
        #expect(isPaid)
        isPaid = budget.withdraw(at: .milliseconds(4_004))
        #expect(!isPaid)
    }

    @Test func `the reserve comes back with the window`() {
        var budget = Self.budget(1, perSecond: 5, window: .seconds(1))
        for round in 0..<3 {
            let now = Duration.seconds(2 * round)
            let paid = (0..<6).map { _ in budget.withdraw(at: now) }
            #expect(paid == [true, true, true, true, true, false])
        }
    }

    @Test(arguments: [Double.nan, -1, -Double.infinity])
    func `no number, or less than nothing, is nothing`(number: Double) {
        var budget = Self.budget(number, perSecond: number, window: .zero)
        budget.noteRequest(at: .zero)
        #expect(budget.balance(at: .zero) == 0)
    }

    @Test func `endless is as much as there can be, and traps nowhere`() {
        var budget = Self.budget(.infinity, perSecond: .infinity, window: .seconds(Int64.max))
        for _ in 0..<1_000 { budget.noteRequest(at: .seconds(Int64.max)) }
        #expect(budget.balance(at: .zero) == 60_100_000)
    }
}

extension LongTests {
    @Suite("The budget of retries, at any load", .timeLimit(.minutes(60)), .paced)
    struct RetryBudgetWalkTests {
        @Test func `retries within a window are never more than their part and the reserve`() async {
            await overSeeds(reaching: ["paid", "refused", "fresh", "back"]) { random in
                let ratio = Double(random.below(11)) / 10
                let perSecond = random.below(5)
                let window = Duration.seconds(1 + random.below(10))
                var budget = RetryBudgetMachine(
                    RetryBudgetMachine.Limits(ratio: ratio, perSecond: Double(perSecond), window: window))
                var now = Duration.zero
                var (requests, retries): ([Duration], [Duration]) = ([], [])
                var words = Set<String>()
                for _ in 0..<400 {
                    now += .milliseconds(random.below(random.chance(2) ? 20_000 : 200))
                    if random.chance(50) {
                        budget.noteRequest(at: now)
                        requests.append(now)
                    } else if budget.withdraw(at: now) {
                        retries.append(now)
                        words.insert("paid")
                        let slot = { (moment: Duration) in Int(moment / (window / 10)) }
                        let sent = requests.count { slot($0) > slot(now) - 10 }
                        let resent = retries.count { slot($0) > slot(now) - 10 }
                        let bound = ratio * Double(sent) + Double(perSecond) * (window / .seconds(1))
                        try hold(Double(resent) <= bound + 0.001, "\(resent) retries of \(sent) requests in a window")
                    } else {
                        words.insert("refused")
                    }
                    if random.chance(5) {
                        let before = budget.balance(at: now)
                        let earlier = budget.balance(at: .zero)
                        try hold(earlier == before, "a clock that goes back changes nothing")
                        words.insert("back")
                    }
                    var later = budget
                    try hold(later.isFresh(at: now + window + window / 10), "nothing is left after a window")
                    if budget.isFresh(at: now) { words.insert("fresh") }
                }
                return words
            }
        }
    }
}
