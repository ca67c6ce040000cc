/// The query parameters that do not affect a response, according to its `No-Vary-Search` field.
///
/// A malformed field is ignored; every character of the query is then significant.
struct NoVarySearch: Sendable, Hashable {
    private var names: Set<ExactText> = []
    /// True if all parameters except the listed ones are insignificant, false if only the listed ones are.
    private var areExceptions = false
    private var ignoresOrder = false

    /// The maximum length in bytes, since the field is parsed for each request to a path.
    private static let mostBytes = 4 << 10

    /// Parses the field, a structured-field dictionary (RFC 9651 §3.2); `nil` if every character of the query is
    /// significant.
    ///
    /// Unknown members are ignored. A known member of the wrong type makes the whole field invalid, and so does
    /// excessive length.
    init?(_ value: String?) {
        guard let value, value.utf8.count <= Self.mostBytes, let members = StructuredField.dictionary(value) else {
            return nil
        }
        if let member = members["key-order"] {
            guard let isOn = member.value?.boolean else { return nil }
            self.ignoresOrder = isOn
        }
        if let member = members["params"] {
            if let isOn = member.value?.boolean {
                self.areExceptions = isOn
            } else {
                guard let names = Self.names(member) else { return nil }
                self.names = names
            }
        }
        if let member = members["except"] {
            guard self.areExceptions, let names = Self.names(member) else { return nil }
            self.names = names
        }
        if self.names.isEmpty, !self.areExceptions, !self.ignoresOrder { return nil }
    }

    /// The names in an inner list of strings; `nil` for anything else.
    private static func names(_ member: StructuredField.Member) -> Set<ExactText>? {
        guard case .innerList(let items, _) = member else { return nil }
        let names = items.compactMap { $0.value.string.map(Self.decoded) }
        return names.count == items.count ? Set(names) : nil
    }

    /// A normalized form of a query, equal for all queries with the same responses.
    func normalized(_ query: String?) -> String {
        let pairs = (query ?? "").parts(at: "&").map { part in
            let halves = part.parts(at: "=", maxSplits: 1, omittingEmpty: false)
            return (name: Self.decoded(halves[0]), value: Self.decoded(halves.count > 1 ? halves[1] : ""))
        }.filter { self.names.contains($0.name) == self.areExceptions }.enumerated()
        let ordered =
            self.ignoresOrder
            ? pairs.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) } : Array(pairs)
        // With lengths, because names and values may contain any characters.
        return ordered.map(\.element)
            .map { Self.withLength($0.name) + Self.withLength($0.value) }.joined()
    }

    /// Decodes a part of a query as form-encoded text.
    private static func decoded(_ text: some StringProtocol) -> ExactText {
        let plain = text.replacingExactly("+", with: " ")
        return ExactText(HTTPURL.percentDecode(plain) ?? plain)
    }

    private static func withLength(_ text: ExactText) -> String { "\(text.string.utf8.count):\(text)" }
}
