internal import Errand

/// A sequence of snapshots at regular intervals; see ``MetricsAccessory/snapshots(every:)``.
public struct MetricsSnapshots: AsyncSequence, Sendable {
    /// Never: the sequence does not throw.
    public typealias Failure = Never

    private let accessory: MetricsAccessory
    private let timebase: Timebase
    private let interval: Duration

    init(_ accessory: MetricsAccessory, _ timebase: Timebase, every interval: Duration) {
        self.accessory = accessory
        self.timebase = timebase
        self.interval = interval
    }

    /// Creates an iterator, whose first interval begins now.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: self, due: self.timebase.now)
    }

    /// An iterator over snapshots.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: MetricsSnapshots
        /// The time at which the last snapshot was due.
        fileprivate var due: Duration
        private var isOver = false

        fileprivate init(source: MetricsSnapshots, due: Duration) {
            self.source = source
            self.due = due
        }

        /// Returns the next snapshot when it is due, or `nil` when the task is cancelled.
        public mutating func next() async -> MetricsSnapshot? {
            guard !self.isOver else { return nil }
            let timebase = self.source.timebase
            self.due = Swift.max(self.due + self.source.interval, timebase.now)
            do {
                // Certain to be woken: by the clock, or by cancellation.
                try await timebase.sleep(until: self.due)
                try Task.checkCancellation()
            } catch {
                self.isOver = true
                return nil
            }
            return await self.source.accessory.snapshot()
        }

        /// Returns the next snapshot when it is due, or `nil` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> MetricsSnapshot? {
            await self.next()
        }
    }
}
