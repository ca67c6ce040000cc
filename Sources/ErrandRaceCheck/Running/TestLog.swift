/// What a run of `swift test` says about itself.
struct TestLog: Sendable {
    /// How many tests were run, of both libraries; more than it may be where a run is repeated in the log.
    let count: Int
    /// The lines about what went wrong, the first of them.
    let complaints: [String]

    /// How many lines are kept.
    private static let mostComplaints = 20

    /// Reads a log.
    init(_ text: String) {
        var count = 0
        var complaints: [String] = []
        let lines = text.split(whereSeparator: \.isNewline).map { Self.plain($0).trimmed }
        for line in lines {
            count += Self.number(in: line, behind: "Test run with ") ?? 0
            // Each suite says so, and each that is around it; they are not added.
            if let executed = Self.number(in: line, behind: "Executed ") { count = max(count, executed) }
            if complaints.count < Self.mostComplaints, Self.complains(line), !complaints.contains(line) {
                complaints.append(line)
            }
        }
        self.count = count
        self.complaints = complaints.isEmpty ? lines.suffix(Self.mostComplaints) : complaints
    }

    /// Without the colours of a terminal.
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
