extension ErrandError {
    /// Returns the error for an invalid setting, such as `limits.total is 0: it has to be at least 1`.
    ///
    /// - Parameters:
    ///   - name: Its name in the configuration.
    ///   - value: Its value.
    ///   - isPossible: True if the value is valid.
    ///   - rule: The rule for the value.
    /// - Returns: The error; `nil` if the value is valid.
    package static func setting<Value>(
        _ name: @autoclosure () -> String, _ value: Value, isPossible: Bool, _ rule: @autoclosure () -> String
    ) -> ErrandError? {
        guard !isPossible else { return nil }
        return ErrandError(.invalidConfiguration, "\(name()) is \(value): it has to be \(rule())")
    }
}
