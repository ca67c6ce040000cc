internal import Errand

/// The destination of a request, as far as the labels distinguish it; cheap to make and to compare.
struct OriginKey: Hashable, Sendable {
    let endpoint: CallName?
    let authority: String
    let method: String
    let tag: String?

    init(_ activity: RequestActivity, _ choice: LabelChoice) {
        let target = choice.wantsRequest ? activity.target : nil
        self.endpoint = choice.wantsEndpoint ? activity.call : nil
        self.authority = choice.wantsAuthority ? target?.url.authority ?? "" : ""
        self.method = choice.wantsMethod ? target?.method.rawValue ?? "" : ""
        self.tag = choice.wantsTag ? activity.tag : nil
    }
}

extension OriginKey {
    /// Hashes the values that differ most; this runs for every request.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.endpoint)
        hasher.combine(self.authority)
        if let tag = self.tag { hasher.combine(tag) }
    }
}

/// The labels for the destination of a request; an empty value has no label.
struct Origin: Hashable, Sendable {
    private(set) var labels: [MetricLabel: String] = [:]

    init(_ activity: RequestActivity, _ options: MetricsOptions) {
        let (request, chosen) = (activity.request, options.labels)
        self.set(.endpoint, chosen, activity.name)
        self.set(.address, chosen, request?.url.host.withoutBrackets)
        self.set(.port, chosen, (request?.url.effectivePort).map { "\($0)" })
        self.set(.method, chosen, request?.method.metricName(options.knownMethods))
        self.set(.tag, chosen, activity.tag)
    }

    private mutating func set(_ label: MetricLabel, _ chosen: Set<MetricLabel>, _ text: @autoclosure () -> String?) {
        // Prometheus treats an empty label as missing, so origins that differ only in that must be equal.
        if chosen.contains(label), let text = text(), !text.isEmpty { self.labels[label] = text }
    }
}

/// The chosen labels as flags, computed once so that a request need not look them up.
struct LabelChoice: Sendable {
    let wantsEndpoint: Bool
    let wantsAddress: Bool
    let wantsPort: Bool
    let wantsMethod: Bool
    let wantsTag: Bool
    let wantsScheme: Bool
    let wantsVersion: Bool
    let wantsStatus: Bool
    let wantsStatusClass: Bool
    let wantsSource: Bool
    let wantsError: Bool

    init(_ labels: Set<MetricLabel>) {
        self.wantsEndpoint = labels.contains(.endpoint)
        self.wantsAddress = labels.contains(.address)
        self.wantsPort = labels.contains(.port)
        self.wantsMethod = labels.contains(.method)
        self.wantsTag = labels.contains(.tag)
        self.wantsScheme = labels.contains(.scheme)
        self.wantsVersion = labels.contains(.protocolVersion)
        self.wantsStatus = labels.contains(.status)
        self.wantsStatusClass = labels.contains(.statusClass)
        self.wantsSource = labels.contains(.source)
        self.wantsError = labels.contains(.error)
    }

    var wantsAuthority: Bool { self.wantsAddress || self.wantsPort }
    var wantsRequest: Bool { self.wantsAuthority || self.wantsMethod }
}

/// Numbers for origins.
///
/// Rows are looked up by key but numbered by labels, since several keys may have the same labels: endpoints of the same
/// name in two modules, or a host with several ports when ports are not distinguished.
struct OriginTable: Sendable {
    private var known: [OriginKey: Int] = [:]
    private(set) var rows: RowTable<Origin>
    private let keyLimit: Int

    init(limit: Int) {
        self.rows = RowTable(limit: limit)
        self.keyLimit = 4 * limit
    }

    /// The row of a known key; `nil` if it was not seen before, or was forgotten.
    func row(of key: OriginKey) -> Int? {
        self.known[key]
    }

    /// Adds a key that is not known, and returns its row.
    mutating func add(_ key: OriginKey, _ origin: Origin) -> Int {
        let row = self.rows.row(of: origin)
        // Entries that are still in use are added again.
        if self.known.count >= self.keyLimit { self.known.removeAll() }
        self.known[key] = row
        return row
    }
}

extension String {
    /// An IPv6 address as OpenTelemetry writes it.
    var withoutBrackets: String {
        self.startsExactly(with: "[") && self.endsExactly(with: "]") ? String(self.dropFirst().dropLast()) : self
    }
}

extension HTTPMethod {
    /// The method, or what OpenTelemetry writes for those that anyone could make up.
    func metricName(_ known: Set<HTTPMethod>) -> String {
        known.contains(self) ? self.rawValue : "_OTHER"
    }
}
