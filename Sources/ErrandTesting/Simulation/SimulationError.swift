/// Why a simulation came to no end of its own.
public struct SimulationError: Error, Sendable, Hashable {
    /// What kind of end a simulation came to; later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Nothing was ready to run and nobody was asleep on the clock, yet the scenario had not ended.
        public static let stuck = Code(description: "stuck")

        /// The scenario had not ended after the largest number of steps it was allowed.
        public static let tooManySteps = Code(description: "tooManySteps")

        /// The name of the code.
        public let description: String
    }

    /// What kind of end the simulation came to.
    public let code: Code

    /// What happened, and where to look, for a person.
    public let message: String

    static func stuck(steps: Int, escapedJobs: Int) -> SimulationError {
        var message = "After \(steps) steps nothing is ready to run and nobody sleeps on the clock: a deadlock, or "
        message += "the scenario awaits work outside the simulation, such as a plain `Task { }`."
        if escapedJobs > 0 { message += " \(escapedJobs) jobs came from other threads." }
        return SimulationError(code: .stuck, message: message)
    }

    static func tooManySteps(_ steps: Int) -> SimulationError {
        let message = "The scenario has not ended after \(steps) steps: a livelock, or `maxSteps` is too small for it."
        return SimulationError(code: .tooManySteps, message: message)
    }
}

extension SimulationError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(self.code): \(self.message)" }
}
