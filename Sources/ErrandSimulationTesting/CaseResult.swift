internal import ErrandSimulation
internal import Testing

/// The result of one case of a test, in a file for programs; `CaseResult` of `swift package race-check` reads it.
struct CaseResult: Sendable, Encodable {
    /// A location in a source file.
    struct Location: Sendable, Encodable {
        /// The module and the name of the file: `AppTests/AccountTests.swift`.
        let fileID: String
        let line: Int
        let column: Int

        init(_ location: SourceLocation) {
            (self.fileID, self.line, self.column) = (location.fileID, location.line, location.column)
        }
    }

    /// The failing schedule.
    struct Failure: Sendable, Encodable {
        /// The error, or the first issue with its location.
        let error: String
        /// The kind of the failure, equal for failures with the same reason.
        let kind: String
        /// The location of the first issue, if the failure is an issue.
        let place: Location?
        /// The shortest failing schedule.
        let schedule: String
        /// The number of its departures from the default order.
        let switches: Int
        /// Instructions for running the schedule again.
        let replay: String
        /// The tasks, the switches and the timeline, in lines.
        let explanation: String
    }

    let version = 1
    /// The test, with its module, suites and location.
    let test: String
    /// The display name of the test.
    let name: String
    /// The location of the test.
    let place: Location
    /// The number of schedules that were run, including the failing one.
    let schedules: Int
    /// The failing schedule; `nil` if none fails.
    let failure: Failure?

    /// Creates the result of a case.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - schedules: The number of schedules that were run.
    ///   - record: The record of the failing schedule.
    init(of test: Test, schedules: Int, failing record: FailureRecord? = nil) {
        self.test = test.id.description
        self.name = test.displayName ?? test.name
        self.place = Location(test.sourceLocation)
        self.schedules = schedules
        self.failure = record.map(Failure.init)
    }
}

extension CaseResult.Failure {
    init(_ record: FailureRecord) {
        let failure = record.failure
        self.error = String(describing: failure.underlying)
        self.place = (failure.underlying as? RecordedIssues)?.issues.first?.sourceLocation.map(CaseResult.Location.init)
        switch failure.underlying {
        case let issues as RecordedIssues: self.kind = issues.kind
        case let error as SimulationError: self.kind = "\(error.code)"
        case let error: self.kind = FailureKind(of: error).description
        }
        self.schedule = failure.schedule.description
        self.switches = failure.schedule.count
        self.replay = "@Test(.simulated(\(failure.replayArguments)))"
        self.explanation = record.text
    }
}
