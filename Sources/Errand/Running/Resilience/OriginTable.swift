/// What is kept for each scheme, host and port; no more than a number of them, however many a client asks.
struct OriginTable<Value> {
    /// A scheme, host and port, without the cost of its text.
    struct Key: Hashable {
        let authority: String
        let isSecure: Bool

        init(_ url: HTTPURL) {
            self.authority = url.authority
            self.isSecure = url.isSecure
        }
    }

    private var keys: [Key] = []
    /// Beside their keys, and not with them: to look at a key copies no value.
    private var values: [Value] = []
    private var positions: [Key: Int] = [:]
    /// Where the one is that was asked for last: most often it is asked for again.
    private var last = 0
    private var limit = 64

    var all: [Key: Value] { self.positions.mapValues { self.values[$0] } }

    subscript(url: HTTPURL) -> Value? { self.positions[Key(url)].map { self.values[$0] } }

    /// Changes what is kept for a URL, beginning with a new value where there is nothing.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - make: Makes a new value.
    ///   - isDone: Whether a value may be forgotten, asked of all once they are many.
    ///   - change: The change.
    /// - Returns: What the change returns.
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

    /// - Returns: Where it is.
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

    /// Looks through all of them only after they have doubled, so that this costs little for each.
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
