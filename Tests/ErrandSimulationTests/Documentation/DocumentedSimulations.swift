internal import ErrandLocks
internal import ErrandSimulation
internal import ErrandSimulationTesting
internal import TestEffort
internal import Testing

/// The examples of the documentation, compiled and run.
///
/// Every Swift block of the catalogue's pages stands word for word in this file, but for what a file imports;
/// `DocumentedPagesTests` checks that, and that the failures on the pages are those of real runs.
enum DocumentedSimulations {
    typealias Scenario = @Sendable (Simulation.Context) async throws -> Void

    struct Overdrawn: Error { let balance: Int }

    struct Outdated: Error { let shown: String }

    actor Journal {
        private(set) var lines: [String] = []

        func note(_ line: String) { self.lines.append(line) }
    }

    actor Statistics {
        private(set) var misses = 0

        func countMiss() { self.misses += 1 }
    }

    // MARK: - As the tutorial begins

    /// The actors with their bugs, and the same scenarios, which fail here.
    enum Broken {
        actor Account {
            private(set) var balance = 100
            private let journal = Journal()

            func withdraw(_ amount: Int) async {
                guard self.balance >= amount else { return }
                await self.journal.note("\(amount) of \(self.balance)")
                self.balance -= amount
            }
        }

        actor Cache {
            private var values: [String: String] = [:]
            private var waiting: [String: [CheckedContinuation<String, Never>]] = [:]
            private let statistics = Statistics()

            func value(for key: String) async -> String {
                if let value = self.values[key] { return value }
                await self.statistics.countMiss()
                return await withCheckedContinuation { self.waiting[key, default: []].append($0) }
            }

            func store(_ value: String, for key: String) {
                self.values[key] = value
                let readers = self.waiting.removeValue(forKey: key) ?? []
                for reader in readers { reader.resume(returning: value) }
            }
        }

        actor DebouncedSearch {
            private(set) var shown = ""
            private var typed = 0
            private let clock: any Clock<Duration>
            private let search: @Sendable (String) async -> String

            init(clock: any Clock<Duration>, search: @escaping @Sendable (String) async -> String) {
                self.clock = clock
                self.search = search
            }

            func type(_ text: String) async throws {
                self.typed += 1
                let number = self.typed
                try await self.clock.sleep(for: .milliseconds(300))
                guard number == self.typed else { return }
                self.shown = await self.search(text)
            }
        }

        static let twoWithdrawals: Scenario = { _ in
            let account = Account()
            await withTaskGroup { group in
                group.addTask(name: "rent") { await account.withdraw(70) }
                group.addTask(name: "food") { await account.withdraw(60) }
            }
            let balance = await account.balance
            if balance < 0 { throw Overdrawn(balance: balance) }
        }

        static let oneReader: Scenario = { _ in
            let cache = Cache()
            await withTaskGroup { group in
                group.addTask(name: "reader") { _ = await cache.value(for: "sun") }
                group.addTask(name: "loader") { await cache.store("yellow", for: "sun") }
            }
        }

        static let threeLetters: Scenario = { simulation in
            let (clock, random) = (simulation.clock, simulation.random)
            let field = DebouncedSearch(clock: clock) { text in
                simulation.trace("searches for \(text)")
                try? await clock.sleep(for: .milliseconds(random.int(in: 100..<1_000)))
                return text
            }
            try await withThrowingTaskGroup { group in
                for text in ["s", "su", "sun"] {
                    group.addTask(name: text) { try await field.type(text) }
                    try await clock.sleep(for: .milliseconds(random.int(in: 100..<600)))
                }
                try await group.waitForAll()
            }
            let shown = await field.shown
            if shown != "sun" { throw Outdated(shown: shown) }
        }
    }

    // MARK: - As it ends

