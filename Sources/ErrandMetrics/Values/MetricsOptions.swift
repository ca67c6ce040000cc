public import Errand

/// What a ``MetricsAccessory`` keeps.
public struct MetricsOptions: Sendable {
    /// The labels by which requests are distinguished; fewer labels make fewer series.
    public var labels = MetricLabel.standard
    /// The methods that ``MetricLabel/method`` may name: those of RFC 9110, PATCH (RFC 5789) and QUERY.
    public var knownMethods: Set<HTTPMethod> = [
        .get, .head, .query, .post, .put, .patch, .delete, .options, .trace, "CONNECT",
    ]
    /// Returns the value of ``MetricLabel/template`` for a request, such as `/users/{id}`; `nil` leaves the label out.
    ///
    /// It is called once for each attempt, on any thread, and must not wait. Return few different texts: each makes a
    /// label set. An attempt that goes to another URL than that of the activity, as after a redirection, has no
    /// template.
    public var urlTemplate: (@Sendable (_ activity: RequestActivity) -> String?)?
    /// Labels with the same value on every figure, such as the name of the app; those without a text are left out.
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
