import ErrandMachines
import TestEffort
import Testing

@Suite("G8: scripts of admission", .timeLimit(.minutes(60)), .paced)
struct AdmissionMachineTests {
    private typealias Ticket = AdmissionMachine.Ticket

    private static func machine(total: Int, perHost: Int = 100, ageing: Int = 8) -> AdmissionMachine {
        AdmissionMachine(limits: AdmissionMachine.Limits(total: total, perHost: perHost), ageing: ageing)
    }

    // MARK: - Limits

    @Test("A place is had at once while there is one, and waited for after that")
    func totalLimit() throws {
        var machine = Self.machine(total: 2)
        let first = try machine.admitted(host: "a")
        _ = try machine.admitted(host: "b")
        let third = try machine.waiting(host: "c")
        #expect(machine.activeCount == 2)
        #expect(machine.waitingCount == 1)
        #expect(machine.admitNext() == nil)
        #expect(machine.leave(first) == .freedPlace)
        #expect(machine.admitNext() == third)
        #expect(machine.admitNext() == nil)
        #expect(machine.activeCount == 2)
        #expect(machine.waitingCount == 0)
    }

    @Test("A full host holds up nobody but its own")
    func hostLimit() throws {
        var machine = Self.machine(total: 10, perHost: 1)
        let first = try machine.admitted(host: "stalled")
        let second = try machine.waiting(host: "stalled", .high)
        let third = try machine.waiting(host: "stalled", .low)
        for _ in 0..<3 {
            let other = try machine.admitted(host: "other", .low)
            #expect(machine.activeCount(host: "other") == 1)
            #expect(machine.leave(other) == .freedPlace)
            #expect(machine.admitNext() == nil)
        }
        #expect(machine.activeCount(host: "stalled") == 1)
        #expect(machine.leave(first) == .freedPlace)
        #expect(machine.drained() == [second])
        #expect(machine.leave(second) == .freedPlace)
        #expect(machine.drained() == [third])
    }

    @Test("A host that is seen to be multiplexed has its new limit at once, for those that wait too")
    func multiplexedHost() throws {
        let limits = AdmissionMachine.Limits(total: 10, perHost: 1, streamsPerHost: 3)
        var machine = AdmissionMachine(limits: limits)
        let first = try machine.admitted(host: "a")
        let waiting = try (0..<4).map { _ in try machine.waiting(host: "a") }
        #expect(machine.drained().isEmpty)
        machine.note(first, isMultiplexed: true)
        #expect(machine.drained() == Array(waiting.prefix(2)))
        _ = try machine.admitted(host: "b")
        _ = try machine.waiting(host: "b")
        // Seen not to be so any more, it takes no place back, and gives none before it has one.
        machine.note(first, isMultiplexed: false)
        #expect(machine.leave(waiting[0]) == .freedPlace)
        #expect(machine.leave(waiting[1]) == .freedPlace)
        #expect(machine.drained().isEmpty)
        #expect(machine.leave(first) == .freedPlace)
        #expect(machine.drained() == [waiting[2]])
    }

    @Test("Limits are at least one")
    func clampedLimits() throws {
        let limits = AdmissionMachine.Limits(total: 0, perHost: -3)
        #expect(limits.total == 1)
        #expect(limits.perHost == 1)
        var machine = AdmissionMachine(limits: limits, ageing: 0)
        #expect(machine.ageing == 1)
        _ = try machine.admitted(host: "a")
        _ = try machine.waiting(host: "b")
    }

