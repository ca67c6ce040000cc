public import Errand

/// Counts requests, batches and chains, for Prometheus, OpenTelemetry or whatever else reads figures.
///
/// Give one to a client, or to several: what they send is counted together. Whoever wants the figures apart takes one
/// for each. An accessory that a piece of work was given twice counts it once.
///
/// Recording never waits for the actor: hooks and events write into small parts under locks of their own, on the thread
/// where they happen, and no text is made for them. The actor is where figures are read and written out, one reader at
/// a time and not on the actor of whoever asks. When a call that sends returns, it is counted (G3).
///
/// Memory follows what is in flight and ``MetricsOptions/labelSetLimit``, not what was counted.
public actor MetricsAccessory: Accessory {
    /// The options: which figures are kept.
    public nonisolated let options: MetricsOptions
    private let recorder: MetricsRecorder

    /// Creates an accessory with the standard options.
    public init() {
        self.options = MetricsOptions()
        self.recorder = MetricsRecorder(MetricsOptions())
    }

    /// Creates an accessory.
    ///
    /// - Parameter options: What it keeps.
    /// - Throws: `ErrandError` with the code `invalidConfiguration` when figures cannot be kept in this way.
    public init(_ options: MetricsOptions) throws(ErrandError) {
        try options.validate()
        self.options = options
        self.recorder = MetricsRecorder(options)
    }

    // MARK: - Reading

    /// The figures of this moment.
    ///
    /// - Complexity: O(*n*) in the label sets and in what is in flight.
    public func snapshot() -> MetricsSnapshot {
        self.recorder.snapshot()
    }

    /// Writes the figures of this moment for a scraper.
    ///
    /// - Parameter format: What the scraper reads; answer its ``ExpositionFormat/contentType`` with the text.
    /// - Returns: The text.
    /// - Complexity: O(*n*) in the label sets, times the buckets.
    public func text(_ format: ExpositionFormat = .openMetrics) -> String {
        self.snapshot().text(format)
    }

    /// The figures again and again, at an interval.
    ///
    /// The first come after one interval. There is no task behind it: whoever reads it sleeps, and nothing is left when
    /// they leave. It ends when the task that reads it is cancelled. One that takes longer to read gets the next
    /// figures at once, and no backlog.
    ///
    /// - Parameter interval: The time between two snapshots, on the clock of the options.
    /// - Returns: A sequence that any number of tasks may read, each in its own time.
    /// - Throws: `ErrandError` with the code `invalidConfiguration` when the interval is zero or less.
    public nonisolated func snapshots(every interval: Duration) throws(ErrandError) -> MetricsSnapshots {
        guard interval > .zero else {
            throw ErrandError(
                .invalidConfiguration,
                "metrics: the interval between snapshots is \(interval), and has to be longer than nothing")
        }
        // Far enough, and not so far that adding it up could overflow.
        return MetricsSnapshots(self, self.recorder.timebase, every: min(interval, .seconds(1 << 32)))
    }

    // MARK: - Recording

    /// Notes that a piece of work was started.
    public nonisolated func willStart(_ activity: RequestActivity) {
        self.recorder.start(activity)
    }

    /// Counts a piece of work that is over.
    public nonisolated func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.recorder.stop(activity, end)
    }

    /// Notes what happens in between.
    public nonisolated func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.recorder.observe(event, of: activity)
    }
}

extension MetricsAccessory: SelectiveAccessory {
    package nonisolated var usedHooks: UsedHooks { [.willStart, .didStop, .otherEvents] }

    /// The amount of work that it keeps notes on.
    package nonisolated var notedCount: Int { self.recorder.notedCount }
}
