/// Where in a run a choice is to be made.
struct DecisionPoint {
    /// How many choices were made before.
    let index: Int
    /// The task that ran last.
    let last: Int
    /// How often it has run in a row while others were ready.
    let streak: Int
    /// The arrival that the default order runs.
    let standard: Int
}

/// Chooses, throughout one run, which of the ready jobs goes next.
///
/// A policy takes its choices from what it is told and from a generator of its own, and so makes the same ones again.
/// It is asked before every job, also when only one is ready.
protocol SchedulingPolicy: Sendable {
    /// Chooses one of the ready jobs, of which there is at least one.
    ///
    /// - Parameters:
    ///   - point: Where in the run.
    ///   - ready: The jobs.
    ///   - tree: The tasks seen so far.
    /// - Returns: The arrival of the job, or `nil` if the policy wants one that is not ready.
    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
}
