extension SimulationError {
    /// The error of a scenario with work that the simulation does not control.
    static func unverifiable(_ record: RunRecord, _ run: RecordedRun?) -> SimulationError {
        var message = "The scenario cannot be verified, because the simulation does not control all of its steps: "
        if run?.hasDeinitializer == true {
            message += "an isolated deinitializer waits for an actor, which leaves the simulation to run it"
        } else if let run {
            let creators = Set(run.strayCreators).sorted().map { record.decided.places.title(of: $0) }
            message += "\(run.strays == 1 ? "1 task was" : "\(run.strays) tasks were") started outside of it"
            message += creators.isEmpty ? "" : " (by task \(creators.joined(separator: ", ")))"
        } else {
            let (escapes, places) = (record.decided.escapes, record.decided.places)
            let tasks = escapes.tasks.map { path in places.task(at: path).map(places.title) ?? path.description }
            message += "\(EscapeText(jobs: escapes.count, tasks: tasks))"
        }
        if run?.hasDeinitializer == true {
            message += ". Keep the object until the body has ended."
            return SimulationError(code: .unverifiable, message: message)
        }
        message +=
            run.map { $0.strays > 0 && !record.reach.contains(.tasks) } == true
            ? ". On Linux `reach: .tasks` captures most of them; elsewhere give such tasks the context's executor."
            : ". Give such tasks the context's executor, or put a test double in the place of what continues them."
        return SimulationError(code: .unverifiable, message: message)
    }

    /// The error of a scenario whose first run has left state for the next.
    static func leftover(_ record: RunRecord) -> SimulationError {
        let message =
            "The scenario took other steps when it was run again in the same order: state outlives a run, in a static "
            + "variable, a file, or an object that was created outside of the body, or there is chance or time from "
            + "outside. Create all state in the body."
        return SimulationError(code: .scheduleDoesNotFit, message: message)
    }
}
