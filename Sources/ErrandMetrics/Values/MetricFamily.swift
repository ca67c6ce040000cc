/// All series of one figure.
public struct MetricFamily: Sendable, Hashable {
    /// What the numbers are.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable {
        /// A number that only grows.
        case counter
        /// A number that goes up and down.
        case gauge
        /// How many values there were, by their size.
        case histogram
    }

    /// What the numbers count.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Unit: String, Sendable, Hashable {
        /// Things, such as requests.
        case none = ""
        /// Seconds.
        case seconds
        /// Bytes.
        case bytes

        /// The unit as the Unified Code for Units of Measure writes it, which OpenTelemetry does too.
        public var ucum: String {
            switch self {
            case .none: "1"
            case .seconds: "s"
            case .bytes: "By"
            }
        }
    }

    /// The name.
    public let name: MetricName
    /// What the numbers are.
    public let kind: Kind
    /// What they count.
    public let unit: Unit
    /// What the figure says, in a sentence.
    public let help: String
    /// The numbers, each with its own set of labels.
    public internal(set) var series: [MetricSeries]

    package init(_ name: MetricName, _ kind: Kind, _ unit: Unit, _ help: String, series: [MetricSeries] = []) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
        self.series = series
    }
}

/// One number, or histogram, and what it is about.
public struct MetricSeries: Sendable, Hashable {
    /// What it is about; a label that does not apply is missing.
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
    /// A number that only grows.
    case counter(Double)
    /// A number that goes up and down.
    case gauge(Double)
    /// How many values there were, by their size.
    case histogram(HistogramValue)
}
