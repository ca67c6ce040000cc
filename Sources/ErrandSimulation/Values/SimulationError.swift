/// Why a simulation came to no end of its own, or could not begin.
public struct SimulationError: Error, Sendable, Hashable {
    /// What kind of end a simulation came to; later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Nothing was ready to run and nobody was asleep on the clock, yet the scenario had not ended.
        public static let stuck = Code(description: "stuck")

        /// The scenario had not ended after the largest number of steps it was allowed.
        public static let tooManySteps = Code(description: "tooManySteps")

        /// The scenario had not ended at the virtual time at which it must have.
        public static let tooLate = Code(description: "tooLate")

        /// One job took longer than the real time it was allowed: it blocks its thread.
        public static let blocked = Code(description: "blocked")

        /// There is no schedule to run.
        public static let noSchedules = Code(description: "noSchedules")

        /// The text of a schedule is none.
        public static let invalidSchedule = Code(description: "invalidSchedule")

        /// A schedule names a step that the scenario does not reach, or a job that is not ready then.
        public static let scheduleDoesNotFit = Code(description: "scheduleDoesNotFit")

        /// The system has no task executors: they need macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2.
        public static let unavailable = Code(description: "unavailable")

        /// The name of the code.
        public let description: String
    }

    /// What kind of end the simulation came to.
    public let code: Code

    /// What happened, and where to look, for a person.
    public let message: String
}

extension SimulationError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(self.code): \(self.message)" }
}

// MARK: - Where the errors are made

extension SimulationError {
    static func noSchedules(_ words: String) -> SimulationError {
        SimulationError(code: .noSchedules, message: "`\(words)` runs nothing: there must be one at least.")
    }

    static var unavailable: SimulationError {
        SimulationError(
            code: .unavailable,
            message: "A simulation needs macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2: run this test there.")
    }

    static func invalidSchedule(_ text: String, problem: String) -> SimulationError {
        SimulationError(code: .invalidSchedule, message: "`\(text)` is no schedule: \(problem).")
    }
}
