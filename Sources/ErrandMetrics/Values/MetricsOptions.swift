/// The options of a ``MetricsAccessory``.
public struct MetricsOptions: Sendable {
    /// The labels by which requests are distinguished; fewer labels make fewer series.
    public var labels = MetricLabel.standard
    /// Labels with the same value on every figure, such as the name of the app; those with an empty value are omitted.
    public var constantLabels: [MetricLabel: String] = [:]
    /// The upper bounds of all duration buckets in seconds, ascending; by default those that OpenTelemetry recommends.
    public var durationBounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    /// The upper bounds of all size buckets in bytes, ascending; by default from 1 KiB to 1 GiB.
    public var sizeBounds: [Double] = (5...15).map { Double(1 << (2 * $0)) }
    /// The maximum number of label sets of each metric.
    ///
    /// One of them, with the label ``MetricLabel/overflow``, is shared by everything beyond the limit.
    public var labelSetLimit = 1000
    /// The clock for ``MetricsAccessory/snapshots(every:)`` and for first-byte times.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the default options.
    public init() {}
}

// MARK: - Bounds

extension MetricsOptions {
    /// The upper limit of ``labelSetLimit``.
    public static let greatestLabelSetLimit = 100_000
    /// The maximum number of bounds.
    public static let greatestBoundCount = 1000
}
