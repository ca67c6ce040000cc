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
        message += ". On Linux `reach:` may capture them; otherwise give such tasks the context's executor."
        return SimulationError(code: .unverifiable, message: message)
    }
}
