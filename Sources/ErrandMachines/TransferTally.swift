/// The combined byte counts and rate of several transfers.
///
/// Counting begins when the first transfer starts; transfers that have ended stay in the sums until all have ended.
/// Every event takes constant time, whatever the number of transfers.
package struct TransferTally<Key: Hashable & Sendable>: ~Copyable, Sendable {
    /// Bytes in one direction.
    package struct Bytes: Sendable, Equatable {
        package var count: Int64 = 0
        /// The expected number of bytes, if known.
        package var total: Int64?

        /// Accepts any number, as servers may send any.
        package init(count: Int64 = 0, total: Int64? = nil) {
            self.count = Self.bounded(count)
            self.total = total.map(Self.bounded)
        }

        private static func bounded(_ number: Int64) -> Int64 { min(max(0, number), 1 << 48) }
    }

    package enum Direction: Sendable, CaseIterable {
        case sent, received
    }

    private struct Transfer {
        var sent = Bytes()
        var received = Bytes()
        /// The number of bytes of the response body that a resumed download had before.
        var base: Int64 = 0
        var hasReceived = false
    }

    /// A sum of bytes whose total may be partly unknown.
    private struct Sum {
        var count: Int64 = 0
        var total: Int64 = 0
        /// The number of transfers without a known total.
        var unknown = 0

        mutating func add(_ bytes: Bytes, _ sign: Int64) {
            self.count &+= sign &* bytes.count
            self.total &+= sign &* max(bytes.total ?? 0, bytes.count)
            if bytes.total == nil { self.unknown += Int(sign) }
        }
    }

    /// The number of seconds in which the rate follows a change by half.
    private let smoothing: Double
    /// Indicates whether counting starts over when a transfer begins after all have ended.
    private let countsAnew: Bool
    /// The number of expected transfers that have not begun, if known.
    private var missing: Int
    private var transfers: [Key: Transfer] = [:]
    private var sent = Sum()
    private var received = Sum()
    /// The last measured rate and the time of its measurement.
    private var lastRate: Double?
    private var measuredAt: Duration = .zero
    /// The start of the measurement.
    private var beganAt: Duration = .zero
    /// Bytes transferred since the last measurement.
    private var unmeasured: Int64 = 0

    /// The minimum time in seconds for measuring a rate.
    private static var shortest: Double { 0.05 }

    package init(smoothing: Duration = .seconds(3), expecting count: Int? = nil) {
        self.smoothing = smoothing / .seconds(1)
        self.countsAnew = count == nil
        self.missing = count ?? 0
    }

    /// True if no transfer is in progress.
    package var isIdle: Bool { self.transfers.isEmpty }

    // MARK: - Events

    /// A transfer begins or restarts.
    ///
    /// The bytes it has received count until the next response.
    package mutating func began(_ key: Key, sending total: Int64?, at now: Duration) {
        if self.transfers.isEmpty {
            if self.countsAnew { (self.sent, self.received) = (Sum(), Sum()) }
            (self.lastRate, self.measuredAt, self.beganAt, self.unmeasured) = (nil, now, now, 0)
        }
        if self.transfers[key] == nil { self.missing = max(0, self.missing - 1) }
        var transfer = self.transfers[key] ?? Transfer()
        transfer.sent = Bytes(total: total)
        self.change(key, to: transfer)
    }

    /// The response head of a transfer arrived.
    ///
    /// Has no effect for a transfer that is not in progress.
    ///
    /// - Parameters:
    ///   - key: The transfer.
    ///   - total: The expected number of body bytes, including those received before.
    ///   - base: The number of bytes received before.
    ///   - whole: The size of the complete body if the response is a part of it. The bytes received so far then keep
    ///     counting.
    package mutating func answered(_ key: Key, receiving total: Int64?, after base: Int64, of whole: Int64? = nil) {
        guard var transfer = self.transfers[key] else { return }
        if let whole, transfer.hasReceived, transfer.received.total == Bytes(total: whole).total { return }
        transfer.received = Bytes(count: 0, total: total)
        (transfer.base, transfer.hasReceived) = (Bytes(count: base).count, false)
        self.change(key, to: transfer)
    }

    /// A transfer has moved the given number of bytes in all.
    ///
    /// Has no effect for a transfer that is not in progress.
    package mutating func moved(_ key: Key, _ direction: Direction, _ bytes: Bytes, at now: Duration) {
        guard var transfer = self.transfers[key] else { return }
        let before: Int64
        switch direction {
        case .sent:
            before = transfer.sent.count
            transfer.sent = bytes
        case .received:
            // Bytes from before the resumption do not count toward the rate.
            before = !transfer.hasReceived && bytes.count >= transfer.base ? transfer.base : transfer.received.count
            (transfer.received, transfer.hasReceived) = (bytes, true)
        }
        self.change(key, to: transfer)
        self.unmeasured &+= max(0, bytes.count - before)
        guard self.seconds(until: now) >= Self.shortest else { return }
        (self.lastRate, self.measuredAt, self.unmeasured) = (self.rate(at: now), now, 0)
    }

    /// A transfer ended, whatever its outcome; its byte counts are final.
    ///
    /// A transfer that never began, such as one served from a cache, is no longer expected.
    package mutating func ended(_ key: Key) {
        guard let transfer = self.transfers[key] else {
            self.missing = max(0, self.missing - 1)
            return
        }
        var last = transfer
        last.sent.total = transfer.sent.count
        last.received.total = transfer.received.count
        self.change(key, to: last)
        self.transfers[key] = nil
    }

    private mutating func change(_ key: Key, to transfer: Transfer) {
        if let last = self.transfers.updateValue(transfer, forKey: key) {
            self.sent.add(last.sent, -1)
            self.received.add(last.received, -1)
        }
        self.sent.add(transfer.sent, 1)
        self.received.add(transfer.received, 1)
    }

    // MARK: - Reading

    /// The sum in one direction.
    ///
    /// Its total is known if it is known for all transfers.
    package func sum(_ direction: Direction) -> Bytes {
        let sum = direction == .sent ? self.sent : self.received
        return Bytes(count: sum.count, total: sum.unknown + self.missing == 0 ? sum.total : nil)
    }

    /// The rate in bytes per second in both directions; `nil` until it can be measured, and if no transfer is in
    /// progress.
    package func rate(at now: Duration) -> Double? {
        guard !self.isIdle else { return nil }
        let seconds = self.seconds(until: now)
        guard seconds >= Self.shortest else { return self.lastRate }
        let current = Double(self.unmeasured) / seconds
        // The weight of the current rate grows with its time span, up to 1. At first the rate is the average since the
        // start, as the first moments say little.
        let past = min(self.smoothing, (self.measuredAt - self.beganAt) / .seconds(1))
        return self.lastRate.map { $0 + seconds / (seconds + past) * (current - $0) } ?? current
    }

    /// The number of seconds left at the given rate; `nil` if it cannot be estimated.
    package func secondsLeft(at rate: Double?) -> Double? {
        guard let rate, rate > 0 else { return nil }
        var left = 0.0
        for direction in Direction.allCases {
            let sum = self.sum(direction)
            guard let total = sum.total else { return nil }
            left += Double(max(0, total - sum.count))
        }
        return left / rate
    }

    private func seconds(until now: Duration) -> Double { (now - self.measuredAt) / .seconds(1) }
}