    @Test("Higher limits admit those that waited, lower ones take no place back")
    func changedLimits() throws {
        var machine = Self.machine(total: 1, perHost: 1)
        let first = try machine.admitted(host: "a")
        let second = try machine.waiting(host: "a")
        let third = try machine.waiting(host: "b")
        machine.setLimits(AdmissionMachine.Limits(total: 5, perHost: 1))
        #expect(machine.drained() == [third])
        machine.setLimits(AdmissionMachine.Limits(total: 5, perHost: 2))
        #expect(machine.drained() == [second])
        machine.setLimits(AdmissionMachine.Limits(total: 1, perHost: 1))
        let fourth = try machine.waiting(host: "a")
        #expect(machine.activeCount == 3)
        #expect(machine.leave(first) == .freedPlace)
        #expect(machine.leave(third) == .freedPlace)
        #expect(machine.admitNext() == nil)
        #expect(machine.leave(second) == .freedPlace)
        #expect(machine.drained() == [fourth])
        #expect(machine.limits == AdmissionMachine.Limits(total: 1, perHost: 1))
    }

    // MARK: - Order

    @Test("The highest class goes first, each in the order in which its tickets came")
    func order() throws {
        var machine = Self.machine(total: 1, ageing: 100)
        let holder = try machine.admitted(host: "a")
        let low = try machine.waiting(host: "a", .low)
        let normals = [try machine.waiting(host: "b"), try machine.waiting(host: "a"), try machine.waiting(host: "b")]
        let highs = [try machine.waiting(host: "c", .high), try machine.waiting(host: "a", .high)]
        #expect(machine.order(after: holder) == highs + normals + [low])
    }

    @Test("A class that was passed over often enough goes first, then starts anew", arguments: [1, 2, 3, 8])
    func ageing(_ ageing: Int) throws {
        var machine = Self.machine(total: 1, ageing: ageing)
        let holder = try machine.admitted(host: "a")
        var lows: [Ticket] = []
        var highs: [Ticket] = []
        for _ in 0..<2 { lows.append(try machine.waiting(host: "b", .low)) }
        for _ in 0..<(2 * ageing + 2) { highs.append(try machine.waiting(host: "c", .high)) }
        let expected =
            highs[..<ageing] + [lows[0]] + highs[ageing..<(2 * ageing)] + [lows[1]] + highs[(2 * ageing)...]
        #expect(machine.order(after: holder) == Array(expected))
    }

    @Test("Of two classes that have risen the lower goes first")
    func lowestRisesFirst() throws {
        var machine = Self.machine(total: 1, ageing: 2)
        let holder = try machine.admitted(host: "a")
        let normal = try machine.waiting(host: "a", .normal)
        let low = try machine.waiting(host: "b", .low)
        var highs: [Ticket] = []
        for _ in 0..<4 { highs.append(try machine.waiting(host: "c", .high)) }
        #expect(machine.order(after: holder) == Array(highs[..<2] + [low, normal] + highs[2...]))
    }

    @Test("A class that ran empty has no age when it waits again")
    func emptyClassForgets() throws {
        var machine = Self.machine(total: 1, ageing: 2)
        let holder = try machine.admitted(host: "a")
        let gone = try machine.waiting(host: "b", .low)
        let highs = [try machine.waiting(host: "c", .high), try machine.waiting(host: "c", .high)]
        _ = machine.leave(holder)
        #expect(machine.drained() == [highs[0]])
        #expect(machine.leave(gone) == .leftQueue)
        let low = try machine.waiting(host: "b", .low)
        let last = try machine.waiting(host: "c", .high)
        #expect(machine.order(after: highs[0]) == [highs[1], last, low])
    }

    @Test("A ticket does not starve behind its own host while its class gets places elsewhere")
    func ageingWithinHost() throws {
        var machine = Self.machine(total: 2, perHost: 1, ageing: 8)
        var busy = try machine.admitted(host: "busy", .high)
        var other = try machine.admitted(host: "other", .low)
        let low = try machine.waiting(host: "busy", .low)
        var overtaken = 0
        while overtaken < 100 {
            let high = try machine.waiting(host: "busy", .high)
            _ = machine.leave(busy)
            let admitted = machine.drained()
            if admitted == [low] { break }
            #expect(admitted == [high])
            overtaken += 1
            busy = high
            let next = try machine.waiting(host: "other", .low)
            _ = machine.leave(other)
            #expect(machine.drained() == [next])
            other = next
        }
        #expect(overtaken == 8)
    }

