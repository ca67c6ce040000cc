import ErrandSimulation
import TestEffort
import Testing

/// Whether operations are recorded as they happen, and checked in an exploration.
@Suite("Histories", .timeLimit(.minutes(60)), .paced)
struct HistoryTests {
    typealias Model = QueueModel<Int>
    typealias Recorded = History<Model.Operation, Int?>

    private protocol Queue: Actor {
        func enqueue(_ number: Int) async
        func dequeue(_ simulation: Simulation.Context) async -> Int?
    }

    private actor SoundQueue: Queue {
        private var numbers: [Int] = []

        func enqueue(_ number: Int) { self.numbers.append(number) }

        func dequeue(_ simulation: Simulation.Context) async -> Int? {
            await simulation.yield()
            return self.numbers.isEmpty ? nil : self.numbers.removeFirst()
        }
    }

    /// Looks at the first, and waits before it removes it.
    private actor BrokenQueue: Queue {
        private var numbers: [Int] = []

        func enqueue(_ number: Int) { self.numbers.append(number) }

        func dequeue(_ simulation: Simulation.Context) async -> Int? {
            guard let first = self.numbers.first else { return nil }
            await simulation.yield()
            if !self.numbers.isEmpty { self.numbers.removeFirst() }
            return first
        }
    }

    private static func scenario(
        _ queue: @escaping @Sendable () -> any Queue
    ) -> @Sendable (Simulation.Context) async throws -> Void {
        { simulation in
            let (queue, history) = (queue(), Recorded())
            await withTaskGroup { group in
                for number in 0..<3 {
                    group.addTask {
                        await history.record(.enqueue(number), by: "task \(number)") {
                            await queue.enqueue(number)
                            return nil
                        }
                        await history.record(.dequeue, by: "task \(number)") { await queue.dequeue(simulation) }
                    }
                }
            }
            try history.checkLinearizable(model: Model())
        }
    }

    @Test("A sound queue passes under every schedule")
    func sound() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.scenario { SoundQueue() })
    }

    @Test("A queue that gives an element twice is found, with its history")
    func broken() async throws {
        let failure = try #require(
            try await expectFailure {
                try await Simulation.explore(schedules: 2_000, Self.scenario { BrokenQueue() })
            })
        let error = try #require(failure.underlying as? NotLinearizable)
        #expect(error.operation == "dequeue")
        #expect(failure.description.contains("Not linearizable: `dequeue` of client task"))
        #expect(failure.isRepeatable)
        await #expect(throws: NotLinearizable.self) {
            try await Simulation.run(replaying: failure.schedule, Self.scenario { BrokenQueue() })
        }
    }

    @Test("An operation that throws stays open, and its error goes on")
    func failing() async throws {
        let history = History<RegisterModel<Int>.Operation, Int?>()
        let error = await #expect(throws: PlantedError.self) {
            try await history.record(.write(1)) { () throws(PlantedError) in throw PlantedError() }
        }
        #expect(error != nil)
        let value = await history.record(.read) { 1 }
        #expect(value == 1)
        #expect(history.entries.map(\.client) == ["1", "2"])
        #expect(history.entries.map(\.called) == [0, 2])
        #expect(history.entries.map(\.ended) == [1, 3])
        try history.checkLinearizable(model: RegisterModel(initialValue: 0))
    }

    @Test("A call ends once, and another history's call ends nothing")
    func strayEnds() {
        let (history, other) = (Recorded(), Recorded())
        let call = history.begin(.dequeue)
        other.end(call, returning: nil)
        #expect(other.entries.isEmpty)
        history.end(call, returning: 1)
        history.end(call, returning: 2)
        history.fail(call, with: PlantedError())
        guard case .returned(1) = history.entries.first?.outcome else {
            Issue.record("The first end counts.")
            return
        }
        #expect(history.entries.first?.ended == 1)
    }

    @Test("Clients without a name are as many as operations are open at once")
    func lanes() {
        let history = Recorded()
        let (first, second) = (history.begin(.dequeue), history.begin(.dequeue))
        history.end(first, returning: nil)
        history.end(history.begin(.dequeue), returning: nil)
        history.end(second, returning: nil)
        #expect(history.entries.map(\.client) == ["1", "2", "1"])
    }

    @Test("The error shows the history by client from the last quiet moment, and what would have been right")
    func text() throws {
        let history = Timeline<Model.Operation, Int?>.history([
            .call("a", .enqueue(1)), .end("a", nil), .call("b", .dequeue), .call("a", .enqueue(2)), .end("b", 1),
            .end("a", nil), .call("a", .dequeue), .call("long name", .enqueue(3)), .end("long name", nil),
            .call("b", .enqueue(4)), .end("a", 3), .call("a", .dequeue), .end("a", 2), .end("b", nil),
        ])
        let error = try #require(
            #expect(throws: NotLinearizable.self) { try history.checkLinearizable(model: Model()) })
        #expect(
            error.description == """
                Not linearizable: `dequeue` of client a cannot have returned 3.
                After the first 3 operations the state is [2]:
                  a          ├───────┤  dequeue → 3  ◀
                  long name    ├─┤      enqueue(3) → nil
                  b                ├─── enqueue(4) → ?
                It would return 2 in the order enqueue(3) → nil, dequeue → 2.
                """)
    }
}
