/// Adds up the bytes of several transfers, and how fast they come.
///
/// It counts from the moment at which nothing was under way: what has ended stays in the sums until all has. Every event
/// takes the same time, whatever the number of transfers.
package struct TransferTally<Key: Hashable & Sendable>: ~Copyable, Sendable {
    /// Bytes in one direction.
    package struct Bytes: Sendable, Equatable {
        package var count: Int64 = 0
        /// How many there will be, where that is known.
        package var total: Int64?

        /// Takes what a server may have named: any number.
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
        /// How many bytes of the response were there before, of a download that is resumed.
        var base: Int64 = 0
        var hasReceived = false
    }

    /// The sum of bytes, as far as it is known.
    private struct Sum {
        var count: Int64 = 0
        var total: Int64 = 0
        /// How many transfers have not told how many bytes they will have.
        var unknown = 0

        mutating func add(_ bytes: Bytes, _ sign: Int64) {
            self.count &+= sign &* bytes.count
            self.total &+= sign &* max(bytes.total ?? 0, bytes.count)
            if bytes.total == nil { self.unknown += Int(sign) }
        }
    }

    /// In how many seconds the rate follows a change by half.
    private let smoothing: Double
    /// Whether it counts anew when something begins after all has ended.
    private let countsAnew: Bool
    /// How many transfers there will be besides those that have begun, where that is known.
    private var missing: Int
    private var transfers: [Key: Transfer] = [:]
    private var sent = Sum()
    private var received = Sum()
    /// The rate as it was last measured, and when that was.
    private var lastRate: Double?
    private var measuredAt: Duration = .zero
    /// Since when it is measured.
    private var beganAt: Duration = .zero
    /// Bytes that came since then.
    private var unmeasured: Int64 = 0

    /// A moment is too short to say how fast something is.
    private static var shortest: Double { 0.05 }

    package init(smoothing: Duration = .seconds(3), expecting count: Int? = nil) {
        self.smoothing = smoothing / .seconds(1)
        self.countsAnew = count == nil
        self.missing = count ?? 0
    }

    /// Whether nothing is under way.
    package var isIdle: Bool { self.transfers.isEmpty }

    // MARK: - Events

    /// A transfer begins, or begins anew; what it has received counts until there is another response.
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

    /// The head of the response to a transfer is there; does nothing for one that is not under way.
    ///
    /// - Parameters:
    ///   - key: The transfer.
    ///   - total: How many bytes its body will have, with those that were there before.
    ///   - base: How many were there before.
    ///   - whole: How many bytes the body has of which the response is a part; then what has come of that counts.
    package mutating func answered(_ key: Key, receiving total: Int64?, after base: Int64, of whole: Int64? = nil) {
        guard var transfer = self.transfers[key] else { return }
        if let whole, transfer.hasReceived, transfer.received.total == Bytes(total: whole).total { return }
        transfer.received = Bytes(count: 0, total: total)
        (transfer.base, transfer.hasReceived) = (Bytes(count: base).count, false)
        self.change(key, to: transfer)
    }

    /// So many bytes of a transfer have come in all; does nothing for one that is not under way.
    package mutating func moved(_ key: Key, _ direction: Direction, _ bytes: Bytes, at now: Duration) {
        guard var transfer = self.transfers[key] else { return }
        let before: Int64
        switch direction {
        case .sent:
            before = transfer.sent.count
            transfer.sent = bytes
        case .received:
            // What was there before is no speed of it.
            before = !transfer.hasReceived && bytes.count >= transfer.base ? transfer.base : transfer.received.count
            (transfer.received, transfer.hasReceived) = (bytes, true)
        }
        self.change(key, to: transfer)
        self.unmeasured &+= max(0, bytes.count - before)
        guard self.seconds(until: now) >= Self.shortest else { return }
        (self.lastRate, self.measuredAt, self.unmeasured) = (self.rate(at: now), now, 0)
    }

    /// A transfer is over, in whatever way: what it has brought is all that it will bring.
    ///
    /// One that never began, such as where a cache answers, is waited for no more.
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

    // MARK: - Looking

    /// The sum in one direction; the total is known when it is known of all that is under way.
    package func sum(_ direction: Direction) -> Bytes {
        let sum = direction == .sent ? self.sent : self.received
        return Bytes(count: sum.count, total: sum.unknown + self.missing == 0 ? sum.total : nil)
    }

    /// Bytes a second in both directions; `nil` until that can be told, and where nothing is under way.
    package func rate(at now: Duration) -> Double? {
        guard !self.isIdle else { return nil }
        let seconds = self.seconds(until: now)
        guard seconds >= Self.shortest else { return self.lastRate }
        let current = Double(self.unmeasured) / seconds
        // The share of what is new grows with the time that it is about, up to all of it. At first the rate is that of all
        // the time: what comes in the first moment says little.
        let past = min(self.smoothing, (self.measuredAt - self.beganAt) / .seconds(1))
        return self.lastRate.map { $0 + seconds / (seconds + past) * (current - $0) } ?? current
    }

    /// How many seconds what is to come will take at a rate; `nil` where that cannot be told.
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