    // MARK: - Leaving and moving

    @Test("A ticket leaves once, from the queue or from its place")
    func leaving() throws {
        var machine = Self.machine(total: 1)
        let active = try machine.admitted(host: "a")
        let tickets = [try machine.waiting(host: "a"), try machine.waiting(host: "a"), try machine.waiting(host: "a")]
        #expect(machine.leave(tickets[1]) == .leftQueue)
        #expect(machine.leave(tickets[1]) == .none)
        #expect(machine.waitingCount == 2)
        #expect(machine.leave(active) == .freedPlace)
        #expect(machine.leave(active) == .none)
        #expect(machine.drained() == [tickets[0]])
        #expect(machine.leave(tickets[0]) == .freedPlace)
        #expect(machine.drained() == [tickets[2]])
        #expect(machine.leave(tickets[2]) == .freedPlace)
        #expect(machine.drained().isEmpty)
        #expect(machine.activeCount == 0)
        #expect(machine.waitingCount == 0)
    }

    @Test("The key of a ticket that left never names a later one")
    func lateKeys() throws {
        var machine = Self.machine(total: 1)
        let first = try machine.admitted(host: "a")
        _ = machine.leave(first)
        let second = try machine.admitted(host: "a")
        #expect(second.index == first.index)
        #expect(machine.leave(first) == .none)
        #expect(machine.reprioritise(first, to: .high) == .none)
        #expect(machine.activeCount == 1)
    }

    @Test("A ticket that moves goes behind those who wait in its new class")
    func moving() throws {
        var machine = Self.machine(total: 1, ageing: 100)
        let holder = try machine.admitted(host: "a")
        let low = try machine.waiting(host: "a", .low)
        let high = try machine.waiting(host: "a", .high)
        let normal = try machine.waiting(host: "b", .normal)
        #expect(machine.priority(of: low) == .low)
        #expect(machine.reprioritise(low, to: .high) == .moved)
        #expect(machine.priority(of: low) == .high)
        #expect(machine.reprioritise(low, to: .high) == .none)
        #expect(machine.reprioritise(holder, to: .high) == .none)
        #expect(machine.priority(of: holder) == nil)
        #expect(machine.waitingCount == 3)
        #expect(machine.order(after: holder) == [high, low, normal])
        #expect(machine.reprioritise(low, to: .low) == .none)
        #expect(machine.priority(of: low) == nil)
    }

    // MARK: - Pausing

    @Test("While it is paused nothing gets a place, and then everything does that may")
    func pausing() throws {
        var machine = Self.machine(total: 2)
        let holder = try machine.admitted(host: "a")
        machine.pause()
        #expect(machine.isPaused == true)
        let low = try machine.waiting(host: "a", .low)
        let high = try machine.waiting(host: "b", .high)
        #expect(machine.admitNext() == nil)
        #expect(machine.leave(holder) == .freedPlace)
        #expect(machine.admitNext() == nil)
        #expect(machine.activeCount == 0)
        machine.resume()
        #expect(machine.isPaused == false)
        #expect(machine.drained() == [high, low])
    }

    @Test func `a host that was forgotten among many counts by itself when it is asked again`() throws {
        var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 1_000, perHost: 1))
        for number in 0..<64 { _ = machine.leave(try machine.admitted(host: "early \(number)")) }
        // Twice running, as most requests go where the one before went.
        let first = try machine.admitted(host: "last")
        #expect(machine.leave(try machine.waiting(host: "last")) == .leftQueue)
        #expect(machine.leave(first) == .freedPlace)
        for number in 0..<65 { _ = try machine.admitted(host: "late \(number)") }
        _ = try machine.admitted(host: "last")
        #expect(machine.activeCount(host: "last") == 1)
    }
}
