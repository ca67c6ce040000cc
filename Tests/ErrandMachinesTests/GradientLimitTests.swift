internal import ErrandMachines
internal import TestEffort
internal import Testing

@Suite("How many requests a host takes at once (G8)", .timeLimit(.minutes(60)), .paced)
struct GradientLimitTests {
    private func limit(
        least: Int = 1, first: Int = 20, most: Int = 200, tolerance: Double = 1.5
    ) -> GradientLimit {
        GradientLimit(GradientLimit.Rules(least: least, first: first, most: most, tolerance: tolerance))
    }

    @Test func `grows while requests take no longer than usual`() {
        var limit = self.limit()
        for _ in 0..<1_000 { limit.answered(after: .milliseconds(10), among: limit.limit) }
        #expect(limit.limit == 200)
    }

    @Test func `stays where requests are few`() {
        var limit = self.limit()
        for _ in 0..<1_000 { limit.answered(after: .milliseconds(10), among: 9) }
        #expect(limit.limit == 20)
    }

    @Test func `shrinks when requests take longer, and by half at most`() {
        var limit = self.limit(first: 100)
        for _ in 0..<100 { limit.answered(after: .milliseconds(10), among: 1) }
        #expect(limit.limit == 100)
        limit.answered(after: .seconds(10), among: 100)
        // 100 · (0.5 · 0.2 + 0.8) + 4 · 0.2
        #expect(limit.limit == 90)
        for _ in 0..<20 { limit.answered(after: .milliseconds(100), among: limit.limit) }
        #expect(limit.limit < 40)
    }

    @Test func `takes no notice of what is within the tolerance`() {
        var limit = self.limit(first: 50)
        for _ in 0..<100 { limit.answered(after: .milliseconds(10), among: 1) }
        limit.answered(after: .milliseconds(14), among: 50)
        #expect(limit.limit == 50)
        #expect(self.grown(after: .milliseconds(14)) > 50 && self.grown(after: .milliseconds(40)) < 50)
    }

    private func grown(after time: Duration) -> Int {
        var limit = self.limit(first: 50)
        for _ in 0..<100 { limit.answered(after: .milliseconds(10), among: 1) }
        for _ in 0..<5 { limit.answered(after: time, among: limit.limit) }
        return limit.limit
    }

    @Test func `is a tenth less after a refusal, and never less than the least`() {
        var limit = self.limit(first: 100)
        limit.refused()
        #expect(limit.limit == 90)
        for _ in 0..<1_000 { limit.refused() }
        #expect(limit.limit == 1)
        limit.answered(after: .zero, among: 1)
        #expect(limit.limit >= 1)
    }

    @Test func `comes back after a bad time`() {
        var limit = self.limit()
        for _ in 0..<600 { limit.answered(after: .seconds(5), among: limit.limit) }
        for _ in 0..<600 { limit.answered(after: .milliseconds(10), among: limit.limit) }
        #expect(limit.limit == 200)
    }

    @Test func `what takes longer again soon after a slow spell counts as that`() {
        var limit = self.limit(first: 50)
        for _ in 0..<100 { limit.answered(after: .seconds(5), among: 1) }
        for _ in 0..<200 { limit.answered(after: .milliseconds(10), among: 1) }
        #expect(limit.limit == 50)
        for _ in 0..<5 { limit.answered(after: .milliseconds(100), among: limit.limit) }
        #expect(limit.limit < 50)
    }

    @Test(arguments: [
        (least: 0, first: 0, most: 0, tolerance: 0.0, limit: 1), (-5, -1, .max, .nan, 1), (10, 5, 3, .infinity, 10),
        (1, .max, .max, -1, 1 << 20), (.max, .max, .max, 1, 1 << 20),
    ])
    func `keeps to bounds, whatever is asked for`(least: Int, first: Int, most: Int, tolerance: Double, limit: Int) {
        var found = self.limit(least: least, first: first, most: most, tolerance: tolerance)
        #expect(found.limit == limit)
        for time in [Duration.zero, .seconds(-1), .seconds(Int64.max / 4)] {
            found.answered(after: time, among: .max)
            #expect(found.limit >= 1)
        }
    }

    @Test(arguments: 0..<UInt64(50))
    func `stays within its bounds, whatever happens`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var limit = self.limit(least: 3, first: 10, most: 40)
        for _ in 0..<500 {
            if random.next() % 10 == 0 {
                limit.refused()
            } else {
                limit.answered(
                    after: .microseconds(Int(random.next() % 1_000_000)), among: Int(random.next() % 50))
            }
            #expect(3...40 ~= limit.limit)
        }
    }
}

@Suite("Admission by what a host takes (G8)", .timeLimit(.minutes(60)), .paced)
struct AdmissionGradientTests {
    private func machine(first: Int) -> AdmissionMachine {
        AdmissionMachine(
            limits: AdmissionMachine.Limits(total: 100, perHost: 50),
            gradient: GradientLimit.Rules(least: 1, first: first, most: .max, tolerance: 1.5))
    }

    private func admitted(
        _ machine: inout AdmissionMachine, _ count: Int, _ host: String = "a"
    ) -> [AdmissionMachine.Ticket] {
        (0..<count).compactMap { _ in
            if case .admitted(let ticket) = machine.enqueue(host: host, priority: .normal) { ticket } else { nil }
        }
    }

    @Test func `lets no more go than it was found to take`() {
        var machine = self.machine(first: 4)
        let tickets = self.admitted(&machine, 10)
        #expect(tickets.count == 4 && machine.waitingCount == 6)
        #expect(self.admitted(&machine, 10, "b").count == 4, "each host by itself")
        #expect(machine.foundLimits == ["a": 4, "b": 4])
    }

    @Test func `lets no more go than the limits allow, though a host was found to take more`() {
        var machine = AdmissionMachine(
            limits: AdmissionMachine.Limits(total: 100, perHost: 3),
            gradient: GradientLimit.Rules(least: 1, first: 10, most: .max, tolerance: 1.5))
        #expect(self.admitted(&machine, 10).count == 3)
        #expect(machine.foundLimits["a"] == 10)
    }

    @Test func `lets those go that wait, once it takes more`() {
        var machine = self.machine(first: 4)
        let tickets = self.admitted(&machine, 10)
        for _ in 0..<10 { machine.note(tickets[0], answeredAfter: .milliseconds(10)) }
        #expect(machine.foundLimits["a"] == 8, "and no more than twice what was under way")
        var more = 0
        while machine.admitNext() != nil { more += 1 }
        #expect(more == 4 && machine.waitingCount == 2)
    }

    @Test func `lets fewer go after refusals, and as many as before within the limits`() {
        var machine = self.machine(first: 10)
        let tickets = self.admitted(&machine, 12)
        for ticket in tickets {
            machine.note(ticket, answeredAfter: nil)
            _ = machine.leave(ticket)
        }
        #expect(machine.foundLimits["a"] == 3)
        var more = 0
        while machine.admitNext() != nil { more += 1 }
        #expect(more == 2 && machine.waitingCount == 0)
        #expect(machine.note(tickets[0], answeredAfter: nil) == (), "late, it does nothing")
        #expect(machine.foundLimits["a"] == 3)
    }

    @Test func `is not looked at unless it is wanted`() {
        var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 100, perHost: 5))
        let tickets = self.admitted(&machine, 10)
        machine.note(tickets[0], answeredAfter: nil)
        #expect(tickets.count == 5 && machine.foundLimits.isEmpty)
    }
}
