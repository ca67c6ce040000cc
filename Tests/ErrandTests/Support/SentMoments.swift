internal import ErrandLocks

/// When something was sent.
final class SentMoments: Sendable {
    private let moments = Locked<[Duration]>([])

    var all: [Duration] { self.moments.withLock { $0 } }

    func note(_ moment: Duration) { self.moments.withLock { $0.append(moment) } }
}
