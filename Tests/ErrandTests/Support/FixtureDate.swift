internal import Errand
internal import ErrandLocks
internal import Foundation

/// A wall clock that a test moves, forwards and back.
final class FixtureDate: Sendable {
    private let state = Locked(Date(timeIntervalSinceReferenceDate: 0))

    var now: Date { self.state.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        self.state.withLock { $0 += seconds }
    }
}
