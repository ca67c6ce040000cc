extension Simulation {
    /// A code location at which a step begins.
    public struct CodeLocation: Sendable, Hashable {
        /// The function, with its type: `Account.withdraw(_:)`.
        public let function: String

        /// The name of the source file; `nil` if the program has no debug information.
        public let file: String?

        /// The line of the file at which the function begins or resumes, from 1.
        public let line: Int?
    }
}

extension Simulation.CodeLocation: CustomStringConvertible {
    /// The function, the file and the line, as in `Account.withdraw(_:) at Account.swift:12`.
    public var description: String {
        guard let file = self.file, let line = self.line else { return self.function }
        return "\(self.function) at \(file):\(line)"
    }
}
