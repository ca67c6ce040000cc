internal import Foundation

/// What came of one case of a simulated test, as the trait of ErrandSimulationTesting has written it.
struct CaseResult: Sendable, Decodable {
    /// A place in a source of a module.
    struct Place: Hashable, Sendable, Decodable {
        /// The module and the name of the file: `AppTests/AccountTests.swift`.
        let fileID: String
        let line: Int
        let column: Int
    }

    struct Failure: Sendable, Decodable {
        let error: String
        /// What is the same in two failures for the same reason.
        let kind: String
        /// Where the first issue comes from; `nil` where no issue failed it.
        let place: Place?
        let schedule: String
        let switches: Int
        /// How the schedule is run again.
        let replay: String
        /// What happened in it, in lines.
        let explanation: String
    }

    /// The only version there is so far.
    private static let knownVersion = 1

    private let version: Int
    /// The test with its module, suites and place.
    let test: String
    /// The name of the test for a person.
    let name: String
    let place: Place
    /// The number of schedules that were run.
    let schedules: Int
    /// `nil` where no schedule fails.
    let failure: Failure?

    /// Reads a file.
    ///
    /// - Throws: ``UsageError`` when it is no result.
    static func read(_ file: URL) throws(UsageError) -> CaseResult {
        let result: CaseResult
        do {
            result = try JSONDecoder().decode(CaseResult.self, from: Data(contentsOf: file))
        } catch {
            throw UsageError(message: "the result \"\(file.path)\" cannot be read: \(error)")
        }
        guard result.version == Self.knownVersion else {
            throw UsageError(message: "the result \"\(file.path)\" has version \(result.version), which is not known")
        }
        return result
    }
}
