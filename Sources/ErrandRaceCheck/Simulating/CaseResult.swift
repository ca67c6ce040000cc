internal import Foundation

/// The result of one case of a simulated test, as the trait of ErrandSimulationTesting has written it.
struct CaseResult: Sendable, Decodable {
    /// A location in a source of a module.
    struct Location: Hashable, Sendable, Decodable {
        /// The module and the name of the file: `AppTests/AccountTests.swift`.
        let fileID: String
        let line: Int
        let column: Int
    }

    struct Failure: Sendable, Decodable {
        let error: String
        /// The kind of the failure, equal for failures with the same reason.
        let kind: String
        /// The location of the first issue; `nil` if the failure is not an issue.
        let place: Location?
        let schedule: String
        let switches: Int
        /// Instructions for running the schedule again.
        let replay: String
        /// The explanation of the schedule, in lines.
        let explanation: String
    }

    /// The only supported version.
    private static let knownVersion = 1

    private let version: Int
    /// The test with its module, suites and location.
    let test: String
    /// The display name of the test.
    let name: String
    let place: Location
    /// The number of schedules that were run.
    let schedules: Int
    /// `nil` if no schedule fails.
    let failure: Failure?

    /// Reads a file.
    ///
    /// - Throws: ``UsageError`` if it is not a result.
    static func read(_ file: URL) throws(UsageError) -> CaseResult {
        let result: CaseResult
        do {
            result = try JSONDecoder().decode(CaseResult.self, from: Data(contentsOf: file))
        } catch {
            throw UsageError(message: "the result \"\(file.path)\" cannot be read: \(error)")
        }
        guard result.version == Self.knownVersion else {
            throw UsageError(message: "the result \"\(file.path)\" has the unknown version \(result.version)")
        }
        return result
    }
}
