/// The allowed findings of a project, each with its reason.
///
/// Entries are separated by empty lines. Each line of an entry is a key, a colon and a value; a line that begins with
/// white space continues the value above it. Lines that begin with `#` are comments.
struct AllowList: Sendable {
    /// The valid entries, in order.
    private(set) var entries: [AllowEntry] = []
    /// The problems of the other entries, and of entries without a reason.
    private(set) var problems: [AllowProblem] = []

    private struct Field {
        let key: String
        let line: Int
        var value: String
    }

    /// Creates an empty list.
    init() {}

    /// Parses a list; invalid entries are skipped.
    init(parsing text: String) {
        var fields: [Field] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.trimmed
            if trimmed.isEmpty {
                self.add(fields)
                fields = []
            } else if line.first?.isWhitespace == true, !fields.isEmpty {
                let value = fields[fields.count - 1].value
                fields[fields.count - 1].value = value.isEmpty ? trimmed : "\(value) \(trimmed)"
            } else if !trimmed.hasPrefix("#") {
                fields.append(self.field(trimmed, line: index + 1))
            }
        }
        self.add(fields)
    }

    private func field(_ text: String, line: Int) -> Field {
        guard let colon = text.firstIndex(of: ":") else { return Field(key: "", line: line, value: text) }
        return Field(
            key: text[..<colon].trimmed, line: line, value: text[text.index(after: colon)...].trimmed)
    }

    // MARK: - Entries

    private static let keys = ["rule", "file", "in", "count", "reason"]

    private mutating func add(_ fields: [Field]) {
        guard let first = fields.first else { return }
        let problems = self.problems(of: fields)
        guard problems.isEmpty else {
            self.problems += problems
            return
        }
        let values = Dictionary(fields.map { ($0.key, $0.value) }) { $1 }
        guard let rule = values["rule"].flatMap(Rule.init(rawValue:)), let file = values["file"],
            let declaration = values["in"], let count = Int(values["count"] ?? "1")
        else { return }
        let place = Place(rule: rule, file: Self.path(file), declaration: declaration)
        if let same = self.entries.first(where: { $0.place == place }) {
            self.complain(first.line, "this entry repeats the place of the one at line \(same.line); give that a count")
            return
        }
        let entry = AllowEntry(place: place, count: count, reason: values["reason"] ?? "", line: first.line)
        if !Self.isReason(entry.reason) {
            let claim = rule == .nearMiss ? "is meant" : "is no race"
            self.complain(first.line, "this entry has no reason: write why \(rule.rawValue) \(claim) here")
        }
        self.entries.append(entry)
    }

    private func problems(of fields: [Field]) -> [AllowProblem] {
        var problems: [AllowProblem] = []
        func complain(_ line: Int, _ message: String) {
            problems.append(AllowProblem(kind: .malformed, line: line, message: message))
        }
        for (index, field) in fields.enumerated() {
            if field.key.isEmpty {
                complain(field.line, "\"\(field.value)\" is not a key, a colon and a value")
            } else if !Self.keys.contains(field.key) {
                complain(field.line, "there is no key \"\(field.key)\", only \(Self.keys.joined(separator: ", "))")
            } else if fields[..<index].contains(where: { $0.key == field.key }) {
                complain(field.line, "\"\(field.key)\" is here twice; is an empty line missing between two entries?")
            } else if let message = self.problem(of: field) {
                complain(field.line, message)
            }
        }
        for key in ["rule", "file", "in"] where !fields.contains(where: { $0.key == key }) {
            complain(fields.first?.line ?? 1, "this entry has no \"\(key)\"")
        }
        return problems
    }

    private func problem(of field: Field) -> String? {
        switch field.key {
        case "rule" where Rule(rawValue: field.value) == nil:
            let rules = Rule.allCases.map(\.rawValue).joined(separator: ", ")
            return "there is no rule \"\(field.value)\", only \(rules)"
        case "count" where !(1...1_000_000).contains(Int(field.value) ?? 0):
            return "the count has to be a whole number from 1, not \"\(field.value)\""
        case "file" where field.value.isEmpty, "in" where field.value.isEmpty:
            return "\"\(field.key)\" has no value"
        default:
            return nil
        }
    }

    private mutating func complain(_ line: Int, _ message: String) {
        self.problems.append(AllowProblem(kind: .malformed, line: line, message: message))
    }

    /// True if a text has letters, and is not a placeholder such as `TODO`.
    private static func isReason(_ text: String) -> Bool {
        text.contains(where: \.isLetter) && !["todo", "fixme", "tbd", "xxx"].contains(text.lowercased())
    }

    private static func path(_ text: String) -> String {
        text.hasPrefix("./") ? String(text.dropFirst(2)) : text
    }

    // MARK: - Verdict

    /// The verdict of a list on findings.
    struct Verdict: Sendable {
        /// The findings without an entry.
        var new: [Finding] = []
        /// The number of findings with an entry.
        var allowed = 0
        /// The entries that match no findings, or fewer than they allow.
        var stale: [AllowProblem] = []
    }

    /// Compares findings with the list.
    ///
    /// - Parameters:
    ///   - findings: The findings.
    ///   - isJudged: Returns whether a file was scanned, so that an entry about it can be stale.
    /// - Returns: The new, allowed and stale ones.
    func verdict(on findings: [Finding], isJudged: (String) -> Bool) -> Verdict {
        var verdict = Verdict()
        let entries = Dictionary(self.entries.map { ($0.place, $0) }) { first, _ in first }
        var counts: [Place: Int] = [:]
        for finding in findings {
            counts[finding.place, default: 0] += 1
        }
        for finding in findings {
            // It is unknown which of them is the new one, so all are reported.
            if let entry = entries[finding.place], counts[finding.place, default: 0] <= entry.count {
                verdict.allowed += 1
            } else {
                verdict.new.append(finding)
            }
        }
        verdict.stale = self.entries.compactMap { entry in
            let count = counts[entry.place, default: 0]
            guard count < entry.count, isJudged(entry.place.file) else { return nil }
            return AllowProblem(kind: .stale, line: entry.line, message: Self.staleness(of: entry, count))
        }
        return verdict
    }

    private static func staleness(of entry: AllowEntry, _ count: Int) -> String {
        let place = "\(entry.place.rule.rawValue) in \(entry.place.declaration) of \(entry.place.file)"
        return count == 0
            ? "there is no such finding any more: \(place); remove the entry"
            : "the entry allows \(entry.count), and there \(count == 1 ? "is" : "are") \(count): \(place)"
    }

    /// Returns the number of allowed findings of a place.
    func count(for place: Place) -> Int {
        self.entries.first { $0.place == place }?.count ?? 0
    }
}
