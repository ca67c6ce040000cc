internal import Errand

/// The figures of a ``MetricsAccessory`` again and again; see ``MetricsAccessory/snapshots(every:)``.
public struct MetricsSnapshots: AsyncSequence, Sendable {
    /// Never: it ends instead.
    public typealias Failure = Never

    private let accessory: MetricsAccessory
    private let timebase: Timebase
    private let interval: Duration

    init(_ accessory: MetricsAccessory, _ timebase: Timebase, every interval: Duration) {
        self.accessory = accessory
        self.timebase = timebase
        self.interval = interval
    }

    /// Begins an interval.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: self, due: self.timebase.now)
    }

    /// Reads snapshots one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: MetricsSnapshots
        /// When the last one was due.
        fileprivate var due: Duration
        private var isOver = false

        fileprivate init(source: MetricsSnapshots, due: Duration) {
            self.source = source
            self.due = due
        }

        /// The next snapshot when it is time, or `nil` when the task is cancelled.
        public mutating func next() async -> MetricsSnapshot? {
            guard !self.isOver else { return nil }
            let timebase = self.source.timebase
            self.due = Swift.max(self.due + self.source.interval, timebase.now)
            do {
                // Certain to be woken: by the clock, or by cancelling the task.
                try await timebase.sleep(until: self.due)
                try Task.checkCancellation()
            } catch {
                self.isOver = true
                return nil
            }
            return await self.source.accessory.snapshot()
        }

        /// The next snapshot when it is time, or `nil` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> MetricsSnapshot? {
            await self.next()
        }
    }
}
