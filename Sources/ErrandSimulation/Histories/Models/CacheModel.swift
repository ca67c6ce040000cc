/// A cache that may drop any entry at any time; each key is checked separately.
///
/// A lookup may always miss, but a value that it finds must be the latest one, never one that was replaced or removed
/// before. A dropped entry that comes back is not detected.
public struct CacheModel<Key: Hashable & Sendable, Value: Hashable & Sendable>: LinearizableModel {
    /// The operations of a cache.
    public enum Operation: Sendable, Hashable {
        /// Looks up a key; the result is its value, or `nil` for a miss.
        case get(Key)
        /// Stores a value; the result is `nil`.
        case set(Key, Value)
        /// Removes a key's value; the result is `nil`.
        case remove(Key)
    }

    /// The values before the first operation.
    public let initialState: [Key: Value]

    /// Creates the model of a cache with some values in it.
    public init(initialValues: [Key: Value] = [:]) {
        self.initialState = initialValues
    }

    /// Performs an operation on the values, without dropping any.
    public func step(_ operation: Operation, on state: inout [Key: Value]) -> Value? {
        switch operation {
        case .get(let key): return state[key]
        case .set(let key, let value): state[key] = value
        case .remove(let key): state[key] = nil
        }
        return nil
    }

    /// Returns whether the results are equal, or the result is a miss.
    public func accepts(_ result: Value?, expecting expected: Value?, of operation: Operation) -> Bool {
        result == nil || result == expected
    }

    /// Returns the key.
    public func part(of operation: Operation) -> AnyHashable? {
        switch operation {
        case .get(let key), .set(let key, _), .remove(let key): AnyHashable(key)
        }
    }
}
