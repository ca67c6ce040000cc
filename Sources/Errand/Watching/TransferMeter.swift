internal import ErrandLocks
internal import ErrandMachines

/// Measures the progress, rate and remaining time of transfers, for display.
///
/// ```swift
/// let meter = TransferMeter()
/// let client = Client(baseURL: "https://api.example.com/") { $0.accessories = [meter] }
/// for await reading in meter.readings { label.text = "\(reading.received.bytes) bytes" }
/// ```
///
/// Add it to a client to measure all of its requests, or to the options of one request. Sums start when the first
/// transfer begins, and include finished transfers until all have ended. Cached responses do not count. All members can
/// be used from any thread.
public final class TransferMeter: Accessory {
    /// The values of a meter at one moment.
    public struct Reading: Sendable, Hashable {
        /// The bytes of request bodies; with a total if all are known.
        public let sent: TransferProgress
        /// The bytes of response bodies; with a total if all are known.
        ///
        /// A resumed download includes the bytes received before.
        public let received: TransferProgress
        /// The bytes per second in both directions, smoothed over some seconds; `nil` until it is known.
        public let bytesPerSecond: Double?
        /// The estimated remaining time at this rate; `nil` while the totals or the rate are unknown.
        public let timeLeft: Duration?

        /// The fraction of all bytes that has been transferred, from 0 to 1; `nil` while the totals are unknown.
        public var fractionCompleted: Double? {
            guard let toSend = self.sent.total, let toReceive = self.received.total else { return nil }
            let total = Double(toSend) + Double(toReceive)
            return total > 0 ? min(1, (Double(self.sent.bytes) + Double(self.received.bytes)) / total) : nil
        }
    }

    private struct State: ~Copyable {
        var tally: TransferTally<RequestID>
        var shownAt: Duration?
        /// Set once no more readings follow.
        var isOver = false
    }

    private let interval: Duration
    private let timebase: Timebase
    private let state: Locked<State>
    private let readers = StreamReaders<AsyncStream<Reading>.Continuation>()

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two readings while bytes are transferred.
    ///   - clock: Measures the time; pass the client's clock if it has its own.
    public init(
        every interval: Duration = .milliseconds(100), clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.interval = interval
        self.timebase = Timebase(clock)
        self.state = Locked(State(tally: TransferTally()))
    }

    /// Creates a meter for a number of requests, which counts from the start of the first to the end of the last.
    package init(of count: Int, timebase: Timebase) {
        self.interval = .milliseconds(100)
        self.timebase = timebase
        self.state = Locked(State(tally: TransferTally(expecting: count)))
    }

    deinit {
        for reader in self.readers.removeAll() { reader.finish() }
    }

    // MARK: - Looking

    /// The current reading.
    public var reading: Reading {
        let now = self.timebase.now
        return self.state.withLock { Self.reading(of: $0.tally, at: now) }
    }

    /// The readings: now, then as bytes are transferred and transfers end, and when the last one has ended.
    ///
    /// There are no readings while no bytes are transferred; use ``reading`` then. A slow reader gets the latest
    /// reading. The stream ends when this object is deallocated.
    public var readings: AsyncStream<Reading> {
        let now = self.timebase.now
        let (stream, continuation) = AsyncStream.makeStream(of: Reading.self, bufferingPolicy: .bufferingNewest(1))
        // Under the lock, so that no change intervenes.
        let leave = self.state.withLock { state -> (@Sendable () -> Void)? in
            continuation.yield(Self.reading(of: state.tally, at: now))
            return state.isOver ? nil : self.readers.add(continuation)
        }
        if let leave { continuation.onTermination = { _ in leave() } } else { continuation.finish() }
        return stream
    }

    /// Delivers the last reading, and ends all streams.
    func finish() {
        let now = self.timebase.now
        // No reading follows after this.
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

    /// Counts the bytes that a request sends and receives.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        let id = activity.id
        switch event {
        case .attemptStarted:
            // The length of a stream may be unknown; without a body there are no bytes to send.
            let total = (try? activity.request?.body.length()) ?? nil
            self.change { $0.began(id, sending: total, at: $1) }
        case .responseHead(let head):
            // A resumed download receives only the rest, but its progress covers the whole body.
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

    /// Records the end of a request.
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
            // Under the lock, so that the last reading is the current one; yielding wakes the reader without calling
            // user code.
            let reading = Self.reading(of: state.tally, at: now)
            for reader in readers { reader.yield(reading) }
        }
    }
}
