public import Errand

/// Collects metrics of requests, batches and chains, for Prometheus, OpenTelemetry and other consumers.
///
/// An accessory can be given to one client or to several, whose figures are then combined. For separate figures, use
/// one accessory per client. An activity that has the same accessory twice is counted once.
///
/// Recording never waits for the actor: hooks and events update small structures with locks of their own, on the thread
/// where they happen, and format no text. The actor reads and formats the figures, one reader at a time and off the
/// caller's actor. When a call that sends returns, it has been counted (G3).
///
/// Memory depends on the number of requests in flight and on ``MetricsOptions/labelSetLimit``, not on the number of
/// requests counted.
public actor MetricsAccessory: Accessory {
    /// The options that the accessory was created with.
    public nonisolated let options: MetricsOptions
    private let recorder: MetricsRecorder

    /// Creates an accessory with the default options.
    public init() {
        self.options = MetricsOptions()
        self.recorder = MetricsRecorder(MetricsOptions())
    }

    /// Creates an accessory.
    ///
    /// - Parameter options: The options.
    /// - Throws: `ErrandError` with the code `invalidConfiguration` for invalid options.
    public init(_ options: MetricsOptions) throws(ErrandError) {
        try options.validate()
        self.options = options
        self.recorder = MetricsRecorder(options)
    }

    // MARK: - Reading

    /// Returns the current figures.
    ///
    /// - Complexity: O(*n*) in the number of label sets and of activities in flight.
    public func snapshot() -> MetricsSnapshot {
        self.recorder.snapshot()
    }

    /// Formats the current figures for a scraper.
    ///
    /// - Parameter format: The format that the scraper reads; respond with its ``ExpositionFormat/contentType``.
    /// - Returns: The text.
    /// - Complexity: O(*n*) in the number of label sets, times the buckets.
    public func text(_ format: ExpositionFormat = .openMetrics) -> String {
        self.snapshot().text(format)
    }

    /// Returns a sequence of snapshots at regular intervals.
    ///
    /// The first snapshot comes after one interval. The sequence has no task of its own: it is driven by the task that
    /// iterates over it, and ends when that task is cancelled. If an iteration takes longer than the interval, the next
    /// snapshot follows at once, without a backlog.
    ///
    /// - Parameter interval: The time between two snapshots, on the clock of the options.
    /// - Returns: A sequence over which any number of tasks can iterate independently.
    /// - Throws: `ErrandError` with the code `invalidConfiguration` if the interval is not positive.
    public nonisolated func snapshots(every interval: Duration) throws(ErrandError) -> MetricsSnapshots {
        guard interval > .zero else {
            throw ErrandError(
                .invalidConfiguration,
                "metrics: the interval between snapshots is \(interval), and has to be longer than nothing")
        }
        // Limited, so that adding it up cannot overflow.
        return MetricsSnapshots(self, self.recorder.timebase, every: min(interval, .seconds(1 << 32)))
    }

    // MARK: - Recording

    /// Records the start of an activity.
    public nonisolated func willStart(_ activity: RequestActivity) {
        self.recorder.start(activity)
    }

    /// Counts an activity that has ended.
    public nonisolated func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.recorder.stop(activity, end)
    }

    /// Records an intermediate event.
    public nonisolated func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.recorder.observe(event, of: activity)
    }
}

extension MetricsAccessory: SelectiveAccessory {
    package nonisolated var usedHooks: UsedHooks { [.willStart, .didStop, .otherEvents] }

    /// The number of activities with notes.
    package nonisolated var notedCount: Int { self.recorder.notedCount }
}
