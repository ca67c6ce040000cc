internal import ErrandMachines
internal import TestEffort
internal import Testing

@Suite("Admission at a rate (G8)", .timeLimit(.minutes(60)), .paced)
struct AdmissionMachineRateTests {
    private typealias Rate = TokenBucket.Rate

    private static func machine(
        _ rates: AdmissionMachine.Rates, total: Int = 100, perHost: Int = 100
    ) -> AdmissionMachine {
        var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: total, perHost: perHost))
        machine.setRates(rates)
        return machine
    }

    private static let twoASecond = Rate(2, per: .seconds(1), burst: 3)

    @Test func `lets a burst through at once, and the rest at the rate`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(total: Self.twoASecond))
        for _ in 0..<3 { _ = try machine.admitted(host: "a") }
        let waiting = try (0..<3).map { _ in try machine.waiting(host: "a") }
        #expect(machine.due == .milliseconds(500))
        machine.advance(to: .milliseconds(499))
        #expect(machine.drained() == [])
        machine.advance(to: .milliseconds(500))
        #expect(machine.drained() == [waiting[0]])
        #expect(machine.due == .seconds(1))
        machine.advance(to: .milliseconds(1_700))
        #expect(machine.drained() == Array(waiting[1...]))
        #expect(machine.due == nil)
    }

    @Test func `saves no more than the burst`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(perHost: Self.twoASecond))
        machine.advance(to: .seconds(1_000))
        for _ in 0..<3 { _ = try machine.admitted(host: "a") }
        _ = try machine.waiting(host: "a")
        _ = try machine.admitted(host: "b")
    }

    @Test func `a host and a tag hold up nobody else`() throws {
        var machine = Self.machine(
            AdmissionMachine.Rates(
                hosts: ["a": Rate(1, per: .seconds(10), burst: 1)],
                tags: ["slow": Rate(1, per: .seconds(1), burst: 1)]))
        _ = try machine.admitted(host: "a")
        let first = try machine.waiting(host: "a")
        guard case .admitted = machine.enqueue(host: "b", priority: .normal, tag: "slow"),
            case .wait(let tagged) = machine.enqueue(host: "b", priority: .high, tag: "slow"),
            case .wait(let elsewhere) = machine.enqueue(host: "c", priority: .high, tag: "slow")
        else { throw Violation(description: "a tag is one for all hosts") }
        _ = try machine.admitted(host: "b", .low)
        guard case .admitted = machine.enqueue(host: "b", priority: .low, tag: "other") else {
            throw Violation(description: "another tag has no limit")
        }
        #expect(machine.due == .seconds(1))
        machine.advance(to: .seconds(1))
        #expect(machine.drained() == [tagged])
        machine.advance(to: .seconds(2))
        #expect(machine.drained() == [elsewhere])
        #expect(machine.due == .seconds(10))
        machine.advance(to: .seconds(10))
        #expect(machine.drained() == [first])
    }

    @Test func `the more urgent go first, and the others are not forgotten`() throws {
        var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 100, perHost: 100), ageing: 2)
        machine.setRates(AdmissionMachine.Rates(total: Rate(1, per: .seconds(1), burst: 1)))
        _ = try machine.admitted(host: "a")
        let low = try machine.waiting(host: "a", .low)
        let high = try (0..<4).map { _ in try machine.waiting(host: "a", .high) }
        var order: [AdmissionMachine.Ticket] = []
        for second in 1...5 {
            machine.advance(to: .seconds(second))
            order += machine.drained()
        }
        #expect(order == [high[0], high[1], low, high[2], high[3]])
    }

    @Test func `who leaves pays nothing`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(total: Rate(1, per: .seconds(1), burst: 1)))
        let first = try machine.admitted(host: "a")
        let second = try machine.waiting(host: "a")
        let third = try machine.waiting(host: "a")
        #expect(machine.leave(second) == .leftQueue)
        #expect(machine.leave(first, isUnused: true) == .freedPlace)
        #expect(machine.drained() == [third], "what was not sent does not count")
    }

    @Test func `a host takes as many as it says`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(hasQuotas: true))
        _ = try machine.admitted(host: "a")
        machine.setQuota(2, until: .seconds(30), host: "a")
        for _ in 0..<2 { _ = try machine.admitted(host: "a") }
        let third = try machine.waiting(host: "a")
        _ = try machine.admitted(host: "b")
        machine.setQuota(0, until: .seconds(60), host: "a")
        machine.setQuota(5, until: .seconds(40), host: "a")
        #expect(machine.due == .seconds(30), "it is looked again then")
        machine.advance(to: .seconds(30))
        #expect(machine.drained() == [])
        #expect(machine.due == .seconds(60))
        machine.advance(to: .seconds(60))
        #expect(machine.drained() == [third])
        _ = try machine.admitted(host: "a")
    }

    @Test func `a tag whose rate is taken away waits no more`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(tags: ["slow": Rate(1, per: .seconds(10), burst: 1)]))
        guard case .admitted = machine.enqueue(host: "a", priority: .normal, tag: "slow"),
            case .wait(let second) = machine.enqueue(host: "a", priority: .normal, tag: "slow")
        else { throw Violation(description: "one of a tag goes at once, and the next one waits") }
        machine.setRates(AdmissionMachine.Rates())
        #expect(machine.drained() == [second])
        guard case .admitted = machine.enqueue(host: "a", priority: .normal, tag: "slow") else {
            throw Violation(description: "the tag has no limit any more")
        }
    }

    @Test func `a token of a host that is given back goes to who waits for it`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(perHost: Rate(1, per: .seconds(10), burst: 1)))
        let first = try machine.admitted(host: "a")
        let second = try machine.waiting(host: "a")
        #expect(machine.drained() == [])
        #expect(machine.leave(first, isUnused: true) == .freedPlace)
        #expect(machine.drained() == [second], "at once, and not when the next token comes")
    }

    @Test func `new rates let nobody go whom the host wants to wait`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(hasQuotas: true))
        machine.setQuota(0, until: .seconds(60), host: "a")
        let waiting = try machine.waiting(host: "a")
        machine.setRates(AdmissionMachine.Rates(perHost: Rate(1, per: .seconds(5), burst: 1), hasQuotas: true))
        #expect(machine.drained() == [])
        machine.advance(to: .seconds(60))
        #expect(machine.drained() == [waiting])
    }

    @Test func `new rates hold at once`() throws {
        var machine = Self.machine(AdmissionMachine.Rates(perHost: Rate(1, per: .seconds(1_000), burst: 1)))
        _ = try machine.admitted(host: "a")
        let waiting = try (0..<2).map { _ in try machine.waiting(host: "a") }
        machine.setRates(AdmissionMachine.Rates(perHost: Rate(1, per: .seconds(5), burst: 1)))
        #expect(machine.drained() == [waiting[0]])
        machine.setRates(AdmissionMachine.Rates())
        #expect(machine.drained() == [waiting[1]])
    }
}

