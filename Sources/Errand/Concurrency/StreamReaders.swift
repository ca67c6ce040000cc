internal import ErrandLocks

/// The continuations of open streams or waiters with a common source, each until it leaves.
///
/// All members can be used from any thread. No other code is called under its lock.
final class StreamReaders<Continuation: Sendable>: Sendable {
    private struct State {
        var open: [UInt64: Continuation] = [:]
        var lastKey: UInt64 = 0
    }

    private let state = Locked(State())

    /// The number of readers.
    var count: Int { self.state.withLock { $0.open.count } }

    /// All readers, unordered.
    var all: [Continuation] { self.state.withLock { Array($0.open.values) } }

    /// Adds a reader; returns the function to call when it leaves, for example when its stream ends.
    func add(_ continuation: Continuation) -> @Sendable () -> Void {
        let key = self.state.withLock { state in
            state.lastKey += 1
            state.open[state.lastKey] = continuation
            return state.lastKey
        }
        return { [weak self] in
            // Released outside the lock.
            _ = self?.state.withLock { $0.open.removeValue(forKey: key) }
        }
    }

    /// Removes all readers, and returns them.
    func removeAll() -> [Continuation] {
        self.state.withLock { state in
            defer { state.open = [:] }
            return Array(state.open.values)
        }
    }
}
