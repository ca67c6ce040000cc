/// The first failure that an exploration found, with what it takes to see it again.
public struct SimulationFailure: Error, Sendable {
    /// The seed whose interleaving failed.
    public let seed: UInt64

    /// The error that the scenario threw, or the `SimulationError` with which it ended.
    public let underlying: any Error

    /// What the scenario noted until it failed.
    public let trace: [String]

    /// The number of jobs that came from other threads; if it is not zero, the seed alone may not repeat the failure.
    public let escapedJobs: Int

    init(seed: UInt64, underlying: any Error, report: SimulationReport) {
        self.seed = seed
        self.underlying = underlying
        self.trace = report.trace
        self.escapedJobs = report.escapedJobs
    }
}

extension SimulationFailure: CustomStringConvertible {
    /// The seed, the error, how to run the seed again, and the trace.
    public var description: String {
        var lines = [
            "Seed \(self.seed) failed: \(self.underlying)",
            "Run it again with `Simulation.run(seed: \(self.seed)) { … }` and the same scenario.",
        ]
        if self.escapedJobs > 0 {
            lines.append("\(self.escapedJobs) jobs came from other threads: the seed alone may not repeat the failure.")
        }
        if !self.trace.isEmpty {
            lines.append("Trace:")
            lines += self.trace.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
