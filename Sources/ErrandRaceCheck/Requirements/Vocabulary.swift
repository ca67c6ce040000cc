/// Tells the names of members that are worth a look from all others.
struct Vocabulary {
    private var known: [String: Bool] = [:]

    /// Whether a name is that of a requirement, near to one, or that of something else that says the same.
    mutating func isOfInterest(_ name: String) -> Bool {
        if let isKnown = self.known[name] { return isKnown }
        let isOfInterest =
            ForeignNames.remedy(for: name) != nil
            || Self.names.contains { $0 == name || Spelling.isNear(name, $0) }
        self.known[name] = isOfInterest
        return isOfInterest
    }

    private static let names: Set<String> = Set(
        ErrandProtocol.allCases.flatMap { $0.properties.map(\.name) + $0.functions.map(\.name) } + ["Response"])
}
