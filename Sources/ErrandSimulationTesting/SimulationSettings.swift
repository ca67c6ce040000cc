internal import Foundation

/// Settings for all tests with the trait from environment variables, as `swift package race-check --simulate` sets
/// them.
struct SimulationSettings: Sendable, Equatable {
    /// A variable with an invalid value.
    struct Problem: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// The minimum number of schedules for each test; `nil` for the tests' own.
    var schedules: Int?
    /// The real time from the start for which tests continue with new schedules after their own number.
    var time: Duration?
    /// The path of a folder for the result files of test cases.
    var results: String?

    /// The settings of this process, or the problem with them.
    static let current = Result { () throws(Problem) in
        try SimulationSettings(environment: ProcessInfo.processInfo.environment)
    }

    /// The largest number of schedules or seconds that is accepted.
    private static let largest = 1_000_000_000

    /// Creates settings without effect.
    init() {}

    /// Parses settings.
    ///
    /// - Parameter environment: The variables of a process.
    /// - Throws: `Problem` for the first variable with an invalid value.
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
