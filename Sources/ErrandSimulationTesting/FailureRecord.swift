internal import ErrandSimulation
internal import Testing

/// The record of a failing schedule.
struct FailureRecord {
    let failure: SimulationFailure
    private let test: Test
    private let leaves: Bool
    private let shown: [Issue]

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - test: The test.
    ///   - leaves: True if the test awaits something outside of the simulation.
    ///   - shown: The failures that were shown when it was run again with its issues shown.
    init(_ failure: SimulationFailure, of test: Test, leaves: Bool, shown: [Issue]) {
        self.failure = failure
        self.test = test
        self.leaves = leaves
        self.shown = shown
    }

    /// Records the cause, unless it has been shown, the explanation, and the attachments.
    func record() {
        self.recordCause()
        let text = self.text
        Issue.record(Comment(rawValue: text), sourceLocation: self.test.sourceLocation)
        let file = "\(self.failure.schedule)\n\n\(self.title)\n\(text)\n"
        Attachment.record(Attachment(file, named: "schedule.txt"), sourceLocation: self.test.sourceLocation)
        let page = self.failure.html(title: self.title)
        Attachment.record(Attachment(page, named: "schedule.html"), sourceLocation: self.test.sourceLocation)
    }

    /// The explanation, in lines.
    var text: String {
        let narrow = self.test.isParameterized ? " and this argument alone" : ""
        let text = self.failure.explanation { "with `@Test(.simulated(\($0)))`\(narrow)" }
        return (self.notes + [text]).joined(separator: "\n")
    }

    // MARK: - Private helpers

    private var title: String { self.test.displayName ?? self.test.name }

    /// Records the error that the test threw, or the issues that did not occur again in the run that shows them.
    private func recordCause() {
        switch self.failure.underlying {
        case is SimulationError: break
        case let issues as RecordedIssues:
            guard self.shown.isEmpty else { return }
            for issue in issues.issues {
                let comment = Comment(rawValue: "In a schedule that could not be shown: \(RecordedIssues.text(issue))")
                Issue.record(comment, sourceLocation: issue.sourceLocation ?? self.test.sourceLocation)
            }
        case let error: Issue.record(error, sourceLocation: self.test.sourceLocation)
        }
    }

    private var notes: [String] {
        guard self.leaves else { return [] }
        return [
            "This is not a deadlock: the test left the simulation, and proceeded when given real time. It is isolated "
                + "to the main actor, or awaits that, an actor with its own executor or one that another simulation "
                + "uses, a plain `Task { }`, `Task.sleep`, another simulation or another thread. On Linux ask for "
                + "`reach: .mainActor`, `.tasks` or `.sleep`; otherwise test the code behind them, pass in the clock "
                + "of `Simulation.current`, and start tasks in a group or on its executor."
        ]
    }
}
