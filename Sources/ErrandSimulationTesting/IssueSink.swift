internal import ErrandLocks
internal import Testing

/// Takes in the issues of one run of a test's body and decides which of them are shown.
final class IssueSink: Sendable {
    /// Which issues are shown.
    enum Showing {
        /// None.
        case nothing
        /// Those that are no failures: known issues and warnings.
        case others
        /// Those that are failures.
        case failures
        /// All of them.
        case everything
    }

    /// The largest number of failures that are kept.
    private static let mostFailures = 100

    /// The sink of the run to which the calling task belongs.
    @TaskLocal static var current: IssueSink?

    /// Hands the issues of a run to its sink; issues from elsewhere are shown.
    static let trait: IssueHandlingTrait = .compactMapIssues { issue in
        guard let sink = IssueSink.current else { return issue }
        return sink.take(issue) ? issue : nil
    }

    private let showing: Showing
    private let issues = Locked<[Issue]>([])
    /// Whether the body is over, so that nobody asks any more what failed.
    private let isClosed = AtomicFlag()

    init(showing: Showing) {
        self.showing = showing
    }

    /// The failures that were recorded, in order.
    var failures: [Issue] { self.issues.withLock { $0 } }

    /// Runs a body as part of the run.
    ///
    /// - Throws: `RecordedIssues` if the body records a failure; otherwise what the body throws.
    func collect(_ body: @concurrent @Sendable () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await Self.$current.withValue(self) { try await body() })
        } catch {
            result = .failure(error)
        }
        self.isClosed.set()
        if let issues = RecordedIssues(self.failures) { throw issues }
        try result.get()
    }

    /// Takes in an issue and returns whether it is shown; one of a task that outlives the body always is.
    private func take(_ issue: Issue) -> Bool {
        if issue.isFailure, self.isClosed.isSet { return true }
        if issue.isFailure {
            self.issues.withLock { issues in
                if issues.count < Self.mostFailures { issues.append(issue) }
            }
        }
        switch self.showing {
        case .nothing: return false
        case .others: return !issue.isFailure
        case .failures: return issue.isFailure
        case .everything: return true
        }
    }
}
