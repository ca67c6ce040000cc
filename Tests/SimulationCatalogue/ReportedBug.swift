package import ErrandSimulation

/// A concurrency bug that was reported for another project, restated in Swift in its smallest form, with its mend.
///
/// The origins are the issues and pull requests of the GoKer part of GoBench (Yuan, Li, Lu, Yu, Liu, Xue, 2021), the
/// programs of SCTBench (Thomson, Donaldson, Betts, 2014), and issues of libraries in Swift and of others with `async`. The code is not theirs: it has the same orderings, with
/// actors and tasks in place of locks and threads.
package struct ReportedBug: Sendable {
    /// The kind of a bug.
    package enum Kind: String, Sendable, CaseIterable {
        /// Two tasks take the same locks in opposite orders.
        case lockOrder = "lock order"
        /// A task takes a lock that it holds, or reads again behind a waiting writer.
        case doubleLock = "double lock"
        /// A path leaves a lock locked.
        case forgottenUnlock = "forgotten unlock"
        /// A task waits for another while it holds a lock that the other needs.
        case heldLock = "wait under a lock"
        /// A task waits forever to send or receive.
        case channel = "blocked channel"
        /// A channel is used after it was closed, or a counter is used out of order.
        case misuse = "channel or group misuse"
        /// A wake-up is lost.
        case lostSignal = "lost signal"
        /// A cancellation or an end is not passed on.
        case cancellation = "missed cancellation"
        /// Two events occur in the wrong order.
        case orderViolation = "order violation"
        /// Another task acts between two steps that belong together.
        case atomicity = "atomicity violation"
    }

    /// The project, with the number of the issue or pull request, as in `cockroach#1055`, or the name of the program.
    package let origin: String

    /// The kind.
    package let kind: Kind

    /// A sentence that says what goes wrong.
    package let summary: String

    /// The program that fails under some schedules.
    package let broken: PlantedBug.Scenario

    /// The program that fails under none.
    package let mended: PlantedBug.Scenario

    init(
        _ origin: String, _ kind: Kind, _ summary: String,
        scenario: @escaping @Sendable (_ isMended: Bool, _ simulation: Simulation.Context) async throws -> Void
    ) {
        self.origin = origin
        self.kind = kind
        self.summary = summary
        self.broken = { try await scenario(false, $0) }
        self.mended = { try await scenario(true, $0) }
    }

    /// Looks for the bug in one series of schedules, as `PlantedBug.search(by:schedules:series:)` does.
    package func search(
        by strategy: Simulation.Strategy, schedules: Int, series: Int
    ) async throws -> SimulationFailure? {
        try await PlantedBug.search(self.broken, by: strategy, schedules: schedules, series: series)
    }
}

extension ReportedBug: CustomStringConvertible {
    /// The origin and the kind.
    package var description: String { "\(self.origin) (\(self.kind.rawValue))" }
}
