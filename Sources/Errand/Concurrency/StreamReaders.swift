internal import ErrandLocks

/// The open streams that show one thing to those who read them, or others who wait for it: each until it leaves.
///
/// Every member may be called from anywhere. Nobody is called under its lock.
final class StreamReaders<Continuation: Sendable>: Sendable {
    private struct State {
        var open: [UInt64: Continuation] = [:]
        var lastKey: UInt64 = 0
    }

    private let state = Locked(State())

    /// How many there are.
    var count: Int { self.state.withLock { $0.open.count } }

    /// All of them, in no order.
    var all: [Continuation] { self.state.withLock { Array($0.open.values) } }

    /// Takes one in; returns what has to be called when it leaves, such as when its stream ends.
    func add(_ continuation: Continuation) -> @Sendable () -> Void {
        let key = self.state.withLock { state in
            state.lastKey += 1
            state.open[state.lastKey] = continuation
            return state.lastKey
        }
        return { [weak self] in
            // Let go of outside of the lock.
            _ = self?.state.withLock { $0.open.removeValue(forKey: key) }
        }
    }

    /// Lets go of all, and returns them.
    func removeAll() -> [Continuation] {
        self.state.withLock { state in
            defer { state.open = [:] }
            return Array(state.open.values)
        }
    }
}
