/// A bounded table of values for each scheme, host, and port.
struct OriginTable<Value> {
    /// A scheme, host, and port, without the cost of a combined string.
    struct Key: Hashable {
        let authority: String
        let isSecure: Bool

        init(_ url: HTTPURL) {
            self.authority = url.authority
            self.isSecure = url.isSecure
        }
    }

    private var keys: [Key] = []
    /// Separate from the keys, so that comparing keys copies no values.
    private var values: [Value] = []
    private var positions: [Key: Int] = [:]
    /// The index of the last accessed entry, which usually is accessed next.
    private var last = 0
    private var limit = 64

    var all: [Key: Value] { self.positions.mapValues { self.values[$0] } }

    subscript(url: HTTPURL) -> Value? { self.positions[Key(url)].map { self.values[$0] } }

    /// Changes the value for a URL, creating it if there is none.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - make: Creates a new value.
    ///   - isDone: Returns true if a value may be discarded. Called for all values once there are many.
    ///   - change: The change.
    /// - Returns: The result of the change.
    mutating func change<Result>(
        _ url: HTTPURL, making make: @autoclosure () -> Value, forgetting isDone: (inout Value) -> Bool,
        _ change: (inout Value) -> Result
    ) -> Result {
        let key = Key(url)
        if self.last >= self.keys.count || self.keys[self.last] != key {
            self.last = self.positions[key] ?? self.insert(make(), for: key, forgetting: isDone)
        }
        return change(&self.values[self.last])
    }

    /// - Returns: The index of the value.
    private mutating func insert(
        _ value: Value, for key: Key, forgetting isDone: (inout Value) -> Bool
    ) -> Int {
        if self.values.count >= self.limit { self.forget(isDone) }
        return self.append(value, for: key)
    }

    private mutating func append(_ value: Value, for key: Key) -> Int {
        self.positions[key] = self.values.count
        self.keys.append(key)
        self.values.append(value)
        return self.values.count - 1
    }

    /// Checks all values only after their number has doubled, for a small amortized cost.
    private mutating func forget(_ isDone: (inout Value) -> Bool) {
        let all = zip(self.keys, self.values)
        (self.keys, self.values, self.positions) = ([], [], [:])
        for (key, value) in all {
            var value = value
            if !isDone(&value) { _ = self.append(value, for: key) }
        }
        self.limit = max(64, 2 * self.values.count)
    }
}
