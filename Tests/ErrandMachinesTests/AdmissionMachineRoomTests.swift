import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G10: admission takes the room of what waits, not of what came", .timeLimit(.minutes(60)), .paced)
    struct AdmissionMachineRoomTests {
        @Test("Any number of tickets that came and went while it was paused leave little", arguments: [1, 10_007])
        func churnWhilePaused(_ hosts: Int) throws {
            var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 4, perHost: 2))
            machine.pause()
            let patient = try machine.waiting(host: "patient")
            let names = (0..<hosts).map { "host \($0)" }
            var most = 0
            for cycle in 0..<TestEffort.rounds(of: 1_000_000) {
                let priority = AdmissionMachine.Priority.allCases[cycle % 3]
                let ticket = try machine.waiting(host: names[cycle % hosts], priority)
                try hold(machine.leave(ticket) == .leftQueue, "a ticket that waits could not leave")
                most = max(most, machine.tableCount)
            }
            // Some 70 hosts are kept, and at most twice as many candidates and 32 in each of the three classes.
            #expect(most <= 600)
            machine.resume()
            #expect(machine.drained() == [patient])
        }

        @Test("Ten thousand hosts that waited at once are forgotten when they are done")
        func manyHosts() throws {
            var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 1, perHost: 1))
            let holder = try machine.admitted(host: "holder")
            for number in 0..<10_000 { _ = try machine.waiting(host: "host \(number)") }
            #expect(machine.order(after: holder).count == 10_000)
            let before = machine.tableCount
            for number in 0..<10_000 { _ = machine.leave(try machine.admitted(host: "later \(number)")) }
            #expect(machine.tableCount <= before)
        }
    }
}
