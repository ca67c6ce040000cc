/// Shares a rate in bytes per second among transfers, round robin.
///
/// A transfer asks for one piece at a time. The piece is granted at once if bytes are left and no transfer is waiting.
/// Otherwise the transfer waits behind the others, so that all transfers get equally many pieces if the rate is too low
/// for all. A piece may be larger than the bytes left; the next one then waits until the debt is paid.
package struct BandwidthMachine: ~Copyable, Sendable {
    /// A piece that a transfer asks for.
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

    /// Unused bytes are kept for this number of seconds, so that timers that fire late do not slow transfers down.
    private static let burst = 0.1

    /// - Parameter bytesPerSecond: The shared rate, at least 1.
    package init(bytesPerSecond: Int) {
        self.rate = Double(max(1, bytesPerSecond))
        self.left = self.rate * Self.burst
    }

    /// The number of waiting pieces.
    package var waitingCount: Int { self.queue.count }

    /// Asks for a piece; returns false if it has to wait.
    package mutating func ask(_ piece: Piece, at now: Duration) -> Bool {
        self.refill(at: now)
        guard self.queue.isEmpty, self.left > 0 else {
            self.queue.append(piece)
            return false
        }
        self.left -= Double(piece.count)
        return true
    }

    /// The next piece in turn if it can move now.
    package mutating func next(at now: Duration) -> Piece? {
        self.refill(at: now)
        guard self.left > 0, !self.queue.isEmpty else { return nil }
        let piece = self.queue.removeFirst()
        self.left -= Double(piece.count)
        return piece
    }

    /// Removes a waiting transfer, and returns bytes that were granted but not used.
    package mutating func leave(_ key: UInt64, unused: Int = 0) {
        self.left += Double(unused)
        self.queue.removeAll { $0.key == key }
    }

    /// The time at which the next piece can move; `nil` if no piece is waiting.
    package var due: Duration? {
        guard !self.queue.isEmpty, let measuredAt else { return nil }
        // Slightly later than the moment of zero: bytes must be left then, whatever the rounding.
        return measuredAt + .seconds(max(0, -self.left) / self.rate) + .milliseconds(1)
    }

    private mutating func refill(at now: Duration) {
        defer { self.measuredAt = now }
        guard let measuredAt, now > measuredAt else { return }
        self.left = min(self.rate * Self.burst, self.left + self.rate * ((now - measuredAt) / .seconds(1)))
    }
}
