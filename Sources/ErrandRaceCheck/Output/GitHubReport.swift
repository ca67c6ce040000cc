/// Results as annotations that GitHub Actions shows beside the lines.
enum GitHubReport {
    /// Formats results, ending with a line break.
    static func text(of results: Results) -> String {
        var lines = results.verdict.new.map { finding in
            self.annotation(
                file: finding.file, line: finding.line, column: finding.column, title: finding.rule.rawValue,
                "\(results.message(for: finding))\nin \(finding.declaration): \(finding.source)")
        }
        lines += (results.problems + results.verdict.stale).map { problem in
            self.annotation(
                file: results.allowList, line: problem.line, title: "allow list: \(problem.kind.rawValue)",
                problem.message)
        }
        lines += results.unreadable.map { self.annotation(file: $0, title: "unreadable", "the file cannot be read") }
        lines += (results.tests?.races ?? []).map(self.annotation)
        lines += (results.simulation?.failures ?? []).map(self.annotation)
        lines += results.testProblems.map(self.annotation)
        let level = results.exitCode == Results.ExitCode.clean ? "notice" : "error"
        lines.append("::\(level) title=race-check::\(self.escaped(results.summary))")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Formats the reason why there are no results.
    static func text(of error: UsageError) -> String {
        "::error title=race-check::\(self.escaped(error.message))\n"
    }

    private static func annotation(of race: Race) -> String {
        let frame = race.position
        let stacks = TextReport.lines(of: race).dropFirst().joined(separator: "\n")
        return self.annotation(
            file: frame?.file, line: frame?.line, column: frame?.column, title: race.kind,
            "\(TextReport.headline(of: race))\n\(stacks)")
    }

    private static func annotation(of failure: SimulatedFailure) -> String {
        let lines = [TextReport.headline(of: failure)] + failure.explanation
        return self.annotation(
            file: failure.file, line: failure.line, column: failure.column, title: "simulation",
            lines.joined(separator: "\n"))
    }

    private static func annotation(of failure: TestFailure) -> String {
        let which = failure.iteration.map { "iteration \($0): " } ?? ""
        return self.annotation(
            file: nil, title: "tests", "\(which)\(failure.message)\n\(failure.details.joined(separator: "\n"))")
    }

    private static func annotation(
        file: String?, line: Int? = nil, column: Int? = nil, title: String, _ message: String
    ) -> String {
        let properties = [
            file.map { "file=\(self.escapedProperty($0))" }, line.map { "line=\($0)" }, column.map { "col=\($0)" },
            "title=\(self.escapedProperty(title))",
        ]
        return "::error \(properties.compactMap(\.self).joined(separator: ","))::\(self.escaped(message))"
    }

    /// Escapes a text, so that it stays one message.
    static func escaped(_ text: String) -> String {
        self.replacing(in: text, ["%": "%25", "\r": "%0D", "\n": "%0A"])
    }

    /// Escapes a text, so that it stays one property.
    static func escapedProperty(_ text: String) -> String {
        self.replacing(in: text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
    }

    /// Works on scalars, since a line break may be part of a larger character.
    private static func replacing(in text: String, _ table: [Unicode.Scalar: String]) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += table[$1] ?? String($1) }
    }
}
