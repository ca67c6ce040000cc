extension ErrandError {
    /// Returns the error of a setting that means nothing, such as `limits.total is 0: it has to be at least 1`.
    ///
    /// - Parameters:
    ///   - name: Its name, as it is set.
    ///   - value: Its value.
    ///   - isPossible: Whether that is one.
    ///   - rule: What it has to be.
    /// - Returns: The error; `nil` where it is possible.
    package static func setting<Value>(
        _ name: @autoclosure () -> String, _ value: Value, isPossible: Bool, _ rule: @autoclosure () -> String
    ) -> ErrandError? {
        guard !isPossible else { return nil }
        return ErrandError(.invalidConfiguration, "\(name()) is \(value): it has to be \(rule())")
    }
}
