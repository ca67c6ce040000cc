internal import Errand
internal import Foundation

/// A request as it is on disk; its body is a file of its own.
///
/// It says what is sent and how, and gives no rights: to whom secrets go, and which networks may be used, is for the
/// client to say when it is sent.
struct StoredRequest: Sendable, Codable {
    /// A header field.
    struct Field: Sendable, Codable {
        let name: String
        let value: String
    }

    let id: UUID
    /// In seconds since 1970.
    let addedAt: Double
    let method: String
    let url: String
    /// What the client adds to every request is among them, but for secrets.
    let fields: [Field]
    let idempotencyKey: String
    /// The number of bytes the body has; `nil` where there is none.
    var bodySize: Int64?
    /// Whether the client adds its credential; `nil`, as in what earlier versions wrote, says yes.
    let usesCredentials: Bool?
    /// `nil` where an earlier version wrote none.
    let rules: Rules?
    /// What the app added to it.
    let notes: Notes?

    /// Notes by which an app finds a request.
    struct Notes: Sendable, Codable {
        /// The name of the type of its endpoint.
        let endpoint: String
        let tag: String?
        /// JSON.
        let userData: Data?
    }

    /// The rules of its endpoint for sending it.
    struct Rules: Sendable, Codable {
        /// Whether it makes its request by itself, so that the client adds no fields.
        let isCustom: Bool
        let omittedHeaders: [String]
        /// Those that may not be used, besides those that the client forbids; `nil` to ask the client alone.
        let forbiddenNetworks: [String]?
        /// In seconds, by name; zero removes one, and the client says all others.
        let timeouts: [String: Double]?
    }

    static let keyField = "Idempotency-Key"

    /// Takes a request as it was resolved.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - secrets: Tells which fields are secret; they are left out.
    ///   - bodySize: How many bytes the body has.
    ///   - usesCredentials: Whether the client adds its credential.
    ///   - rules: How it is sent.
    ///   - notes: What the app added to it.
    ///   - date: When it is added.
    init(
        _ request: HTTPRequest, without secrets: Redaction?, bodySize: Int64?, usesCredentials: Bool, rules: Rules,
        notes: Notes, at date: Date
    ) {
        let id = UUID()
        let key = request.headers[Self.keyField] ?? id.uuidString
        var fields = request.headers.filter { !$0.isKey && secrets?.hides($0.name) != true }
        fields.append(HTTPField(name: Self.keyField, value: key))
        self.id = id
        self.addedAt = date.timeIntervalSince1970
        self.method = request.method.rawValue
        self.url = request.url.string
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
        self.idempotencyKey = key
        self.bodySize = bodySize
        self.usesCredentials = usesCredentials
        self.rules = rules
        self.notes = notes
    }

    /// The name of the type of its endpoint; an earlier version wrote none.
    var endpointName: String { self.notes?.endpoint ?? "unknown" }

    /// What others may know of it.
    func item(in queue: String) -> OutboxItem {
        OutboxItem(
            id: self.id, queue: queue, endpointName: self.endpointName, method: HTTPMethod(rawValue: self.method),
            url: (try? HTTPURL(self.url))?.redacted ?? "", idempotencyKey: self.idempotencyKey,
            addedAt: Date(timeIntervalSince1970: self.addedAt), bodySize: self.bodySize ?? 0, tag: self.notes?.tag,
            encodedUserData: self.notes?.userData)
    }
}

extension StoredRequest.Rules {
    private static let networks: [String: any WritableKeyPath<AllowedNetworks, Bool> & Sendable] = [
        "cellular": \.cellular, "expensive": \.expensive, "lowData": \.lowData,
    ]

    init(_ options: RequestOptions, isCustom: Bool) {
        self.isCustom = isCustom
        let said = EffectiveOptions(options)
        self.omittedHeaders = said.omittedHeaders
        self.forbiddenNetworks = Self.networks.filter { !said.networks[keyPath: $0.value] }.keys.sorted()
        let timeouts = options.timeouts.map { ("\($0.timeout)", ($0.limit ?? .zero) / .seconds(1)) }
        self.timeouts = timeouts.isEmpty ? nil : Dictionary(timeouts) { $1 }
    }

    /// Returns options with the timeouts behind them.
    func timeoutOptions(behind options: RequestOptions) -> RequestOptions {
        RequestOptions.Timeout.allCases.reduce(options) { options, timeout in
            guard let seconds = self.timeouts?["\(timeout)"] else { return options }
            guard seconds != 0 else { return options.withoutTimeout(timeout) }
            return options.timeout(timeout, .seconds(clamping: seconds))
        }
    }

    /// Returns the networks that may be used of those that the client allows.
    func allowedNetworks(of client: AllowedNetworks) -> AllowedNetworks {
        var networks = client
        for path in (self.forbiddenNetworks ?? []).compactMap({ Self.networks[$0] }) { networks[keyPath: path] = false }
        return networks
    }
}

extension HTTPField {
    /// Whether it is the idempotency key, which has a name like a secret and is none.
    var isKey: Bool { self.name.asciiLowercased() == StoredRequest.keyField.asciiLowercased() }
}

/// The name of the file of a request: its place in the queue, and its id.
struct StoredName: Sendable, Hashable, Comparable {
    let number: UInt64
    let id: UUID

    private static let digits = 16
    /// The largest number with so many digits.
    static let mostNumber: UInt64 = 9_999_999_999_999_999

    init(number: UInt64, id: UUID) {
        self.number = number
        self.id = id
    }

    /// Reads the name of a file; `nil` for that of any other.
    init?(_ name: String) {
        let parts = name.parts(at: ".", omittingEmpty: false)
        guard parts.count == 3, parts[2] == "json", parts[0].utf8.count == Self.digits,
            let number = UInt64(parts[0]), let id = UUID(uuidString: String(parts[1]))
        else { return nil }
        self.init(number: number, id: id)
        // Written otherwise it would be looked for under another name.
        guard self.request == name else { return nil }
    }

    var request: String {
        let number = String(self.number)
        return String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number + "."
            + self.id.uuidString
            + ".json"
    }

    var body: String { Self.body(of: self.id) }

    static func body(of id: UUID) -> String { "\(id.uuidString).body" }

    static func < (left: StoredName, right: StoredName) -> Bool { left.number < right.number }
}
