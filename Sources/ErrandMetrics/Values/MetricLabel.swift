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
    /// The method; `_OTHER` for one that is not among the ``MetricsOptions/knownMethods``.
    public static let method: MetricLabel = "http.request.method"
    /// The tag of the request, unless it is empty; not ``standard``, since its values are unbounded.
    public static let tag: MetricLabel = "errand.tag"
}

// MARK: - Attempts

extension MetricLabel {
    /// The version of HTTP, as in `1.1`, `2` and `3`; of ``MetricName/attemptDuration`` only, if the transport knows
    /// it.
    public static let protocolVersion: MetricLabel = "network.protocol.version"
    /// The scheme, `http` or `https`; of ``MetricName/attemptDuration`` only, and not among the ``standard`` ones.
    public static let scheme: MetricLabel = "url.scheme"
    /// The text of ``MetricsOptions/urlTemplate``; of ``MetricName/attemptDuration`` only.
    public static let template: MetricLabel = "url.template"
}

// MARK: - How a request ended

extension MetricLabel {
    /// The status code, if there was a response.
    public static let status: MetricLabel = "http.response.status_code"
    /// The class of the status code, such as `2xx`, if there was a response; `other` for invalid codes.
    public static let statusClass: MetricLabel = "errand.status_class"
    /// The source of the response: `network`, `cache`, or `none` if there was no response.
    public static let source: MetricLabel = "errand.source"
    /// The name of the `ErrandError.Code`, where there was an error.
    ///
    /// Of an attempt whose response has a status from 400 on, and that did not fail otherwise, the status code.
    public static let error: MetricLabel = "error.type"
}

// MARK: - Others

extension MetricLabel {
    /// The reason for a cache miss; only on ``MetricName/cacheMisses``.
    public static let cacheMiss: MetricLabel = "errand.cache.miss"
    /// `true` on figures beyond the limit of label sets, which have no other labels.
    public static let overflow: MetricLabel = "otel.metric.overflow"

    /// What is told apart unless ``MetricsOptions/labels`` says otherwise.
    public static let standard: Set<MetricLabel> = Self.selectable.subtracting([.tag, .scheme])
    /// All that can be chosen.
    public static let selectable: Set<MetricLabel> = [
        .endpoint, .address, .port, .method, .tag, .scheme, .protocolVersion, .status, .statusClass, .source, .error,
    ]
}
