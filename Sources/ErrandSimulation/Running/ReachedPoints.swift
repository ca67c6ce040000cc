internal import ErrandLocks

/// The points that a run has reached.
final class ReachedPoints: Sendable {
    private let state = Locked<Set<String>>(unobserved: [])

    /// The names of the points.
    var names: Set<String> { self.state.withLock { $0 } }

    /// Adds a point.
    func insert(_ name: String) {
        self.state.withLock { _ = $0.insert(name) }
    }
}
