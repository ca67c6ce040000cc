package import ErrandSimulation

/// A concurrency bug that was put into a small program on purpose, together with its mend.
///
/// Both variants are the same code but for the one place that says `isMended`. Neither fails in the default order.
package struct PlantedBug: Sendable {
    /// A program to run under many schedules; it fails by throwing or by never ending.
    package typealias Scenario = @Sendable (Simulation.Context) async throws -> Void

    /// The name, in words that are separated by hyphens.
    package let name: String

    /// The number of orderings between steps that make it fail, as the literature on concurrency testing counts them.
    package let depth: Int

    /// What goes wrong, in a sentence.
    package let summary: String

    /// The program that fails under some schedules.
    package let broken: Scenario

    /// The program that fails under none.
    package let mended: Scenario

    init(
        _ name: String, depth: Int, _ summary: String,
        scenario: @escaping @Sendable (_ isMended: Bool, _ simulation: Simulation.Context) async throws -> Void
    ) {
        self.name = name
        self.depth = depth
        self.summary = summary
        self.broken = { try await scenario(false, $0) }
        self.mended = { try await scenario(true, $0) }
    }
}

extension PlantedBug: CustomStringConvertible {
    /// The name and the depth.
    package var description: String { "\(self.name) (depth \(self.depth))" }
}
