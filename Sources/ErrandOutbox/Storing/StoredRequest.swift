internal import Errand
internal import Foundation

/// A request as it is stored on disk; the body is a separate file.
///
/// It records what is sent and how, and grants no rights: the client decides when the request is sent which origins get
/// secrets and which networks may be used.
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
    /// The header fields, including those that the client adds to every request, but without secrets.
    let fields: [Field]
    let idempotencyKey: String
    /// The size of the body in bytes; `nil` if there is no body.
    var bodySize: Int64?
    /// False if the client must not add its credential; `nil`, as written by earlier versions, means true.
    let usesCredentials: Bool?
    /// `nil` if written by an earlier version.
    let rules: Rules?
    /// Notes that the app added to it.
    let notes: Notes?

    /// Notes by which an app finds a request.
    struct Notes: Sendable, Codable {
        /// The name of the endpoint's type.
        let endpoint: String
        let tag: String?
        /// JSON.
        let userData: Data?
    }

    /// The endpoint's rules for sending the request.
    struct Rules: Sendable, Codable {
        /// True if the endpoint makes its request itself, so that the client adds no fields.
        let isCustom: Bool
        let omittedHeaders: [String]
        /// Forbidden networks, in addition to those that the client forbids; `nil` for no others.
        let forbiddenNetworks: [String]?
        /// In seconds, by name; zero removes a timeout, and the client's apply to those that are missing.
        let timeouts: [String: Double]?
    }

    static let keyField = "Idempotency-Key"

    /// Creates a stored request from a resolved one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - secrets: Identifies the secret fields, which are left out.
    ///   - bodySize: The size of the body in bytes.
    ///   - usesCredentials: False if the client must not add its credential.
    ///   - rules: The rules for sending it.
    ///   - notes: The notes of the app.
    ///   - date: The time at which it is added.
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

    /// The name of the endpoint's type; `unknown` if written by an earlier version.
    var endpointName: String { self.notes?.endpoint ?? "unknown" }

    /// Returns the public description of the request.
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

    /// Returns the stored timeouts, completed by those of the given options.
    func timeoutOptions(behind options: RequestOptions) -> RequestOptions {
        RequestOptions.Timeout.allCases.reduce(options) { options, timeout in
            guard let seconds = self.timeouts?["\(timeout)"] else { return options }
            guard seconds != 0 else { return options.withoutTimeout(timeout) }
            return options.timeout(timeout, .seconds(clamping: seconds))
        }
    }

    /// Returns the networks that both the client and the stored rules allow.
    func allowedNetworks(of client: AllowedNetworks) -> AllowedNetworks {
        var networks = client
        for path in (self.forbiddenNetworks ?? []).compactMap({ Self.networks[$0] }) { networks[keyPath: path] = false }
        return networks
    }
}

extension HTTPField {
    /// True for the idempotency key, whose name looks like that of a secret.
    var isKey: Bool { self.name.asciiLowercased() == StoredRequest.keyField.asciiLowercased() }
}

/// The file name of a request: its number in the queue, and its id.
struct StoredName: Sendable, Hashable, Comparable {
    let number: UInt64
    let id: UUID

    private static let digits = 16
    /// The largest number with that many digits.
    static let mostNumber: UInt64 = 9_999_999_999_999_999

    init(number: UInt64, id: UUID) {
        self.number = number
        self.id = id
    }

    /// Parses a file name; `nil` if it is not that of a request.
    init?(_ name: String) {
        let parts = name.parts(at: ".", omittingEmpty: false)
        guard parts.count == 3, parts[2] == "json", parts[0].utf8.count == Self.digits,
            let number = UInt64(parts[0]), let id = UUID(uuidString: String(parts[1]))
        else { return nil }
        self.init(number: number, id: id)
        // Spelled differently, it would be looked up under another name.
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
