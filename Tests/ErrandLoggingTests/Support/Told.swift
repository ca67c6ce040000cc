internal import ErrandLocks

/// What was told, in order.
final class Told: Sendable {
    private let state = Locked<[String]>([])

    var words: [String] { self.state.withLock { $0 } }

    func add(_ word: String) {
        self.state.withLock { $0.append(word) }
    }
}
