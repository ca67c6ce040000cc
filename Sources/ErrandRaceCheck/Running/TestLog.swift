/// The output of a run of `swift test`.
struct TestLog: Sendable {
    /// The number of tests that were run, of both libraries, without skipped ones; too large if the log contains a run
    /// twice.
    let count: Int
    /// The number of tests that were skipped.
    let skipped: Int
    /// The number of tests of the testing library that failed.
    let failed: Int
    /// True if the testing library has reported the outcome of all tests.
    let isFinished: Bool
    /// The first lines with error messages.
    let complaints: [String]

    /// The largest number of lines to keep.
    private static let mostComplaints = 20

    /// Parses a log.
    init(_ text: String) {
        var (count, skipped, failed, isFinished) = (0, 0, 0, false)
        var executed = (count: 0, skipped: 0)
        var complaints: [String] = []
        let lines = text.split(whereSeparator: \.isNewline).map { Self.plain($0).trimmed }
        for line in lines {
            count += Self.number(in: line, behind: "Test run with ") ?? 0
            switch Self.end(of: line) {
            case .run: isFinished = true
            case .failedTest: failed += 1
            case .skippedTest: skipped += 1
            case nil: break
            }
            // Each suite reports its number, and so does each enclosing one; the numbers are not added.
            if let number = Self.number(in: line, behind: "Executed "), number >= executed.count {
                executed = (number, Self.number(in: line, behind: ", with ") ?? 0)
            }
            if complaints.count < Self.mostComplaints, Self.complains(line), !complaints.contains(line) {
                complaints.append(line)
            }
        }
        // Both the testing library and XCTest include skipped tests in their counts.
        self.skipped = skipped + executed.skipped
        self.count = max(0, count + executed.count - self.skipped)
        (self.failed, self.isFinished) = (failed, isFinished)
        self.complaints = complaints.isEmpty ? lines.suffix(Self.mostComplaints) : complaints
    }

    private enum End { case run, failedTest, skippedTest }

    /// The end that a line reports: a failed test in `✘ Test counts() failed after 0.1 seconds`.
    private static func end(of line: String) -> End? {
        let words = line.drop { $0 != " " }.dropFirst()
        let (passed, failed) = (words.contains(" passed after "), words.contains(" failed after "))
        guard words.hasPrefix("Test ") else { return nil }
        guard passed || failed else {
            return words.hasSuffix(" skipped.") || words.contains(" skipped: \"") ? .skippedTest : nil
        }
        if words.hasPrefix("Test run with ") { return .run }
        return failed && !words.hasPrefix("Test case ") ? .failedTest : nil
    }

    /// The line without terminal colors.
    private static func plain(_ line: Substring) -> String {
        String(line.contains("\u{1B}") ? line.replacing(#/\x{1B}\[[0-9;]*m/#, with: "") : line)
    }

    private static func number(in line: String, behind start: String) -> Int? {
        guard let range = line.firstRange(of: start) else { return nil }
        let rest = line[range.upperBound...]
        let digits = rest.prefix { ("0"..."9").contains($0) }
        return rest.dropFirst(digits.count).hasPrefix(" test") ? Int(digits) : nil
    }

    private static func complains(_ line: String) -> Bool {
        ["error:", "recorded an issue", " failed after ", "Fatal error", "unexpected signal"].contains {
            line.contains($0)
        }
    }
}
