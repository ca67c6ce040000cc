/// Results for people.
enum TextReport {
    /// Formats results, ending with a line break.
    static func text(of results: Results) -> String {
        var lines: [String] = []
        for finding in results.verdict.new {
            lines.append(
                "\(finding.file):\(finding.line):\(finding.column): error: \(results.message(for: finding))"
                    + " [\(finding.rule.rawValue)]")
            lines.append("    in \(finding.declaration): \(finding.source)")
        }
        for problem in results.problems + results.verdict.stale {
            lines.append("\(results.allowList):\(problem.line): error: \(problem.message) [\(problem.kind.rawValue)]")
        }
        lines += results.unreadable.map { "\($0): error: the file cannot be read" }
        lines += (results.tests?.races ?? []).flatMap(self.lines)
        lines += (results.simulation?.failures ?? []).flatMap(self.lines)
        lines += results.testProblems.flatMap(self.lines)
        if !results.verdict.new.isEmpty {
            lines.append(
                "Remove new findings, or add them to \(results.allowList) with a reason, as --print-entries prints them."
            )
        }
        lines.append("race-check: \(results.summary)")
        // Control characters in a source or a name must not reach a terminal.
        return lines.map(self.printable).joined(separator: "\n") + "\n"
    }

    /// Formats a race with its stacks.
    static func lines(of race: Race) -> [String] {
        var lines = ["\(self.title(of: race)): error: \(self.headline(of: race)) [race]"]
        for stack in race.stacks {
            lines.append("    \(stack.title):")
            lines += stack.frames.map { "        \(self.text(of: $0))" }
        }
        return lines
    }

    /// Formats a failure of a simulated test with its explanation.
    static func lines(of failure: SimulatedFailure) -> [String] {
        let place = "\(failure.file):\(failure.line):\(failure.column)"
        return ["\(place): error: \(self.headline(of: failure)) [simulation]"]
            + failure.explanation.map { "    \($0)" }
    }

    /// Returns a sentence with the failing test and its schedule.
    static func headline(of failure: SimulatedFailure) -> String {
        let cases = failure.cases > 1 ? " (\(failure.cases) cases)" : ""
        return "\(failure.name)\(cases) fails in the schedule \(failure.schedule)"
    }

    private static func title(of race: Race) -> String {
        race.position.map(self.position) ?? "tests"
    }

    /// Returns a sentence with the kind of a race and the number of its reports.
    static func headline(of race: Race) -> String {
        let place = race.location.map { " on \($0)" } ?? ""
        let times = "\(Words.count(race.count, "report")), first in iteration \(race.firstIteration)"
        let foreign = race.isOwn ? "" : "; no call in this package's files"
        return "\(race.kind)\(place) (\(times)\(foreign))"
    }

    private static func position(of frame: RaceReport.Frame) -> String {
        let numbers = [frame.line, frame.column].compactMap(\.self).map { ":\($0)" }.joined()
        return (frame.file ?? frame.module ?? "?") + numbers
    }

    /// Formats a call.
    static func text(of frame: RaceReport.Frame) -> String {
        "\(frame.function) at \(self.position(of: frame))"
    }

    private static func lines(of failure: TestFailure) -> [String] {
        let which = failure.iteration.map { "iteration \($0): " } ?? ""
        return ["tests: error: \(which)\(failure.message); see \(failure.log)"] + failure.details.map { "    \($0)" }
    }

    private static func printable(_ line: String) -> String {
        String(
            String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
