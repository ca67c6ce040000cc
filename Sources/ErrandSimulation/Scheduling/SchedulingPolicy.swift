/// The point in a run at which a choice is made.
struct DecisionPoint {
    /// The number of choices made before.
    let index: Int
    /// The task that ran last.
    let last: Int
    /// The number of times that it has run in a row while others were ready.
    let streak: Int
    /// The arrival that the default order would run.
    let standard: Int
}

/// Chooses, throughout one run, which of the ready jobs goes next.
///
/// A policy depends only on its arguments and on its own random generator, so its choices are reproducible. It is
/// consulted before every job, also when only one is ready.
protocol SchedulingPolicy: Sendable {
    /// Chooses one of the ready jobs, of which there is at least one.
    ///
    /// - Parameters:
    ///   - point: The point in the run.
    ///   - ready: The ready jobs.
    ///   - tree: The tasks seen so far.
    /// - Returns: The arrival of the job, or `nil` if the policy wants one that is not ready.
    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
}
