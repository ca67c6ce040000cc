internal import ErrandSimulation
internal import Testing

/// What came of one case of a test, as a file for programs: `CaseResult` of `swift package race-check` reads it.
struct CaseResult: Sendable, Encodable {
    /// A place in a source.
    struct Place: Sendable, Encodable {
        /// The module and the name of the file: `AppTests/AccountTests.swift`.
        let fileID: String
        let line: Int
        let column: Int

        init(_ location: SourceLocation) {
            (self.fileID, self.line, self.column) = (location.fileID, location.line, location.column)
        }
    }

    /// The schedule that fails.
    struct Failure: Sendable, Encodable {
        /// The error, or the first issue with its place.
        let error: String
        /// What is the same in two failures for the same reason.
        let kind: String
        /// Where the first issue comes from, if it is an issue that fails it.
        let place: Place?
        /// The least schedule that fails.
        let schedule: String
        /// The number of departures from the default order in it.
        let switches: Int
        /// How to run the schedule again.
        let replay: String
        /// The tasks, the switches and the timeline, in lines.
        let explanation: String
    }

    let version = 1
    /// The test, with its module, suites and place.
    let test: String
    /// The name of the test for a person.
    let name: String
    /// Where the test is.
    let place: Place
    /// The number of schedules that were run, the failing one included.
    let schedules: Int
    /// The schedule that fails; `nil` if none does.
    let failure: Failure?

    /// Creates the result of a case.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - schedules: The number of schedules that were run.
    ///   - record: What is recorded of the schedule that fails.
    init(of test: Test, schedules: Int, failing record: FailureRecord? = nil) {
        self.test = test.id.description
        self.name = test.displayName ?? test.name
        self.place = Place(test.sourceLocation)
        self.schedules = schedules
        self.failure = record.map(Failure.init)
    }
}

extension CaseResult.Failure {
    init(_ record: FailureRecord) {
        let failure = record.failure
        self.error = String(describing: failure.underlying)
        self.place = (failure.underlying as? RecordedIssues)?.issues.first?.sourceLocation.map(CaseResult.Place.init)
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
