/// A register: a variable that is read and written.
///
/// The results are optional, so that a write, which has no result, returns `nil`.
public struct RegisterModel<Value: Hashable & Sendable>: LinearizableModel {
    /// The operations of a register.
    public enum Operation: Sendable, Hashable {
        /// Reads the register; the result is the value.
        case read
        /// Writes a value; the result is `nil`.
        case write(Value)
        /// Writes a value if the current one equals the expected one; the result is the value before.
        case compareAndSwap(expected: Value, desired: Value)
    }

    /// The value before the first write.
    public let initialState: Value

    /// Creates the model of a register that holds a value.
    public init(initialValue: Value) {
        self.initialState = initialValue
    }

    /// Performs an operation on a value.
    public func step(_ operation: Operation, on state: inout Value) -> Value? {
        let before = state
        switch operation {
        case .read: return before
        case .write(let value):
            state = value
            return nil
        case .compareAndSwap(let expected, let desired):
            if before == expected { state = desired }
            return before
        }
    }
}
