/// The error of a scenario whose result is wrong.
package struct InvariantViolation: Error, CustomStringConvertible {
    /// What is wrong.
    package let description: String
}

/// Throws an `InvariantViolation` unless a condition holds.
func require(_ condition: Bool, else description: @autoclosure () -> String) throws(InvariantViolation) {
    guard condition else { throw InvariantViolation(description: description()) }
}
