/// Adds up the bytes of several transfers, and how fast they come.
///
/// It counts from the moment at which nothing was under way: what has ended stays in the sums until all has.
package struct TransferTally<Key: Hashable & Sendable>: ~Copyable, Sendable {
    /// Bytes in one direction.
    package struct Bytes: Sendable, Equatable {
        package var count: Int64 = 0
        /// How many there will be, where that is known.
        package var total: Int64?

        package init(count: Int64 = 0, total: Int64? = nil) {
            self.count = count
            self.total = total
        }
    }

    package enum Direction: Sendable, CaseIterable {
        case sent, received
    }

    private struct Transfer {
        var sent = Bytes()
        var received = Bytes()
        /// Whether its response has begun, so that it is known whether there are bytes to come.
        var isAnswered = false
        /// Whether some of its response has been counted.
        var hasReceived = false
    }

    /// In how many seconds the rate follows a change by two thirds.
    private let smoothing: Double
    private var transfers: [Key: Transfer] = [:]
    /// What those have brought that have ended.
    private var ended = (sent: Int64(0), received: Int64(0))
    private var measuredAt: Duration?
    /// Bytes that came since the rate was last measured.
    private var unmeasured: Int64 = 0
    /// Bytes a second in both directions; `nil` until it can be told.
    package private(set) var rate: Double?

    package init(smoothing: Duration = .seconds(3)) {
        self.smoothing = smoothing / .seconds(1)
    }

    /// Whether nothing is under way.
    package var isIdle: Bool { self.transfers.isEmpty }

    // MARK: - Events

    /// A transfer begins, or begins anew.
    package mutating func began(_ key: Key, sending total: Int64?, at now: Duration) {
        if self.transfers.isEmpty {
            (self.ended, self.measuredAt, self.unmeasured, self.rate) = ((0, 0), now, 0, nil)
        }
        self.transfers[key] = Transfer(sent: Bytes(total: total))
    }

    /// So many bytes of a transfer have come in all; does nothing for one that is not under way.
    package mutating func moved(_ key: Key, _ direction: Direction, _ bytes: Bytes, at now: Duration) {
        guard var transfer = self.transfers[key] else { return }
        let before: Int64
        switch direction {
        case .sent:
            before = transfer.sent.count
            transfer.sent = Bytes(count: bytes.count, total: bytes.total ?? transfer.sent.total)
        case .received:
            // What was there before this transfer, of a download that is resumed, is no speed of it.
            before = transfer.hasReceived ? transfer.received.count : bytes.count
            transfer.received = bytes
            (transfer.isAnswered, transfer.hasReceived) = (true, true)
        }
        self.transfers[key] = transfer
        self.unmeasured = self.unmeasured.adding(max(0, bytes.count.subtracting(before)))
        self.measure(at: now)
    }

    /// The head of the response to a transfer is there.
    package mutating func answered(_ key: Key, receiving total: Int64?) {
        guard self.transfers[key] != nil else { return }
        self.transfers[key]?.isAnswered = true
        self.transfers[key]?.received.total = total
    }

    /// A transfer is over, in whatever way.
    package mutating func ended(_ key: Key) {
        guard let transfer = self.transfers.removeValue(forKey: key) else { return }
        self.ended.sent = self.ended.sent.adding(transfer.sent.count)
        self.ended.received = self.ended.received.adding(transfer.received.count)
    }

    // MARK: - Looking

    /// The sum in one direction; the total is known when it is known of all that is under way.
    package func sum(_ direction: Direction) -> Bytes {
        var sum = Bytes(count: 0, total: 0)
        for transfer in self.transfers.values {
            let bytes = direction == .sent ? transfer.sent : transfer.received
            sum.count = sum.count.adding(bytes.count)
            guard let total = bytes.total, direction == .sent || transfer.isAnswered else {
                sum.total = nil
                continue
            }
            sum.total = sum.total.map { $0.adding(max(total, bytes.count)) }
        }
        let ended = direction == .sent ? self.ended.sent : self.ended.received
        return Bytes(count: sum.count.adding(ended), total: sum.total.map { $0.adding(ended) })
    }

    /// How many seconds what is to come will take at this rate; `nil` where one of them is not known.
    package var secondsLeft: Double? {
        guard let rate, rate > 0 else { return nil }
        var left = 0.0
        for direction in Direction.allCases {
            let sum = self.sum(direction)
            guard let total = sum.total else { return nil }
            left += Double(max(0, total.subtracting(sum.count)))
        }
        return left / rate
    }

    private mutating func measure(at now: Duration) {
        guard let measuredAt else { return }
        let seconds = (now - measuredAt) / .seconds(1)
        // A moment is too short to say how fast something is.
        guard seconds >= 0.05 else { return }
        let current = Double(self.unmeasured) / seconds
        // The share of what is new grows with the time that it is about, up to all of it.
        let share = seconds / (seconds + self.smoothing)
        self.rate = self.rate.map { $0 + share * (current - $0) } ?? current
        (self.measuredAt, self.unmeasured) = (now, 0)
    }
}

extension Int64 {
    /// The sum, or the largest number where it would be larger: a server may name any.
    fileprivate func adding(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = self.addingReportingOverflow(other)
        return isTooLarge ? (other > 0 ? .max : .min) : sum
    }

    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isTooLarge) = self.subtractingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .max : .min) : difference
    }
}
