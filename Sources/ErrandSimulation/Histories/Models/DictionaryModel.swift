/// A dictionary, or a cache that forgets nothing by itself; each key is checked by itself.
///
/// The results are optional so that an operation that returns nothing has one: `nil`.
public struct DictionaryModel<Key: Hashable & Sendable, Value: Hashable & Sendable>: LinearizableModel {
    /// What is asked of a dictionary.
    public enum Operation: Sendable, Hashable {
        /// Looks a key up; the result is its value, or `nil` if it has none.
        case get(Key)
        /// Gives a key a value; the result is `nil`.
        case set(Key, Value)
        /// Gives a key a value if it has none; the result is the value that it had, or `nil`.
        case setIfAbsent(Key, Value)
        /// Removes a key's value; the result is the value that it had, or `nil`.
        case remove(Key)
    }

    /// The values before the first operation.
    public let initialState: [Key: Value]

    /// Creates the model of a dictionary with some values in it.
    public init(initialValues: [Key: Value] = [:]) {
        self.initialState = initialValues
    }

    /// Makes an operation on the values.
    public func step(_ operation: Operation, on state: inout [Key: Value]) -> Value? {
        switch operation {
        case .get(let key): return state[key]
        case .set(let key, let value):
            state[key] = value
            return nil
        case .setIfAbsent(let key, let value):
            let before = state[key]
            if before == nil { state[key] = value }
            return before
        case .remove(let key): return state.removeValue(forKey: key)
        }
    }

    /// Returns the key.
    public func part(of operation: Operation) -> AnyHashable? {
        switch operation {
        case .get(let key), .set(let key, _), .setIfAbsent(let key, _), .remove(let key): AnyHashable(key)
        }
    }
}
