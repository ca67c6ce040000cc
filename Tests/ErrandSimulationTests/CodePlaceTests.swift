#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    import ErrandSimulation
    import TestEffort
    import Testing

    /// Whether a timeline says in which function each step goes on.
    @Suite("Places in the code", .timeLimit(.minutes(60)), .paced)
    struct CodePlaceTests {
        private actor Account {
            private(set) var balance = 100

            func withdraw(_ amount: Int, _ simulation: Simulation.Context) async throws {
                guard self.balance >= amount else { return }
                await simulation.yield()
                self.balance -= amount
                try await simulation.clock.sleep(for: .seconds(1))
            }
        }

        @Test("Steps of actors and of tasks that go on are those of the scenario's functions, with file and line")
        func places() async throws {
            let report = try await Simulation.report(replaying: "a1>b") { simulation in
                let account = Account()
                await withThrowingTaskGroup { group in
                    for _ in 0..<2 { group.addTask { try await account.withdraw(60, simulation) } }
                }
            }
            let steps = report.timeline.filter { $0.task == "a" }
            let places = steps.compactMap(\.place)
            #expect(steps.first?.place == nil)
            #expect(places.contains { $0.function == "CodePlaceTests.Account.withdraw(_:_:)" })
            // The start of the function, after the yield and after the sleep.
            #expect(Set(places.filter { $0.function.hasSuffix("withdraw(_:_:)") }.compactMap(\.line)).count >= 2)
            #expect(places.allSatisfy { $0.file == "CodePlaceTests.swift" })
            #expect(report.timeline.contains { $0.kind == .actor && $0.place != nil })
        }

        @Test("A failure shows them")
        func text() async throws {
            let failure = try #require(
                try await expectFailure {
                    try await Simulation.explore { simulation in
                        let account = Account()
                        try await withThrowingTaskGroup { group in
                            for _ in 0..<2 { group.addTask { try await account.withdraw(60, simulation) } }
                            try await group.waitForAll()
                        }
                        let balance = await account.balance
                        if balance < 0 { throw PlantedError() }
                    }
                })
            let place = "in CodePlaceTests.Account.withdraw(_:_:) at CodePlaceTests.swift:"
            #expect(failure.description.contains(place))
            #expect(failure.html().contains(place))
        }

        @Test("Runs of the same schedule have the same steps, from wherever they are made")
        func equality() async throws {
            let scenario: @Sendable (Simulation.Context) async throws -> Void = { simulation in
                try await Account().withdraw(1, simulation)
            }
            let first = try await Simulation.report(replaying: "-", scenario)
            let second = try await Simulation.report(replaying: "-", scenario)
            #expect(first.timeline == second.timeline)
            #expect(first.timeline.map(\.place) == second.timeline.map(\.place))
            #expect(first.timeline.hashValue == second.timeline.hashValue)
        }

        @Test("Tasks that are captured have them too")
        func captured() async throws {
            let report = try await Simulation.report(replaying: "-", reach: .tasks) { simulation in
                let account = Account()
                // Unstructured on purpose.
                try await Task { try await account.withdraw(1, simulation) }.value
            }
            #expect(report.timeline.contains { $0.place?.function.hasSuffix("Account.withdraw(_:_:)") == true })
        }
    }
#endif
