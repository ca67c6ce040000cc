/// The steps of a recorded run.
struct RecordedRun: Sendable {
    var steps: [RecordedStep] = []
    /// The number of tasks that were started outside of the simulation.
    var strays = 0
    /// The creators of the first of them, as positions in the tree of tasks.
    var strayCreators: [Int] = []
    /// True if an isolated deinitializer was queued at an actor: it prefers no executor, so that the actor leaves the
    /// simulation to run it.
    var hasDeinitializer = false

    /// True if work is outside of the simulation.
    var isIncomplete: Bool { self.strays > 0 || self.hasDeinitializer }
}
