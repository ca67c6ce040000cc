internal import ErrandSimulation
internal import SimulationCatalogue

/// The cost of a schedule that is explored or verified, beside the same tasks without a simulation, and the number of
/// schedules that each strategy needs to find each bug of the catalogue.
struct SimulateScenario: Scenario {
    struct Options: ScenarioOptions {
        var rounds = 15
        var schedules = 2_000

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            guard option == "--schedules" else { throw .unknown(option) }
            self.schedules = try words.number(of: option)
        }
    }

    static let name = "simulate"
    static let help = """
        errand-bench simulate [--rounds N] [--schedules N] [--json]

        Measures a schedule of about 100 steps, beside the same tasks without a simulation, and prints the tables of the
        documentation: how many schedules each strategy needs to find each bug of the catalogue, and those of other
        projects by their kinds and one by one. The tables are for a debug build, in which bugs are looked for: the
        optimizer removes hops between actors.

          --rounds N     rounds of each measurement, of which the fastest counts, and series of schedules for each
                         number of the tables, of which it is the median (default 15)
          --schedules N  schedules of a round and, at most, of a series (default 2000)
          --json         one JSON object per line, without the tables: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, S being a strategy, or verify(unseen) or verify(seen):
          floor    microseconds of the tasks without a simulation
          S        microseconds of a schedule
          S/rate   schedules a second
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async throws {
        try await self.measureFloor()
        for strategy in [.random, .sticky(percent: 75), .pct(depth: 3), .mixed] as [Simulation.Strategy] {
            try await self.measure("\(strategy)") {
                try await Simulation.explore(schedules: self.options.schedules, by: strategy) { _ in
                    await Self.crowd()
                }
            }
        }
        for sharing in [.unseen, .seen] as [Simulation.Sharing] {
            try await self.measure("verify(\(sharing))") {
                _ = try await Simulation.verify(schedules: self.options.schedules, sharing: sharing) { _ in
                    await Self.crowd()
                }
            }
        }
        guard !self.report.json else { return }
        print("")
        print(try await StrategyTable(series: self.options.rounds, schedules: self.options.schedules).markdown())
        let (bugs, kinds) = try await ReportedTable(series: self.options.rounds, schedules: self.options.schedules)
            .markdown()
        print("", kinds, "", bugs, separator: "\n")
    }

    private func measureFloor() async throws {
        let time = try await self.fastest { for _ in 0..<self.options.schedules { await Self.crowd() } }
        self.report.tell("floor", time / .microseconds(1), "µs")
    }

    private func measure(_ name: String, _ work: () async throws -> Void) async throws {
        let time = try await self.fastest(work)
        self.report.tell(name, time / .microseconds(1), "µs")
        self.report.tell("\(name)/rate", .seconds(1) / time, "schedules/s")
    }

    /// Returns the time of one schedule in the fastest of the rounds.
    private func fastest(_ work: () async throws -> Void) async throws -> Duration {
        var fastest = Duration.seconds(Int64.max)
        for _ in 0..<self.options.rounds {
            fastest = min(fastest, try await ContinuousClock().measure { try await work() })
        }
        return fastest / self.options.schedules
    }

    // MARK: - Workload

    private actor Counter {
        private(set) var value = 0

        func increment() {
            self.value += 1
        }
    }

    /// Eight tasks that take turns at two actors.
    private static func crowd() async {
        let counters = (Counter(), Counter())
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<3 {
                        await counters.0.increment()
                        await Task.yield()
                        await counters.1.increment()
                    }
                }
            }
        }
    }
}
