/// The name of a label, in the dotted form of OpenTelemetry attributes.
public struct MetricLabel: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a label with a custom name, for ``MetricsOptions/constantLabels``.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension MetricLabel: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
}

extension MetricLabel: ExpressibleByStringLiteral {
    /// Creates a label with the literal as its name.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

// MARK: - Destination

extension MetricLabel {
    /// The name of the endpoint's type.
    public static let endpoint: MetricLabel = "errand.endpoint"
    /// The host, without the port and the brackets of an IPv6 address.
    public static let address: MetricLabel = "server.address"
    /// The port.
    public static let port: MetricLabel = "server.port"
    /// The request method; `_OTHER` for methods that neither RFC 9110 nor RFC 5789 defines.
    public static let method: MetricLabel = "http.request.method"
    /// The tag of the request, unless it is empty; not ``standard``, since its values are unbounded.
    public static let tag: MetricLabel = "errand.tag"
}

// MARK: - Outcome

extension MetricLabel {
    /// The status code, if there was a response.
    public static let status: MetricLabel = "http.response.status_code"
    /// The class of the status code, such as `2xx`, if there was a response; `other` for invalid codes.
    public static let statusClass: MetricLabel = "errand.status_class"
    /// The source of the response: `network`, `cache`, or `none` if there was no response.
    public static let source: MetricLabel = "errand.source"
    /// The name of the `ErrandError.Code`, if there was an error.
    public static let error: MetricLabel = "error.type"
}

// MARK: - Others

extension MetricLabel {
    /// The reason for a cache miss; only on ``MetricName/cacheMisses``.
    public static let cacheMiss: MetricLabel = "errand.cache.miss"
    /// `true` on figures beyond the limit of label sets, which have no other labels.
    public static let overflow: MetricLabel = "otel.metric.overflow"

    /// The labels that ``MetricsOptions/labels`` contains by default.
    public static let standard: Set<MetricLabel> = Self.selectable.subtracting([.tag])
    /// All labels that ``MetricsOptions/labels`` may contain.
    public static let selectable: Set<MetricLabel> = [
        .endpoint, .address, .port, .method, .tag, .status, .statusClass, .source, .error,
    ]
}
