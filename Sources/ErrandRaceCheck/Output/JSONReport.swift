internal import Foundation

/// Results for programs: one JSON document.
enum JSONReport {
    private struct Document: Encodable {
        let version = 1
        let exitCode: Int32
        let summary: String
        let files: Int
        let allowed: Int
        let findings: [Finding]
        let allowList: List
        let unreadable: [String]
        let tests: Tests?
        let simulation: Simulation?
    }

    private struct Refusal: Encodable {
        let version = 1
        let exitCode = Results.ExitCode.usage
        let error: String
    }

    private struct List: Encodable {
        let file: String
        let problems: [AllowProblem]
    }

    private struct Tests: Encodable {
        let iterations: Int
        let conclusiveIterations: Int
        let tests: Int
        let races: [Race]
        let suppressedReports: Int
        let failures: [TestFailure]
    }

    private struct Simulation: Encodable {
        let tests: Int
        let schedules: Int
        let failures: [SimulatedFailure]
        let problems: [TestFailure]
    }

    /// Formats results, ending with a line break.
    static func text(of results: Results) -> String {
        self.encode(
            Document(
                exitCode: results.exitCode, summary: results.summary, files: results.files,
                allowed: results.verdict.allowed, findings: results.verdict.new,
                allowList: List(file: results.allowList, problems: results.problems + results.verdict.stale),
                unreadable: results.unreadable,
                tests: results.tests.map {
                    Tests(
                        iterations: $0.iterations, conclusiveIterations: $0.conclusive, tests: $0.tests,
                        races: $0.races, suppressedReports: $0.suppressed, failures: $0.failures)
                },
                simulation: results.simulation.map {
                    Simulation(
                        tests: $0.tests, schedules: $0.schedules, failures: $0.failures, problems: $0.problems)
                }))
    }

    /// Formats the reason why there are no results.
    static func text(of error: UsageError) -> String {
        self.encode(Refusal(error: error.message))
    }

    private static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail, since all numbers are valid in JSON.
        guard let data = try? encoder.encode(value) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
