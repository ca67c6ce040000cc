/// A counter.
///
/// The results are optional, so that an addition without a result returns `nil`. Additions overflow silently.
public struct CounterModel: LinearizableModel {
    /// The operations of a counter.
    public enum Operation: Sendable, Hashable {
        /// Reads the counter; the result is the value.
        case read
        /// Adds a number; the result is `nil`.
        case add(Int)
        /// Adds a number; the result is the value after the addition.
        case addAndRead(Int)
        /// Adds a number; the result is the value before the addition, for example a ticket.
        case readAndAdd(Int)
    }

    /// The value before the first addition.
    public let initialState: Int

    /// Creates the model of a counter that starts at a value.
    public init(initialValue: Int = 0) {
        self.initialState = initialValue
    }

    /// Performs an operation on a value.
    public func step(_ operation: Operation, on state: inout Int) -> Int? {
        let before = state
        switch operation {
        case .read: return before
        case .add(let number):
            state &+= number
            return nil
        case .addAndRead(let number):
            state &+= number
            return state
        case .readAndAdd(let number):
            state &+= number
            return before
        }
    }
}
