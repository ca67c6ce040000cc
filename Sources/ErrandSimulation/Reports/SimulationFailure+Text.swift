extension SimulationFailure {
    /// Explains the failure as its description does, with other instructions for running it again.
    ///
    /// - Parameter replay: Returns the instructions, given the arguments in code; they follow the words "Run it again".
    /// - Returns: The explanation, in lines.
    package func explanation(replay: @escaping (_ arguments: String) -> String) -> String {
        FailureText(self, replay: replay).lines.joined(separator: "\n")
    }

    /// The schedule and the reach as arguments in code: `replaying: "b6>f", reach: [.tasks]`.
    package var replayArguments: String { "replaying: \"\(self.schedule)\"\(self.reachArgument)" }

    /// The reach as an additional argument, unless it is empty.
    var reachArgument: String { self.reach.isEmpty ? "" : ", reach: \(self.reach)" }
}
