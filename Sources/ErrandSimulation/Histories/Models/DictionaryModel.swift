/// A dictionary, or a cache that never drops entries; each key is checked separately.
///
/// The results are optional, so that an operation without a result returns `nil`.
public struct DictionaryModel<Key: Hashable & Sendable, Value: Hashable & Sendable>: LinearizableModel {
    /// The operations of a dictionary.
    public enum Operation: Sendable, Hashable {
        /// Looks up a key; the result is its value, or `nil` if it has none.
        case get(Key)
        /// Sets the value of a key; the result is `nil`.
        case set(Key, Value)
        /// Sets the value of a key that has none; the result is the existing value, or `nil`.
        case setIfAbsent(Key, Value)
        /// Removes the value of a key; the result is that value, or `nil` if there was none.
        case remove(Key)
    }

    /// The values before the first operation.
    public let initialState: [Key: Value]

    /// Creates the model of a dictionary with some values in it.
    public init(initialValues: [Key: Value] = [:]) {
        self.initialState = initialValues
    }

    /// Performs an operation on the values.
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
