import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G8: admission under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct AdmissionMachineWalkTests {
        private static let words: Set<String> = [
            "admitted", "waited", "left queue", "freed", "moved", "late", "paused", "overtaken", "full host",
        ]

        @Test("It admits the same tickets in the same order as the plain rules do")
        func sameAsModel() async {
            await overSeeds(reaching: Self.words.subtracting(["overtaken", "full host"])) { random in
                var walk = AdmissionWalk(&random, isDraining: false)
                for _ in 0..<200 { try walk.step(&random) }
                return walk.words
            }
        }

        @Test("Never over its limits, never idle beside work, in order, bounded overtaking, nothing left over")
        func properties() async {
            await overSeeds(reaching: Self.words) { random in
                var walk = AdmissionWalk(&random, isDraining: true)
                for _ in 0..<200 {
                    try walk.step(&random)
                    try walk.drain()
                }
                try walk.empty()
                return walk.words
            }
        }

        @Test("A host that never gives a place back delays nobody on another", arguments: [1, 3])
        func stalledHost(_ perHost: Int) throws {
            let limits = AdmissionMachine.Limits(total: perHost + 1, perHost: perHost)
            var machine = AdmissionMachine(limits: limits, ageing: 4)
            for _ in 0..<perHost { _ = try machine.admitted(host: "stalled") }
            for priority in AdmissionMachine.Priority.allCases {
                for _ in 0..<500 { _ = try machine.waiting(host: "stalled", priority) }
            }
            var holder = try machine.admitted(host: "other", .low)
            for round in 0..<500 {
                let priority = AdmissionMachine.Priority.allCases[round % 3]
                let next = try machine.waiting(host: "other", priority)
                #expect(machine.leave(holder) == .freedPlace)
                try #require(machine.drained() == [next])
                holder = next
            }
            #expect(machine.activeCount(host: "stalled") == perHost)
        }
    }
}