extension LongTests {
    @Suite("G8: admission at a rate, under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct AdmissionMachineRateWalkTests {
        private typealias Rate = TokenBucket.Rate

        private struct Entry {
            let ticket: AdmissionMachine.Ticket
            let host: String
            let tag: String?
            let priority: AdmissionMachine.Priority
            var isActive: Bool
        }

        /// When tickets went, for all of them, each host and each tag.
        private struct Log {
            var moments: [String: [Duration]] = [:]

            /// The burst, and one for each interval: in any stretch of time.
            func keeps(_ rate: Rate, _ key: String) -> Bool {
                let moments = self.moments[key] ?? []
                return moments.indices.allSatisfy { end in
                    moments[...end].enumerated().allSatisfy { start, moment in
                        let count = end - start + 1
                        return moments[end] - moment >= rate.interval * (count - rate.burst)
                    }
                }
            }

            func hasToken(_ rate: Rate, _ key: String, at now: Duration) -> Bool {
                var with = self
                with.moments[key, default: []].append(now)
                return with.keeps(rate, key)
            }
        }

        @Test func `keeps all rates, never waits beside a token, in order within a lane`() async {
            await overSeeds(reaching: ["waited", "in a burst", "by time", "left", "unused"]) { random in
                func rate() -> Rate {
                    Rate(1 + random.below(5), per: .milliseconds(1 + random.below(5_000)), burst: 1 + random.below(4))
                }
                let total = rate()
                let (host, tag) = (rate(), rate())
                var machine = AdmissionMachine(
                    limits: AdmissionMachine.Limits(total: 3 + random.below(5), perHost: 1 + random.below(3)),
                    ageing: 1_000)
                machine.setRates(AdmissionMachine.Rates(total: total, perHost: host, tags: ["slow": tag]))
                var (entries, log, now, words) = ([Entry](), Log(), Duration.zero, Set<String>())

                func hasTokens(_ entry: Entry) -> Bool {
                    log.hasToken(total, "all", at: now) && log.hasToken(host, "host " + entry.host, at: now)
                        && (entry.tag != "slow" || log.hasToken(tag, "tag", at: now))
                }
                func note(_ entry: Entry) {
                    log.moments["all", default: []].append(now)
                    log.moments["host " + entry.host, default: []].append(now)
                    if entry.tag == "slow" { log.moments["tag", default: []].append(now) }
                }
                func forget(_ entry: Entry) {
                    for key in ["all", "host " + entry.host, entry.tag == "slow" ? "tag" : ""] {
                        if let last = log.moments[key]?.last, last == now { log.moments[key]?.removeLast() }
                    }
                }
                func hasPlace(_ entry: Entry) -> Bool {
                    let active = entries.filter(\.isActive)
                    return active.count < machine.limits.total
                        && active.count { $0.host == entry.host } < machine.limits.perHost
                }
                func drain() throws -> Int {
                    var count = 0
                    while let ticket = machine.admitNext() {
                        count += 1
                        guard let index = entries.firstIndex(where: { $0.ticket == ticket && !$0.isActive }) else {
                            throw Violation(description: "admitted a stranger")
                        }
                        let entry = entries[index]
                        try hold(hasTokens(entry) && hasPlace(entry), "admitted without a token or a place")
                        let isFirst = !entries[..<index].contains {
                            !$0.isActive && $0.host == entry.host && ($0.tag == "slow") == (entry.tag == "slow")
                                && $0.priority == entry.priority
                        }
                        try hold(isFirst, "not in order within its lane")
                        entries[index].isActive = true
                        note(entry)
                    }
                    for entry in entries where !entry.isActive {
                        try hold(!(hasTokens(entry) && hasPlace(entry)), "waits beside a place and a token")
                    }
                    return count
                }

                for _ in 0..<120 {
                    switch random.below(10) {
                    case 0..<4:
                        let name = ["a", "b", "c"][random.below(3)]
                        let tag = [nil, "slow", "other"][random.below(3)]
                        let priority = AdmissionMachine.Priority.allCases[random.below(3)]
                        let (ticket, isAdmitted) =
                            switch machine.enqueue(host: name, priority: priority, tag: tag) {
                            case .admitted(let ticket): (ticket, true)
                            case .wait(let ticket): (ticket, false)
                            }
                        let entry = Entry(
                            ticket: ticket, host: name, tag: tag, priority: priority, isActive: isAdmitted)
                        try hold(isAdmitted == (hasTokens(entry) && hasPlace(entry)), "has to wait, or does not")
                        if isAdmitted { note(entry) }
                        words.insert(isAdmitted ? "in a burst" : "waited")
                        entries.append(entry)
                    case 4..<6:
                        guard let index = entries.indices.filter({ entries[$0].isActive }).randomElement(using: &random)
                        else { continue }
                        _ = machine.leave(entries.remove(at: index).ticket)
                    case 6:
                        guard
                            let index = entries.indices.filter({ !entries[$0].isActive }).randomElement(using: &random)
                        else { continue }
                        _ = machine.leave(entries.remove(at: index).ticket)
                        words.insert("left")
                    case 7:
                        // One that was admitted last and just now has used nothing.
                        guard let last = entries.last, last.isActive, log.moments["all"]?.last == now else { continue }
                        guard log.moments["host " + last.host]?.last == now,
                            last.tag != "slow" || log.moments["tag"]?.last == now
                        else { continue }
                        entries.removeLast()
                        _ = machine.leave(last.ticket, isUnused: true)
                        forget(last)
                        words.insert("unused")
                    default:
                        let due = machine.due
                        now += .milliseconds(random.below(900))
                        machine.advance(to: now)
                        let count = try drain()
                        if count > 0 { words.insert("by time") }
                        try hold(count == 0 || due.map { $0 <= now } == true, "admitted before it was due")
                    }
                    _ = try drain()
                    try hold(log.keeps(total, "all") && log.keeps(tag, "tag"), "more than the rate")
                    for name in ["a", "b", "c"] { try hold(log.keeps(host, "host " + name), "more than the rate") }
                }
                return words
            }
        }
    }
}
