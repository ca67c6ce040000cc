internal import Errand

/// A text format of figures for a scraper.
public enum ExpositionFormat: Sendable, Hashable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics, version 1.0.0.
    case openMetrics

    /// The media type of ``prometheus``.
    public static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"
    /// The media type of ``openMetrics``.
    public static let openMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The media type to answer with.
    public var contentType: String {
        switch self {
        case .prometheus: Self.prometheusContentType
        case .openMetrics: Self.openMetricsContentType
        }
    }

    /// The format for a scraper that accepts these media types: OpenMetrics where it is among them.
    ///
    /// - Parameter accept: The value of its `Accept` field, if it sent one.
    public init(accept: String?) {
        self =
            accept?.asciiLowercased().containsExactly("application/openmetrics-text") == true
            ? .openMetrics : .prometheus
    }
}

extension MetricsSnapshot {
    /// Writes the figures for a scraper.
    ///
    /// - Parameter format: What the scraper reads; answer its ``ExpositionFormat/contentType`` with the text.
    /// - Returns: The text.
    /// - Complexity: O(*n*) in the series, times the buckets.
    public func text(_ format: ExpositionFormat = .openMetrics) -> String {
        var writer = ExpositionWriter(format)
        for family in self.families { writer.write(family) }
        return writer.finish()
    }
}
