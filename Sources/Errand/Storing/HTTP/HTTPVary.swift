/// The request fields that a response depends on (RFC 9110 §12.5.5, RFC 9111 §4.1).
struct HTTPVary: Sendable, Hashable {
    /// The maximum number of names.
    ///
    /// A response that depends on more matches no other request, as with `*`.
    static let mostNames = 64

    /// The names, in lower case and sorted; empty if there are too many.
    let names: [String]
    /// True if the response depends on more than request fields.
    let isAny: Bool

    init(_ fields: HTTPFields) {
        let names = fields.names(listedIn: HTTPField.Name.vary).uniqued()
        let areTooMany = names.count > Self.mostNames
        // An unreadable member may stand for any name.
        self.isAny = areTooMany || names.contains { $0 == "*" || !$0.isHTTPToken }
        self.names = areTooMany ? [] : names.sorted()
    }

    /// The values of these fields in a request, with digests for secrets.
    func nominated(by request: HTTPFields, _ redaction: Redaction = .standard) -> [CacheEntry.NominatedField] {
        self.names.map { Self.nominated($0, by: request, redaction) }
    }

    fileprivate static func nominated(
        _ name: String, by request: HTTPFields, _ redaction: Redaction
    ) -> CacheEntry.NominatedField {
        let value = request.contains(name) ? Self.normalized(request.values(for: name), of: name) : nil
        return CacheEntry.NominatedField(
            name: name, value: redaction.hides(name) ? value.map { "\(SHA256(of: $0))" } : value)
    }

    // MARK: - Normalizing

    /// Fields with case-insensitive values.
    private static let caseless: Set<String> = ["accept-charset", "accept-encoding", "accept-language"]
    /// The case-insensitive fields whose order is irrelevant too.
    ///
    /// For languages some servers use the first of several.
    private static let unordered: Set<String> = ["accept-charset", "accept-encoding"]

    /// Joins the lines of a field and removes insignificant whitespace (RFC 9111 §4.1).
    static func normalized(_ values: [String], of name: String) -> String {
        let members = values.flatMap { Self.members($0) }
        let caseless = Self.caseless.contains(name) ? members.map { $0.asciiLowercased() } : members
        return (Self.unordered.contains(name) ? caseless.sorted() : caseless).joined(separator: ",")
    }

    /// The members of a list, without whitespace around commas and semicolons.
    ///
    /// Other whitespace is reduced to one space.
    private static func members(_ value: String) -> [String] {
        value.fieldParts(at: ",").map { member in
            member.fieldParts(at: ";").map { part in
                part.fieldParts(at: " ").flatMap { $0.fieldParts(at: "\t") }.joined(separator: " ")
            }.joined(separator: ";")
        }
    }
}

extension CacheEntry {
    /// A request field that a response depends on, with its value in the request that fetched the response.
    public struct NominatedField: Sendable, Codable {
        /// The name, in lower case.
        public let name: String
        /// The normalized value; a digest for secrets, and `nil` if the request did not contain the field.
        public let value: String?

        /// Creates a field.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }
}

extension CacheEntry.NominatedField: Hashable {
    /// Returns a Boolean value that indicates whether two fields are equal, octet by octet.
    public static func == (left: CacheEntry.NominatedField, right: CacheEntry.NominatedField) -> Bool {
        left.name.isExactly(right.name) && left.value.map { ExactText($0) } == right.value.map { ExactText($0) }
    }

    /// Hashes the name and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(self.name))
        hasher.combine(self.value.map { ExactText($0) })
    }
}

extension [CacheEntry.NominatedField] {
    /// Returns true if a request has the same values in these fields.
    ///
    /// False if there are more fields than allowed.
    func match(_ request: HTTPFields, _ redaction: Redaction = .standard) -> Bool {
        self.count <= HTTPVary.mostNames
            && self.allSatisfy { $0 == HTTPVary.nominated($0.name, by: request, redaction) }
    }
}
