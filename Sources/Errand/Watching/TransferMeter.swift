internal import ErrandLocks
internal import ErrandMachines

/// Measures how far transfers are, how fast, and how long they will take, for people to look at.
///
/// ```swift
/// let meter = TransferMeter()
/// let client = Client(baseURL: "https://api.example.com/") { $0.accessories = [meter] }
/// for await reading in meter.readings { label.text = "\(reading.received.bytes) bytes" }
/// ```
///
/// Give it to a client for all of its requests, or with the options of one request for that. It counts from the moment at which nothing was in flight: what has ended stays in the sums until everything has. What
/// the cache answers is no transfer. Every member may be called from anywhere.
public final class TransferMeter: Accessory {
    /// What a meter shows at one moment.
    public struct Reading: Sendable, Hashable {
        /// The bytes of request bodies; the total where it is known of all.
        public let sent: TransferProgress
        /// The bytes of response bodies; the total where it is known of all.
        ///
        /// A download that is resumed counts what was there before.
        public let received: TransferProgress
        /// The bytes a second in both directions, smoothed over some seconds; `nil` until it can be told.
        public let bytesPerSecond: Double?
        /// How long what is to come will take at this rate; `nil` as long as the totals or the rate are not known.
        public let timeLeft: Duration?

        /// The part of all bytes that has been transferred, from 0 to 1; `nil` as long as the totals are not known.
        public var fractionCompleted: Double? {
            guard let toSend = self.sent.total, let toReceive = self.received.total else { return nil }
            let total = Double(toSend) + Double(toReceive)
            return total > 0 ? min(1, (Double(self.sent.bytes) + Double(self.received.bytes)) / total) : nil
        }
    }

    private struct State: ~Copyable {
        var tally: TransferTally<RequestID>
        var shownAt: Duration?
        /// Nothing more comes.
        var isOver = false
    }

    private let interval: Duration
    private let timebase: Timebase
    private let state: Locked<State>
    private let readers = StreamReaders<AsyncStream<Reading>.Continuation>()

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - interval: How long at least there is between two readings while bytes come.
    ///   - clock: Measures the time; give the clock of the client, where that has one of its own.
    public init(
        every interval: Duration = .milliseconds(100), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.interval = interval
        self.timebase = Timebase(clock)
        self.state = Locked(State(tally: TransferTally()))
    }

    /// Creates a meter of so many requests, which counts from the beginning of the first to the end of the last.
    package init(of count: Int, timebase: Timebase) {
        self.interval = .milliseconds(100)
        self.timebase = timebase
        self.state = Locked(State(tally: TransferTally(expecting: count)))
    }

    deinit {
        for reader in self.readers.removeAll() { reader.finish() }
    }

    // MARK: - Looking

    /// What it shows now.
    public var reading: Reading {
        let now = self.timebase.now
        return self.state.withLock { Self.reading(of: $0.tally, at: now) }
    }

    /// What it shows: now, then as bytes come and transfers end, and when the last one has.
    ///
    /// While nothing comes there are no readings; look at ``reading`` then. A slow reader gets the latest. The stream ends
    /// with this object.
    public var readings: AsyncStream<Reading> {
        let now = self.timebase.now
        let (stream, continuation) = AsyncStream.makeStream(of: Reading.self, bufferingPolicy: .bufferingNewest(1))
        // Under the lock, so that no change comes in between.
        let leave = self.state.withLock { state -> (@Sendable () -> Void)? in
            continuation.yield(Self.reading(of: state.tally, at: now))
            return state.isOver ? nil : self.readers.add(continuation)
        }
        if let leave { continuation.onTermination = { _ in leave() } } else { continuation.finish() }
        return stream
    }

    /// Shows the last reading, and ends all streams.
    func finish() {
        let now = self.timebase.now
        // Nobody yields to them after this.
        let (reading, readers) = self.state.withLock { state in
            state.isOver = true
            return (Self.reading(of: state.tally, at: now), self.readers.removeAll())
        }
        for reader in readers {
            reader.yield(reading)
            reader.finish()
        }
    }

    private static func reading(of tally: borrowing TransferTally<RequestID>, at now: Duration) -> Reading {
        let (sent, received, rate) = (tally.sum(.sent), tally.sum(.received), tally.rate(at: now))
        return Reading(
            sent: TransferProgress(bytes: sent.count, total: sent.total),
            received: TransferProgress(bytes: received.count, total: received.total), bytesPerSecond: rate,
            timeLeft: tally.secondsLeft(at: rate).map { .seconds(min($0, 1e9)) })
    }

    // MARK: - Accessory

    /// Counts what a request sends and receives.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        let id = activity.id
        switch event {
        case .attemptStarted:
            // A stream need not say how long it is; no body is none to send.
            let total = (try? activity.request?.body.length()) ?? nil
            self.change { $0.began(id, sending: total, at: $1) }
        case .responseHead(let head):
            // Of a download that is resumed the rest comes, and its progress is that of all.
            let range = head.headers[HTTPField.Name.contentRange].flatMap(ContentRange.init)
            let base = range?.first ?? 0
            let length = head.headers[HTTPField.Name.contentLength].flatMap { Int64($0) }
            self.change { tally, _ in
                tally.answered(id, receiving: length.map { base &+ $0 }, after: base, of: range?.total)
            }
        case .sent(let progress): self.change { $0.moved(id, .sent, Self.bytes(progress), at: $1) }
        case .received(let progress):
            self.change { $0.moved(id, .received, Self.bytes(progress), at: $1) }
        default: break
        }
    }

    /// Takes note of a request that is over.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        guard activity.kind == .request else { return }
        self.change { tally, _ in tally.ended(activity.id) }
    }

    private static func bytes(_ progress: TransferProgress) -> TransferTally<RequestID>.Bytes {
        TransferTally.Bytes(count: progress.bytes, total: progress.total)
    }

    private func change(_ body: (inout TransferTally<RequestID>, Duration) -> Void) {
        let now = self.timebase.now
        self.state.withLock { state in
            body(&state.tally, now)
            if !state.tally.isIdle, let shownAt = state.shownAt, now - shownAt < self.interval { return }
            state.shownAt = now
            let readers = self.readers.all
            guard !readers.isEmpty else { return }
            // Under the lock, so that what comes last is what holds; a stream wakes its reader and calls nobody.
            let reading = Self.reading(of: state.tally, at: now)
            for reader in readers { reader.yield(reading) }
        }
    }
}
