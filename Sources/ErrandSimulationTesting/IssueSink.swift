internal import ErrandLocks
internal import Testing

/// Collects the issues of one run of a test's body, and decides which of them are shown.
final class IssueSink: Sendable {
    /// The issues to show.
    enum Showing {
        /// No issues.
        case nothing
        /// Issues that are not failures: known issues and warnings.
        case others
        /// Only failures.
        case failures
        /// All issues.
        case everything
    }

    /// The largest number of failures to keep.
    private static let mostFailures = 100

    /// The sink of the run to which the calling task belongs.
    @TaskLocal static var current: IssueSink?

    /// Passes the issues of a run to its sink; other issues are shown.
    static let trait: IssueHandlingTrait = .compactMapIssues { issue in
        guard let sink = IssueSink.current else { return issue }
        return sink.take(issue) ? issue : nil
    }

    private let showing: Showing
    private let issues = Locked<[Issue]>(unobserved: [])
    /// True once the body has ended, so that later failures are not collected.
    private let isClosed = AtomicFlag()

    init(showing: Showing) {
        self.showing = showing
    }

    /// The failures that were recorded, in order.
    var failures: [Issue] { self.issues.withLock { $0 } }

    /// Runs a body as part of the run.
    ///
    /// - Throws: `RecordedIssues` if the body records a failure; otherwise the error of the body.
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

    /// Collects an issue and returns whether it is shown; the issues of a task that outlives the body always are.
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
