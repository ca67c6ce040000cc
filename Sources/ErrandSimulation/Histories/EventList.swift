/// The calls and returns of the operations that are not placed in the order yet, in the order in which they happened.
///
/// Removing and restoring an operation take constant time; operations must be restored in reverse order of removal.
struct EventList {
    /// The sentinel before the first event and after the last.
    static let end = 0

    private var nexts: [Int]
    private var previous: [Int]
    /// The events of each operation; its return is the sentinel if it has none.
    private let calls: [Int]
    private let returns: [Int]
    /// The operation of each event.
    private let operations: [Int]

    /// Creates a list of all events of a history.
    ///
    /// - Parameter spans: The times at which each operation was called and returned, if it did; all numbers differ.
    init(_ spans: [(called: Int, returned: Int?)]) {
        var events: [(time: Int, operation: Int)] = []
        for (operation, span) in spans.enumerated() {
            events.append((span.called, operation))
            if let returned = span.returned { events.append((returned, operation)) }
        }
        events.sort { $0.time < $1.time }
        var (calls, returns) = ([Int](repeating: Self.end, count: spans.count), [Int]())
        returns = calls
        for (index, event) in events.enumerated() {
            if calls[event.operation] == Self.end {
                calls[event.operation] = index + 1
            } else {
                returns[event.operation] = index + 1
            }
        }
        (self.calls, self.returns) = (calls, returns)
        self.operations = [-1] + events.map(\.operation)
        let count = events.count + 1
        self.nexts = (0..<count).map { ($0 + 1) % count }
        self.previous = (0..<count).map { ($0 + count - 1) % count }
    }

    /// The event after another; after the sentinel, the first event.
    func next(after event: Int) -> Int { self.nexts[event] }

    /// The operation of an event.
    func operation(of event: Int) -> Int { self.operations[event] }

    /// True if an event is the call of its operation.
    func isCall(_ event: Int) -> Bool { self.calls[self.operations[event]] == event }

    /// The call of an operation.
    func call(of operation: Int) -> Int { self.calls[operation] }

    /// Removes an operation's events.
    mutating func remove(_ operation: Int) {
        self.unlink(self.calls[operation])
        if self.returns[operation] != Self.end { self.unlink(self.returns[operation]) }
    }

    /// Restores the events of the operation that was removed last.
    mutating func restore(_ operation: Int) {
        if self.returns[operation] != Self.end { self.link(self.returns[operation]) }
        self.link(self.calls[operation])
    }

    // MARK: - Private helpers

    private mutating func unlink(_ event: Int) {
        self.nexts[self.previous[event]] = self.nexts[event]
        self.previous[self.nexts[event]] = self.previous[event]
    }

    private mutating func link(_ event: Int) {
        self.nexts[self.previous[event]] = event
        self.previous[self.nexts[event]] = event
    }
}
