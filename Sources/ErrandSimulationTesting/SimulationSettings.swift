internal import Foundation

/// What variables of the environment ask of all tests with the trait, as `swift package race-check --simulate` sets them.
struct SimulationSettings: Sendable, Equatable {
    /// A variable whose value makes no sense.
    struct Problem: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// The least number of schedules of each test; `nil` for the tests' own.
    var schedules: Int?
    /// How long, in real time from the start, tests go on with new schedules when they have run their number.
    var time: Duration?
    /// The path of a folder in which each case of a test leaves a file with what came of it.
    var results: String?

    /// The settings of this process, or what is wrong with them.
    static let current = Result { () throws(Problem) in
        try SimulationSettings(environment: ProcessInfo.processInfo.environment)
    }

    /// The largest value of a number: more schedules or seconds than anybody waits for.
    private static let largest = 1_000_000_000

    /// Creates settings that change nothing.
    init() {}

    /// Reads settings.
    ///
    /// - Parameter environment: The variables of a process.
    /// - Throws: `Problem` for the first variable whose value makes no sense.
    init(environment: [String: String]) throws(Problem) {
        self.schedules = try Self.number("ERRAND_SIMULATION_SCHEDULES", of: "schedules", environment)
        self.time = try Self.number("ERRAND_SIMULATION_TIME", of: "seconds", environment).map { .seconds($0) }
        self.results = environment["ERRAND_SIMULATION_RESULTS"]
        if self.results?.isEmpty == true {
            throw Problem(description: "ERRAND_SIMULATION_RESULTS is empty: it needs the path of a folder.")
        }
    }

    private static func number(
        _ name: String, of noun: String, _ environment: [String: String]
    ) throws(Problem) -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), (1...self.largest).contains(number) else {
            throw Problem(
                description: "\(name) is \"\(text)\": it needs a whole number of \(noun) from 1 to \(self.largest).")
        }
        return number
    }
}
