/// Prints values for the explanation of a history.
enum ValueText {
    private static let longest = 100

    /// Returns the description of a value, with optionals unwrapped, shortened if it is long.
    static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { Self.text($0.value) } ?? "nil"
        }
        let text = String(describing: value)
        return text.count > Self.longest ? text.prefix(Self.longest) + "…" : text
    }
}
