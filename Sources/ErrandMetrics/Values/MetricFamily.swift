/// All series of one metric.
public struct MetricFamily: Sendable, Hashable {
    /// The kind of a metric.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable {
        /// A number that only increases.
        case counter
        /// A number that can increase and decrease.
        case gauge
        /// A distribution of values over buckets.
        case histogram
    }

    /// The unit of a metric.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Unit: String, Sendable, Hashable {
        /// A dimensionless count, such as of requests.
        case none = ""
        /// Seconds.
        case seconds
        /// Bytes.
        case bytes

        /// The unit in the Unified Code for Units of Measure, as OpenTelemetry uses it.
        public var ucum: String {
            switch self {
            case .none: "1"
            case .seconds: "s"
            case .bytes: "By"
            }
        }
    }

    /// The name of the metric.
    public let name: MetricName
    /// The kind of the metric.
    public let kind: Kind
    /// The unit of the metric.
    public let unit: Unit
    /// A description of the metric, in one sentence.
    public let help: String
    /// The series, each with its own set of labels.
    public internal(set) var series: [MetricSeries]

    package init(_ name: MetricName, _ kind: Kind, _ unit: Unit, _ help: String, series: [MetricSeries] = []) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
        self.series = series
    }
}

/// A number or a histogram, with its labels.
public struct MetricSeries: Sendable, Hashable {
    /// The labels; those that do not apply are missing.
    public let labels: [MetricLabel: String]
    /// The number or histogram.
    public let value: MetricValue

    package init(labels: [MetricLabel: String], value: MetricValue) {
        self.labels = labels
        self.value = value
    }
}

/// A number or a histogram.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum MetricValue: Sendable, Hashable {
    /// A number that only increases.
    case counter(Double)
    /// A number that can increase and decrease.
    case gauge(Double)
    /// A distribution of values over buckets.
    case histogram(HistogramValue)
}
