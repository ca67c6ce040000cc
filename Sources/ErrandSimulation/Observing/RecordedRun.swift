/// The steps of a recorded run.
struct RecordedRun: Sendable {
    var steps: [RecordedStep] = []
    /// The number of tasks that were started outside of the simulation.
    var strays = 0
    /// The creators of the first of them, as positions in the tree of tasks.
    var strayCreators: [Int] = []
}
