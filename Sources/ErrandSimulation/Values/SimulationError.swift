/// The reason why a simulation did not end by itself, or could not begin.
public struct SimulationError: Error, Sendable, Hashable {
    /// The kind of the error; later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// No job was ready and no task was asleep on the clock, yet the scenario had not ended.
        public static let stuck = Code(description: "stuck")

        /// The scenario had not ended after `maxSteps` steps.
        public static let tooManySteps = Code(description: "tooManySteps")

        /// The scenario had not ended at its virtual time limit.
        public static let tooLate = Code(description: "tooLate")

        /// One job took longer than `stepTimeout`: it blocks its thread.
        public static let blocked = Code(description: "blocked")

        /// The number of schedules is not positive.
        public static let noSchedules = Code(description: "noSchedules")

        /// The schedule cannot be parsed.
        public static let invalidSchedule = Code(description: "invalidSchedule")

        /// A schedule names a step that the scenario does not reach, or a job that is not ready then.
        public static let scheduleDoesNotFit = Code(description: "scheduleDoesNotFit")

        /// The scenario cannot be verified: some of its work runs outside of the simulation.
        public static let unverifiable = Code(description: "unverifiable")

        /// The system has no task executors: they need macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2.
        public static let unavailable = Code(description: "unavailable")

        /// The name of the code.
        public let description: String
    }

    /// The kind of the error.
    public let code: Code

    /// A description of the cause, with advice.
    public let message: String
}

extension SimulationError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(self.code): \(self.message)" }
}

// MARK: - Creating errors

extension SimulationError {
    static func noSchedules(_ words: String) -> SimulationError {
        SimulationError(code: .noSchedules, message: "`\(words)` runs no schedule: there must be at least one.")
    }

    static var unavailable: SimulationError {
        SimulationError(
            code: .unavailable,
            message: "A simulation needs macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2: run this test there.")
    }

    static func invalidSchedule(_ text: String, problem: String) -> SimulationError {
        SimulationError(code: .invalidSchedule, message: "`\(text)` is not a schedule: \(problem).")
    }
}
