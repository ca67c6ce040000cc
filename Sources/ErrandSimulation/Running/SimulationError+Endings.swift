extension SimulationError {
    /// The largest number of tasks that a message names.
    private static let namedTasks = 8

    /// The kinds of work that an ability captures.
    private static let captured: [(work: String, name: String, ability: Simulation.Reach)] = [
        ("a plain `Task { }`", "tasks", .tasks), ("`Task.sleep`", "sleep", .sleep),
        ("the main actor", "mainActor", .mainActor),
    ]

    static func stuck(_ record: RunRecord) -> SimulationError {
        var message = "After \(record.steps) steps no task is ready to run and none sleeps on the clock: a deadlock, "
        message += "or the scenario awaits what the simulation does not control: "
        for (work, name, ability) in self.captured where !record.reach.contains(ability) {
            let isAvailable = Simulation.Reach.available.contains(ability)
            message += isAvailable ? "\(work) (`reach: .\(name)`), " : "\(work), "
        }
        message += "a dispatch queue, or an actor with an executor of its own."
        if record.decided.escapes.count > 0 {
            let escapes = record.decided.escapes
            message += " \(EscapeText(jobs: escapes.count, tasks: escapes.tasks.map(\.description)))."
        }
        let waiting = record.waiting.prefix(self.namedTasks).map { record.decided.places.title(of: $0) }
        if !waiting.isEmpty {
            let more = record.waiting.count - waiting.count
            message += " Waiting: \(waiting.joined(separator: ", "))\(more > 0 ? " and \(more) more" : "")."
        }
        return SimulationError(code: .stuck, message: message)
    }

    static func tooManySteps(_ record: RunRecord) -> SimulationError {
        var message = "The scenario has not ended after \(record.steps) steps: "
        message += "a livelock, or `maxSteps` is too small for it."
        let recent = record.decided.log.recentTasks(in: record.decided.places)
        let tasks = recent.prefix(Self.namedTasks).map { "\($0.title) made \($0.steps)" }.joined(separator: ", ")
        let steps = recent.map(\.steps).reduce(0, +)
        if !tasks.isEmpty { message += " Of the last \(steps) steps, \(tasks)." }
        return SimulationError(code: .tooManySteps, message: message)
    }

    static func tooLate(_ record: RunRecord, limit: Duration) -> SimulationError {
        let next = record.elapsed > limit ? "" : ", and the next sleeper wakes after the limit"
        let message =
            "The scenario has not ended after \(limit) of virtual time: after \(record.steps) steps the clock stands at "
            + "\(record.elapsed)\(next)."
        return SimulationError(code: .tooLate, message: message)
    }

    static func blocked(_ record: RunRecord, limit: Duration) -> SimulationError {
        let (places, task) = (record.decided.places, record.decided.current)
        var message =
            "Task \(places.title(of: task)) has been in its step \(places.steps(of: task)) for \(limit): it blocks "
        message += "its thread, for instance by a semaphore or a lock, or computes for longer than `stepTimeout`."
        if let line = record.trace.last { message += " The last line of the trace: \(line)" }
        return SimulationError(code: .blocked, message: message)
    }

    /// The error of a run whose policy chose a job that was not ready.
    static func misfit(_ record: RunRecord) -> SimulationError {
        let policy = record.decided.policy as? ReplayPolicy
        guard let departure = policy?.misfit else {
            let message =
                "The scenario did not do the same when it was run again in the same order: it has chance, time or state "
                + "from outside the simulation."
            return SimulationError(code: .scheduleDoesNotFit, message: message)
        }
        let message =
            "`\(departure)` does not fit: after step \(departure.steps) of \(departure.source), task "
            + "\(departure.target) has no such ready job. The schedule is another scenario's, or of an earlier version."
        return SimulationError(code: .scheduleDoesNotFit, message: message)
    }

    /// The error of a run that ended before it reached all entries of its schedule, or `nil`.
    static func unreached(_ record: RunRecord) -> SimulationError? {
        guard let departure = (record.decided.policy as? ReplayPolicy)?.unreached else { return nil }
        let message =
            "`\(departure)` does not fit: the run ended before step \(departure.steps) of \(departure.source) or "
            + "right after it. The schedule is another scenario's, or of an earlier version."
        return SimulationError(code: .scheduleDoesNotFit, message: message)
    }
}