    /// The actors mended, and the tests of the pages, which pass here.
    @Suite("Documented simulations", .timeLimit(.minutes(60)), .paced)
    struct Mended {
        actor Account {
            private(set) var balance = 100
            private let journal = Journal()

            func withdraw(_ amount: Int) async {
                guard self.balance >= amount else { return }
                self.balance -= amount
                await self.journal.note("\(amount), which leaves \(self.balance)")
            }
        }

        actor Cache {
            private var values: [String: String] = [:]
            private var waiting: [String: [CheckedContinuation<String, Never>]] = [:]
            private let statistics = Statistics()

            func value(for key: String) async -> String {
                if let value = self.values[key] { return value }
                await self.statistics.countMiss()
                if let value = self.values[key] { return value }
                return await withCheckedContinuation { self.waiting[key, default: []].append($0) }
            }

            func store(_ value: String, for key: String) {
                self.values[key] = value
                let readers = self.waiting.removeValue(forKey: key) ?? []
                for reader in readers { reader.resume(returning: value) }
            }
        }

        actor DebouncedSearch {
            private(set) var shown = ""
            private var typed = 0
            private let clock: any Clock<Duration>
            private let search: @Sendable (String) async -> String

            init(clock: any Clock<Duration>, search: @escaping @Sendable (String) async -> String) {
                self.clock = clock
                self.search = search
            }

            func type(_ text: String) async throws {
                self.typed += 1
                let number = self.typed
                try await self.clock.sleep(for: .milliseconds(300))
                guard number == self.typed else { return }
                let result = await self.search(text)
                guard number == self.typed else { return }
                self.shown = result
            }
        }

        struct AccountTests {
            func twoWithdrawals(_ simulation: Simulation.Context) async throws {
                let account = Account()
                await withTaskGroup { group in
                    group.addTask(name: "rent") { await account.withdraw(70) }
                    group.addTask(name: "food") { await account.withdraw(60) }
                }
                let balance = await account.balance
                if balance < 0 { throw Overdrawn(balance: balance) }
            }

            @Test func `no order overdraws the account`() async throws {
                let verification = try await Simulation.verify(sharing: .seen, self.twoWithdrawals)
                #expect(verification.isComplete, "\(verification)")
            }

            @Test func `an account is never overdrawn`() async throws {
                try await Simulation.explore(self.twoWithdrawals)
            }

            @Test func `food comes right after rent has asked for the account`() async throws {
                try await Simulation.run(replaying: "a1>b", self.twoWithdrawals)
            }

            @Test func `no three switches overdraw an account`() async throws {
                let exploration = try await Simulation.explore(by: .bounded(switches: 3), self.twoWithdrawals)
                #expect(exploration.isComplete)
                print(exploration)
            }
        }

        struct CacheTests {
            func oneReader(_ simulation: Simulation.Context) async {
                let cache = Cache()
                await withTaskGroup { group in
                    group.addTask(name: "reader") { _ = await cache.value(for: "sun") }
                    group.addTask(name: "loader") { await cache.store("yellow", for: "sun") }
                }
            }

            @Test func `whoever waits for a value gets it`() async throws {
                try await Simulation.explore(self.oneReader)
            }

            @Test func `the value comes while the miss is counted`() async throws {
                try await Simulation.run(replaying: "a2>b", self.oneReader)
            }
        }

        struct DebouncedSearchTests {
            func threeLetters(_ simulation: Simulation.Context) async throws {
                let (clock, random) = (simulation.clock, simulation.random)
                let field = DebouncedSearch(clock: clock) { text in
                    simulation.trace("searches for \(text)")
                    try? await clock.sleep(for: .milliseconds(random.int(in: 100..<1_000)))
                    return text
                }
                try await withThrowingTaskGroup { group in
                    for text in ["s", "su", "sun"] {
                        group.addTask(name: text) { try await field.type(text) }
                        try await clock.sleep(for: .milliseconds(random.int(in: 100..<600)))
                    }
                    try await group.waitForAll()
                }
                let shown = await field.shown
                if shown != "sun" { throw Outdated(shown: shown) }
            }

