/// Which fields of a request a response depends on (RFC 9110 §12.5.5, RFC 9111 §4.1).
struct HTTPVary: Sendable, Hashable {
    /// The most names that are told apart: what depends on more matches no other request, as with `*`.
    static let mostNames = 64

    /// The names, in lower case and in order; none where there are too many.
    let names: [String]
    /// Whether it depends on what no field says.
    let isAny: Bool

    init(_ fields: HTTPFields) {
        let names = fields.names(listedIn: HTTPField.Name.vary).uniqued()
        let areTooMany = names.count > Self.mostNames
        // What cannot be read may name any.
        self.isAny = areTooMany || names.contains { $0 == "*" || !$0.isHTTPToken }
        self.names = areTooMany ? [] : names.sorted()
    }

    /// What a request says in these fields; secrets as digests.
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

    /// Fields in which case makes no difference.
    private static let caseless: Set<String> = ["accept-charset", "accept-encoding", "accept-language"]
    /// Those of them in which the order makes none either; some servers take the first of several languages.
    private static let unordered: Set<String> = ["accept-charset", "accept-encoding"]

    /// Joins the lines of a field, and drops the spaces that mean nothing (RFC 9111 §4.1).
    static func normalized(_ values: [String], of name: String) -> String {
        let members = values.flatMap { Self.members($0) }
        let caseless = Self.caseless.contains(name) ? members.map { $0.asciiLowercased() } : members
        return (Self.unordered.contains(name) ? caseless.sorted() : caseless).joined(separator: ",")
    }

    /// The members of a list, without the spaces around commas and semicolons; of several elsewhere one counts.
    private static func members(_ value: String) -> [String] {
        value.fieldParts(at: ",").map { member in
            member.fieldParts(at: ";").map { part in
                part.fieldParts(at: " ").flatMap { $0.fieldParts(at: "\t") }.joined(separator: " ")
            }.joined(separator: ";")
        }
    }
}

extension CacheEntry {
    /// A field that a response depends on, as the request said it that brought the response.
    public struct NominatedField: Sendable, Codable {
        /// The name, in lower case.
        public let name: String
        /// The value, normalized; a digest where it is a secret, and `nil` where the request had no such field.
        public let value: String?

        /// Creates a field.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }
}

extension CacheEntry.NominatedField: Hashable {
    /// Tells whether two fields say the same, octet by octet.
    public static func == (left: CacheEntry.NominatedField, right: CacheEntry.NominatedField) -> Bool {
        left.name.isExactly(right.name) && left.value.map { ExactText($0) } == right.value.map { ExactText($0) }
    }

    /// Feeds name and value to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(self.name))
        hasher.combine(self.value.map { ExactText($0) })
    }
}

extension [CacheEntry.NominatedField] {
    /// Tells whether a request says the same in these fields; never of more than may be told apart.
    func match(_ request: HTTPFields, _ redaction: Redaction = .standard) -> Bool {
        self.count <= HTTPVary.mostNames
            && self.allSatisfy { $0 == HTTPVary.nominated($0.name, by: request, redaction) }
    }
}
