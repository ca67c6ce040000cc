internal import Errand

/// A text format for scrapers.
public enum ExpositionFormat: Sendable, Hashable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics, version 1.0.0.
    case openMetrics

    /// The media type of ``prometheus``.
    public static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"
    /// The media type of ``openMetrics``.
    public static let openMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The media type of the response.
    public var contentType: String {
        switch self {
        case .prometheus: Self.prometheusContentType
        case .openMetrics: Self.openMetricsContentType
        }
    }

    /// Creates the format for a scraper that accepts the given media types: OpenMetrics if it is among them.
    ///
    /// - Parameter accept: The value of the scraper's `Accept` field, or `nil` if it sent none.
    public init(accept: String?) {
        self =
            accept?.asciiLowercased().containsExactly("application/openmetrics-text") == true
            ? .openMetrics : .prometheus
    }
}

extension MetricsSnapshot {
    /// Formats the figures for a scraper.
    ///
    /// - Parameter format: The format that the scraper reads; respond with its ``ExpositionFormat/contentType``.
    /// - Returns: The text.
    /// - Complexity: O(*n*) in the number of series, times the buckets.
    public func text(_ format: ExpositionFormat = .openMetrics) -> String {
        var writer = ExpositionWriter(format)
        for family in self.families { writer.write(family) }
        return writer.finish()
    }
}