            @Test func `what is shown is for what was typed last`() async throws {
                try await Simulation.explore(self.threeLetters)
            }

            @Test func `a late result for an earlier text is not shown`() async throws {
                try await Simulation.run(replaying: "#2 -", self.threeLetters)
            }
        }

        @Test(.simulated) func `an account is never overdrawn, by the trait`() async throws {
            let account = Account()
            async let rent: Void = account.withdraw(70)
            async let food: Void = account.withdraw(60)
            _ = await (rent, food)
            #expect(await account.balance >= 0)
        }

        // MARK: - Blocks of the other pages

        @Test func `strategies`() async throws {
            let scenario = AccountTests().twoWithdrawals
            try await Simulation.explore(schedules: 2_000, scenario)
            try await Simulation.explore(schedules: 2_000, by: .pct(depth: 3), scenario)
            let exploration = try await Simulation.explore(schedules: 10_000, by: .bounded(switches: 2), scenario)
            #expect(exploration.isComplete)
        }

        @Test(.verified(sharing: .seen)) func `an account is never overdrawn, in any order`() async throws {
            let account = Account()
            async let rent: Void = account.withdraw(70)
            async let food: Void = account.withdraw(60)
            _ = await (rent, food)
            #expect(await account.balance >= 0)
        }

        private final class Lines: Sendable {
            private let lines = Locked<[String]>([])

            func record(_ line: String) {
                Simulation.access("lines")
                self.lines.withLock { $0.append(line) }
            }
        }

        @Test func `bounds of a verification`() async throws {
            let scenario = AccountTests().twoWithdrawals
            let estimate = try await Simulation.estimateSchedules(scenario)
            print(estimate)
            let verification = try await Simulation.verify(sharing: .seen, time: .seconds(60), scenario)
            print(verification)
            Lines().record("outside of a simulation")
        }

        @Test func `points of a verification`() async throws {
            let verification = try await Simulation.verify(points: ["refused"]) { simulation in
                let account = Account()
                await withTaskGroup { group in
                    group.addTask { await account.withdraw(70) }
                    group.addTask { await account.withdraw(60) }
                }
                if await account.balance > 0 { simulation.reached("refused") }
            }
            #expect(verification.unreachedPoints.isEmpty)
        }

        @Test func `a report tells what a run was like`() async throws {
            let scenario = AccountTests().twoWithdrawals
            let report = try await Simulation.report(replaying: "a1>b", scenario)
            #expect(report.failure == nil)
            #expect(report.escapedJobs == 0)
            for step in report.timeline where step.isSwitch {
                print("\(step.time): \(step.task) makes step \(step.number)")
            }
        }

        @Test func `an executor for a task of one's own`() async throws {
            try await Simulation.explore { simulation in
                let account = Account()
                let rent = Task(executorPreference: simulation.executor) { await account.withdraw(70) }
                await account.withdraw(60)
                await rent.value
                let balance = await account.balance
                if balance < 0 { throw Overdrawn(balance: balance) }
            }
        }

        /// Something that keeps to itself how it waits.
        private actor Ticker {
            private(set) var ticks = 0
            private var ticking: Task<Void, any Error>?

            func start() {
                // Ends when it is stopped.
                self.ticking = Task {
                    while true {
                        try await Task.sleep(for: .seconds(60))
                        self.ticks += 1
                    }
                }
            }

            func stop() { self.ticking?.cancel() }
        }

        @Test func `what a run can reach`() async throws {
            guard Simulation.Reach.available.isSuperset(of: [.tasks, .sleep]) else { return }
            try await Simulation.explore(reach: [.tasks, .sleep]) { simulation in
                let ticker = Ticker()
                await ticker.start()
                try await simulation.clock.sleep(for: .seconds(90))
                await ticker.stop()
                let ticks = await ticker.ticks
                try #require(ticks == 1)
            }
        }
    }
}
