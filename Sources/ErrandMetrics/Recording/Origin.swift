internal import Errand

/// The destination of a request, as far as that is told apart: cheap to make and to compare.
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
    /// Feeds a hasher with what tells most apart: this runs for every request.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.endpoint)
        hasher.combine(self.authority)
        if let tag = self.tag { hasher.combine(tag) }
    }
}

/// The labels that say where a request goes; where nothing is said there is no label.
struct Origin: Hashable, Sendable {
    private(set) var labels: [MetricLabel: String] = [:]

    init(_ activity: RequestActivity, _ chosen: Set<MetricLabel>) {
        let request = activity.request
        self.set(.endpoint, chosen, activity.name)
        self.set(.address, chosen, request?.url.host.withoutBrackets)
        self.set(.port, chosen, (request?.url.effectivePort).map { "\($0)" })
        self.set(.method, chosen, request?.method.metricName)
        self.set(.tag, chosen, activity.tag)
    }

    private mutating func set(_ label: MetricLabel, _ chosen: Set<MetricLabel>, _ text: @autoclosure () -> String?) {
        // To Prometheus a label without a text is none: what differs only in that must be one.
        if chosen.contains(label), let text = text(), !text.isEmpty { self.labels[label] = text }
    }
}

/// Which of the chosen labels take a look at what: asked once for each request.
struct LabelChoice: Sendable {
    let wantsEndpoint: Bool
    let wantsAuthority: Bool
    let wantsMethod: Bool
    let wantsTag: Bool
    let wantsStatus: Bool
    let wantsStatusClass: Bool
    let wantsSource: Bool
    let wantsError: Bool

    init(_ labels: Set<MetricLabel>) {
        self.wantsEndpoint = labels.contains(.endpoint)
        self.wantsAuthority = labels.contains(.address) || labels.contains(.port)
        self.wantsMethod = labels.contains(.method)
        self.wantsTag = labels.contains(.tag)
        self.wantsStatus = labels.contains(.status)
        self.wantsStatusClass = labels.contains(.statusClass)
        self.wantsSource = labels.contains(.source)
        self.wantsError = labels.contains(.error)
    }

    var wantsRequest: Bool { self.wantsAuthority || self.wantsMethod }
}

/// Numbers for origins.
///
/// What is looked up is a key; what has a number is the labels, because several keys may come to the same: endpoints of
/// the same name in two modules, or a host under several ports when ports are not told apart.
struct OriginTable: Sendable {
    private var known: [OriginKey: Int] = [:]
    private(set) var rows: RowTable<Origin>
    private let keyLimit: Int

    init(limit: Int) {
        self.rows = RowTable(limit: limit)
        self.keyLimit = 4 * limit
    }

    /// The row of a key that was seen before.
    func row(of key: OriginKey) -> Int? {
        self.known[key]
    }

    /// The row of a key that was not seen before, or was forgotten.
    mutating func add(_ key: OriginKey, _ origin: Origin) -> Int {
        let row = self.rows.row(of: origin)
        // Those that are still in use come back.
        if self.known.count >= self.keyLimit { self.known.removeAll() }
        self.known[key] = row
        return row
    }
}

extension String {
    /// An IPv6 address as OpenTelemetry writes it.
    fileprivate var withoutBrackets: String {
        self.startsExactly(with: "[") && self.endsExactly(with: "]") ? String(self.dropFirst().dropLast()) : self
    }
}

extension HTTPMethod {
    /// The method, or what OpenTelemetry writes for those that anyone could make up.
    fileprivate var metricName: String {
        switch self {
        case .get, .head, .query, .post, .put, .patch, .delete, .options, .trace, "CONNECT": self.rawValue
        default: "_OTHER"
        }
    }
}
