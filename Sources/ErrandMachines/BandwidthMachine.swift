/// Shares so many bytes a second among transfers, each in its turn.
///
/// A transfer asks for one piece at a time. It gets it at once while there is something left and nobody waits; else it
/// waits behind the others, so that all who want more than there is get equally many pieces. A piece may be larger than
/// what is left: the next one waits until that is made up for.
package struct BandwidthMachine: ~Copyable, Sendable {
    /// A piece that is waited for.
    package struct Piece: Sendable, Equatable {
        package let key: UInt64
        package let count: Int

        package init(key: UInt64, count: Int) {
            self.key = key
            self.count = count
        }
    }

    private let rate: Double
    private var left: Double
    private var measuredAt: Duration?
    private var queue: [Piece] = []

    /// What is not used is kept for so many seconds: timers ring late, and that must not make transfers slower.
    private static let burst = 0.1

    /// - Parameter bytesPerSecond: At least 1.
    package init(bytesPerSecond: Int) {
        self.rate = Double(max(1, bytesPerSecond))
        self.left = self.rate * Self.burst
    }

    /// How many wait.
    package var waitingCount: Int { self.queue.count }

    /// Asks for a piece; returns false where it has to be waited for.
    package mutating func ask(_ piece: Piece, at now: Duration) -> Bool {
        self.refill(at: now)
        guard self.queue.isEmpty, self.left > 0 else {
            self.queue.append(piece)
            return false
        }
        self.left -= Double(piece.count)
        return true
    }

    /// The next piece in turn, if it can move now.
    package mutating func next(at now: Duration) -> Piece? {
        self.refill(at: now)
        guard self.left > 0, !self.queue.isEmpty else { return nil }
        let piece = self.queue.removeFirst()
        self.left -= Double(piece.count)
        return piece
    }

    /// Someone waits no more.
    package mutating func leave(_ key: UInt64, unused: Int = 0) {
        self.left += Double(unused)
        self.queue.removeAll { $0.key == key }
    }

    /// When the next piece can move; `nil` while nobody waits.
    package var due: Duration? {
        guard !self.queue.isEmpty, let measuredAt else { return nil }
        // A moment later than at nothing: there has to be something then, whatever is rounded.
        return measuredAt + .seconds(max(0, -self.left) / self.rate) + .milliseconds(1)
    }

    private mutating func refill(at now: Duration) {
        defer { self.measuredAt = now }
        guard let measuredAt, now > measuredAt else { return }
        self.left = min(self.rate * Self.burst, self.left + self.rate * ((now - measuredAt) / .seconds(1)))
    }
}
