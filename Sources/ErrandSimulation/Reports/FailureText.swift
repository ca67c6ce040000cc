/// Explains a failure in plain text.
struct FailureText {
    /// The largest number of schedule entries that are explained, and of timeline lines.
    private static let (mostEntries, mostLines) = (60, 80)
    /// The largest number of schedule entries that are printed for a replay.
    private static let mostReplayed = 5_000

    private let failure: SimulationFailure
    private let replay: (_ arguments: String) -> String

    /// Creates the explanation of a failure.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - replay: Describes how to run it again, given the arguments in code.
    init(_ failure: SimulationFailure, replay: ((_ arguments: String) -> String)? = nil) {
        self.failure = failure
        self.replay = replay ?? { "with `Simulation.run(\($0)) { … }` and the same scenario" }
    }

    /// The lines of the text.
    var lines: [String] {
        self.head + self.doubts + self.section("Tasks:", self.tasks) + self.section("Switches:", self.switches)
            + self.section("Faults:", self.faults) + self.section("Timeline (task and steps):", self.timeline)
            + self.section("Trace:", self.failure.trace)
    }

    // MARK: - Private helpers

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [title] + lines.map { "  \($0)" }
    }

    private var head: [String] {
        if self.failure.isSeeded {
            return [
                "Seed \(self.failure.seed) failed: \(self.failure.underlying)",
                "Run it again with `Simulation.run(seed: \(self.failure.seed)\(self.failure.reachArgument)) { … }` "
                    + "and the same scenario\(self.limits).",
            ]
        }
        let number = self.failure.scheduleNumber.map { "Schedule \($0)" } ?? "A schedule"
        let isPrinted = self.failure.schedule.count <= Self.mostReplayed
        return [
            "\(number) failed: \(self.failure.underlying)", self.schedule,
            isPrinted
                ? "Run it again \(self.replay(self.failure.replayArguments))\(self.limits)."
                : "It is too long to print: it is the `schedule` of the failure.",
        ]
    }

    /// The advice to use the same limits, for a run that a limit has ended.
    private var limits: String {
        switch (self.failure.underlying as? SimulationError)?.code {
        case .tooManySteps?, .tooLate?, .blocked?: ", with the same `limits:`"
        default: ""
        }
    }

    private var schedule: String {
        let (count, original) = (self.failure.schedule.count, self.failure.originalCount)
        let minimised = count < original ? ", down from \(original)" : ""
        let text = count > Self.mostEntries ? "" : ": \(self.failure.schedule)"
        return "Schedule with \(count) switch\(count == 1 ? "" : "es")\(minimised)\(text)"
    }

    private var doubts: [String] {
        if self.failure.contradictsProof {
            return [
                "One schedule of each class was run before, and none failed: tasks seem to share state that the "
                    + "simulation does not see. Declare each access to it by `Simulation.access(_:_:)`."
            ]
        }
        if self.failure.escapedJobs > 0 {
            let jobs = EscapeText(jobs: self.failure.escapedJobs, tasks: self.failure.escapedTasks)
            let doubtful = self.failure.isSeeded ? "the seed" : "the schedule"
            return ["\(jobs): \(doubtful) alone may not reproduce the failure."]
        }
        if self.failure.hasDiffered {
            return ["It was not seen again in the same order: there may be chance, time or state from outside."]
        }
        if !self.failure.isRepeatable, (self.failure.underlying as? SimulationError)?.code != .blocked {
            return ["It was not run again to find a shorter schedule: each run would wait for its `patience`."]
        }
        return []
    }

    private var tasks: [String] {
        self.failure.tasks.map { task in
            let name = task.id == "." ? "the body" : task.name.map { "\"\($0)\"" } ?? ""
            let steps = task.steps == 1 ? "1 step" : "\(task.steps) steps"
            return "\(task.id) \(name) (\(steps))".replacing("  ", with: " ")
        }
    }

    private var switches: [String] {
        // A seed's run has very many departures, which were not chosen deliberately.
        guard !self.failure.isSeeded, let (departures, _) = try? self.failure.schedule.contents() else { return [] }
        let shown = departures.prefix(Self.mostEntries).map { departure in
            let ordinal = departure.ordinal == 1 ? "" : " (ready job \(departure.ordinal))"
            let (source, target) = (self.title(departure.source), self.title(departure.target))
            return "after step \(departure.steps) of \(source) comes \(target)\(ordinal)"
        }
        return shown + (departures.count > shown.count ? ["… and \(departures.count - shown.count) more"] : [])
    }

    private var faults: [String] {
        let faults = self.failure.faults
        let shown = faults.prefix(Self.mostEntries).map(\.description)
        return shown + (faults.count > shown.count ? ["… and \(faults.count - shown.count) more"] : [])
    }

    private func title(_ path: TaskPath) -> String {
        self.failure.tasks.first { $0.id == path.description }?.description ?? path.description
    }

    private var timeline: [String] {
        let lines = TimelineText(self.failure.timeline).lines
        let hidden = lines.count - Self.mostLines
        return hidden > 0 ? ["… \(hidden) lines before"] + lines.suffix(Self.mostLines) : lines
    }
}
