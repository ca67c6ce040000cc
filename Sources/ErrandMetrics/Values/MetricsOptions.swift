/// What a ``MetricsAccessory`` keeps.
public struct MetricsOptions: Sendable {
    /// What requests are told apart by; the fewer, the fewer lines.
    public var labels = MetricLabel.standard
    /// Labels with the same value on every figure, such as the name of the app; those without a text are left out.
    public var constantLabels: [MetricLabel: String] = [:]
    /// The upper bounds of the buckets of all durations, in seconds, ascending; those that OpenTelemetry recommends.
    public var durationBounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    /// The upper bounds of the buckets of all sizes, in bytes, ascending; 1 KiB to 1 GiB.
    public var sizeBounds: [Double] = (5...15).map { Double(1 << (2 * $0)) }
    /// How many sets of labels each figure has at most.
    ///
    /// One of them is for everything that comes when the others are taken; it has the label ``MetricLabel/overflow``.
    public var labelSetLimit = 1000
    /// The clock of ``MetricsAccessory/snapshots(every:)`` and of the times to the first byte.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the standard options.
    public init() {}
}

// MARK: - Bounds

extension MetricsOptions {
    /// The largest ``labelSetLimit``.
    public static let greatestLabelSetLimit = 100_000
    /// The largest number of bounds.
    public static let greatestBoundCount = 1000
}
