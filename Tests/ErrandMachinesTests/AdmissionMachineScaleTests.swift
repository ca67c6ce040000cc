import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    /// Cost is counted, in entries of the machine's tables that it looked at, and not measured by a clock.
    @Suite("G8, G10: admission at scale", .timeLimit(.minutes(60)), .paced)
    struct AdmissionMachineScaleTests {
        @Test("Very many tickets over a thousand hosts wait, move, leave and go")
        func manyTickets() throws {
            let limits = AdmissionMachine.Limits(total: 64, perHost: 1)
            var machine = AdmissionMachine(limits: limits)
            machine.pause()
            var waiting: [AdmissionMachine.Ticket] = []
            let half = TestEffort.rounds(of: 50_000)
            for number in 0..<2 * half {
                let priority = AdmissionMachine.Priority.allCases[number % 3]
                waiting.append(try machine.waiting(host: "host \(number % 1_000)", priority))
            }
            for number in stride(from: 0, to: 2 * half, by: 3) {
                #expect(machine.reprioritise(waiting[number], to: .high) == .moved)
            }
            for number in stride(from: 1, to: 2 * half, by: 2) {
                #expect(machine.leave(waiting[number]) == .leftQueue)
            }
            #expect(machine.waitingCount == half)

            machine.resume()
            var active: [AdmissionMachine.Ticket] = machine.drained()
            #expect(active.count == 64)
            var next = 0
            while next < active.count {
                #expect(machine.leave(active[next]) == .freedPlace)
                active += machine.drained()
                next += 1
            }
            #expect(active.count == half)
            #expect(Set(active).count == half)
            #expect(machine.visitedCount <= 4 * 2 * half)
            #expect(machine.activeCount == 0)
            #expect(machine.waitingCount == 0)
        }

        @Test("A queue that waits on one full host is not searched for each ticket of another")
        func longQueueOfFullHost() throws {
            var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 2, perHost: 1))
            _ = try machine.admitted(host: "full")
            let count = TestEffort.rounds(of: 20_000)
            for _ in 0..<count { _ = try machine.waiting(host: "full", .high) }
            for _ in 0..<count {
                let ticket = try machine.admitted(host: "other")
                _ = machine.leave(ticket)
                #expect(machine.admitNext() == nil)
            }
            #expect(machine.waitingCount == count)
            #expect(machine.visitedCount <= 2 * count)
        }

        @Test("Tickets that came and went while it was paused leave nothing behind")
        func churnWhilePaused() throws {
            var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 4, perHost: 2))
            machine.pause()
            let patient = try machine.waiting(host: "patient")
            let most = try Self.churn(&machine, cycles: TestEffort.rounds(of: 250_000))
            #expect(most <= 2)
            #expect(machine.visitedCount <= 4 * 2 * TestEffort.rounds(of: 250_000))
            #expect(machine.waitingCount == 1)
            #expect(machine.activeCount == 0)
            machine.resume()
            #expect(machine.drained() == [patient])
        }

        @Test(
            "Hosts that are done are forgotten, one with a ticket is not", arguments: AdmissionMachine.Priority.allCases
        )
        func forgottenHosts(_ priority: AdmissionMachine.Priority) throws {
            var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 10, perHost: 1))
            _ = try machine.admitted(host: "busy")
            machine.pause()
            let first = try machine.waiting(host: "patient", priority)
            for _ in 0..<3 { _ = try Self.churn(&machine, cycles: 1_000) }
            machine.resume()
            // Counted with the ticket that has a place, and behind the one that waits.
            let late = try machine.waiting(host: "busy", priority)
            #expect(machine.activeCount(host: "busy") == 1)
            machine.pause()
            let second = try machine.waiting(host: "patient", priority)
            machine.resume()
            #expect(machine.drained() == [first])
            #expect(machine.activeCount(host: "patient") == 1)
            #expect(machine.leave(first) == .freedPlace)
            #expect(machine.drained() == [second])
            #expect(machine.leave(late) == .leftQueue)
        }

        /// Enqueues and cancels, each time on another of very many hosts; answers how many waited at most.
        private static func churn(_ machine: inout AdmissionMachine, cycles: Int) throws -> Int {
            var most = 0
            for cycle in 0..<cycles {
                let priority = AdmissionMachine.Priority.allCases[cycle % 3]
                let ticket = try machine.waiting(host: "host \(cycle % 10_007)", priority)
                most = max(most, machine.waitingCount)
                try hold(machine.leave(ticket) == .leftQueue, "a ticket that waits could not leave")
            }
            return most
        }
    }
}
