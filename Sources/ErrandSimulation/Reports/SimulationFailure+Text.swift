extension SimulationFailure {
    /// Explains the failure as its description does, to somebody who runs it again in another way.
    ///
    /// - Parameter replay: Says how, given the text of the schedule; it comes after the words "Run it again".
    /// - Returns: The explanation, in lines.
    package func explanation(replay: @escaping (String) -> String) -> String {
        FailureText(self, replay: replay).lines.joined(separator: "\n")
    }
}
