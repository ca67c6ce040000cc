/// The name of a label, as OpenTelemetry writes attributes: with dots.
public struct MetricLabel: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a label with a name of one's own, for ``MetricsOptions/constantLabels``.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension MetricLabel: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
}

extension MetricLabel: ExpressibleByStringLiteral {
    /// Creates a label whose name is the literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

// MARK: - Where a request goes

extension MetricLabel {
    /// The name of the endpoint's type.
    public static let endpoint: MetricLabel = "errand.endpoint"
    /// The host, without port and without the brackets of an IPv6 address.
    public static let address: MetricLabel = "server.address"
    /// The port.
    public static let port: MetricLabel = "server.port"
    /// The method; `_OTHER` for one that neither RFC 9110 nor RFC 5789 knows.
    public static let method: MetricLabel = "http.request.method"
    /// The tag that a request was given, unless it is empty; not among the ``standard`` ones, because it may be
    /// anything.
    public static let tag: MetricLabel = "errand.tag"
}

// MARK: - How a request ended

extension MetricLabel {
    /// The status code, where there was a response.
    public static let status: MetricLabel = "http.response.status_code"
    /// The class of the status code, such as `2xx`, where there was a response; `other` for codes that are none.
    public static let statusClass: MetricLabel = "errand.status_class"
    /// Where the response came from: `network`, `cache`, or `none` when there was none.
    public static let source: MetricLabel = "errand.source"
    /// The name of the `ErrandError.Code`, where there was an error.
    public static let error: MetricLabel = "error.type"
}

// MARK: - Others

extension MetricLabel {
    /// Why the cache had no answer; of ``MetricName/cacheMisses`` only.
    public static let cacheMiss: MetricLabel = "errand.cache.miss"
    /// `true` on the figures of everything that came after the limit of label sets; these have no other labels.
    public static let overflow: MetricLabel = "otel.metric.overflow"

    /// What is told apart unless ``MetricsOptions/labels`` says otherwise.
    public static let standard: Set<MetricLabel> = Self.selectable.subtracting([.tag])
    /// All that can be chosen.
    public static let selectable: Set<MetricLabel> = [
        .endpoint, .address, .port, .method, .tag, .status, .statusClass, .source, .error,
    ]
}
