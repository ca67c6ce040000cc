import ErrandSimulation
import TestEffort
import Testing

/// What stands on the page about faults and histories: as it is there, which fails, and mended.
enum DocumentedFaults {
    actor Orders {
        private(set) var placed: [String] = []

        func place(_ order: String) { self.placed.append(order) }
    }

    struct LostReply: Error {}
    struct WrongOrders: Error { let placed: [String] }

    actor NumberedOrders {
        private(set) var placed: [String] = []
        private var numbers: Set<Int> = []

        func place(_ order: String, number: Int) {
            guard self.numbers.insert(number).inserted else { return }
            self.placed.append(order)
        }
    }

    // MARK: - Broken

    /// The first test of the page without its attribute.
    struct OrderTests {
        func send(_ order: String, to orders: Orders, in simulation: Simulation.Context) async throws {
            await orders.place(order)
            if simulation.fault("lost reply", probability: 0.2) { throw LostReply() }
        }

        func oneOrder(_ simulation: Simulation.Context) async throws {
            let orders = Orders()
            for _ in 1...3 {
                do {
                    try await self.send("tea", to: orders, in: simulation)
                    break
                } catch is LostReply {}
            }
            let placed = await orders.placed
            if placed != ["tea"] { throw WrongOrders(placed: placed) }
        }

        func `what is ordered once is placed once`() async throws {
            try await Simulation.explore(self.oneOrder)
        }
    }

    actor Inbox {
        private var letters: [Int] = []

        func put(_ letter: Int) { self.letters.append(letter) }

        func take() async -> Int? {
            guard let first = self.letters.first else { return nil }
            await Task.yield()
            self.letters.removeAll { $0 == first }
            return first
        }
    }

    /// The second.
    struct InboxTests {
        func twoReaders(_ simulation: Simulation.Context) async throws {
            let (inbox, history) = (Inbox(), History<QueueModel<Int>.Operation, Int?>())
            await withTaskGroup { group in
                group.addTask(name: "writer") {
                    for letter in 1...2 {
                        await history.record(.enqueue(letter), by: "writer") {
                            await inbox.put(letter)
                            return nil
                        }
                    }
                }
                for reader in ["ann", "bob"] {
                    group.addTask(name: reader) { await history.record(.dequeue, by: reader) { await inbox.take() } }
                }
            }
            try history.checkLinearizable(model: QueueModel())
        }

        func `each letter is taken once, in order`() async throws {
            try await Simulation.explore(self.twoReaders)
        }
    }

    // MARK: - Tests

    @Suite("Documented faults and histories", .timeLimit(.minutes(60)), .paced)
    struct Tests {
        @Test("The page shows how its tests fail")
        func outputs() async throws {
            let page = try DocumentedPagesTests.text(
                "Sources/ErrandSimulation/ErrandSimulation.docc/TestWithFaultsAndHistories.md")
            for test in [
                OrderTests().`what is ordered once is placed once`, InboxTests().`each letter is taken once, in order`,
            ] {
                let failure = try #require(await #expect(throws: SimulationFailure.self) { try await test() })
                let head = failure.description.split(separator: "\n").prefix(failure.faults.isEmpty ? 6 : 7)
                #expect(page.contains(head.joined(separator: "\n")), "\(failure)")
            }
        }

        @Test("Orders with numbers are placed once, whatever is lost")
        func mendedOrders() async throws {
            try await Simulation.explore { simulation in
                let orders = NumberedOrders()
                for _ in 1...3 {
                    await orders.place("tea", number: 1)
                    if !simulation.fault("lost reply", probability: 0.2) { break }
                }
                let placed = await orders.placed
                if placed != ["tea"] { throw WrongOrders(placed: placed) }
            }
        }

        private actor MendedInbox {
            private var letters: [Int] = []

            func put(_ letter: Int) { self.letters.append(letter) }

            func take() -> Int? {
                self.letters.isEmpty ? nil : self.letters.removeFirst()
            }
        }

        @Test("A letter that is removed at once is taken once")
        func mendedInbox() async throws {
            try await Simulation.explore { _ in
                let (inbox, history) = (MendedInbox(), History<QueueModel<Int>.Operation, Int?>())
                await withTaskGroup { group in
                    for letter in 1...2 {
                        group.addTask {
                            await history.record(.enqueue(letter)) {
                                await inbox.put(letter)
                                return nil
                            }
                            await history.record(.dequeue) { await inbox.take() }
                        }
                    }
                }
                try history.checkLinearizable(model: QueueModel())
            }
        }
    }
}
