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

    private var values: [Key: Value] = [:]
    private var limit = 64

    var all: [Key: Value] { self.values }

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
        if let index = self.values.index(forKey: key) { return change(&self.values.values[index]) }
        if self.values.count >= self.limit { self.forget(isDone) }
        var value = make()
        defer { self.values[key] = value }
        return change(&value)
    }

    /// Looks through all of them only after they have doubled, so that this costs little for each.
    private mutating func forget(_ isDone: (inout Value) -> Bool) {
        for key in Array(self.values.keys) {
            guard let index = self.values.index(forKey: key), isDone(&self.values.values[index]) else { continue }
            self.values.remove(at: index)
        }
        self.limit = max(64, 2 * self.values.count)
    }
}
