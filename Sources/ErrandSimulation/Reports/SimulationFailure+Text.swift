extension SimulationFailure {
    /// Explains the failure as its description does, to somebody who runs it again in another way.
    ///
    /// - Parameter replay: Says how, given the arguments for that in code; it comes after the words "Run it again".
    /// - Returns: The explanation, in lines.
    package func explanation(replay: @escaping (_ arguments: String) -> String) -> String {
        FailureText(self, replay: replay).lines.joined(separator: "\n")
    }

    /// The schedule and the reach as arguments in code: `replaying: "b6>f", reach: [.tasks]`.
    package var replayArguments: String { "replaying: \"\(self.schedule)\"\(self.reachArgument)" }

    /// The reach as one more argument, where there is one.
    var reachArgument: String { self.reach.isEmpty ? "" : ", reach: \(self.reach)" }
}
