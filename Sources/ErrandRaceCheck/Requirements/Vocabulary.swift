/// Selects the relevant names of members.
struct Vocabulary {
    private var known: [String: Bool] = [:]

    /// Returns whether a name is that of a requirement, similar to one, or an equivalent in another library.
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
