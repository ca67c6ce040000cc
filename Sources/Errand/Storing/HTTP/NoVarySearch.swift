/// Which parameters of a query make no difference to a response, as its field `No-Vary-Search` says it.
///
/// What is malformed says nothing: then each character of the query counts.
struct NoVarySearch: Sendable, Hashable {
    private var names: Set<ExactText> = []
    /// Whether all parameters but these make no difference, or just these.
    private var areExceptions = false
    private var ignoresOrder = false

    /// The most bytes that are read, for each request to a path again.
    private static let mostBytes = 4 << 10

    /// Reads the field: a dictionary of a structured field (RFC 9651 §3.2); `nil` where each character counts.
    ///
    /// Members that are not known are ignored; one that is known and has another type than it must have makes all say
    /// nothing, and so does a field that is too long.
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

    /// The names that an inner list of strings has; `nil` for anything else.
    private static func names(_ member: StructuredField.Member) -> Set<ExactText>? {
        guard case .innerList(let items, _) = member else { return nil }
        let names = items.compactMap { $0.value.string.map(Self.decoded) }
        return names.count == items.count ? Set(names) : nil
    }

    /// What counts of a query: the same for all whose responses are the same.
    func normalized(_ query: String?) -> String {
        let pairs = (query ?? "").parts(at: "&").map { part in
            let halves = part.parts(at: "=", maxSplits: 1, omittingEmpty: false)
            return (name: Self.decoded(halves[0]), value: Self.decoded(halves.count > 1 ? halves[1] : ""))
        }.filter { self.names.contains($0.name) == self.areExceptions }.enumerated()
        let ordered =
            self.ignoresOrder
            ? pairs.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) } : Array(pairs)
        // With the lengths: anything may stand in them.
        return ordered.map(\.element)
            .map { Self.withLength($0.name) + Self.withLength($0.value) }.joined()
    }

    /// A part of a query without its coding, as forms have it.
    private static func decoded(_ text: some StringProtocol) -> ExactText {
        let plain = text.replacingExactly("+", with: " ")
        return ExactText(HTTPURL.percentDecode(plain) ?? plain)
    }

    private static func withLength(_ text: ExactText) -> String { "\(text.string.utf8.count):\(text)" }
}
