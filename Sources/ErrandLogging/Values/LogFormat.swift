/// The format of a line.
public struct LogFormat: Sendable, Hashable {
    /// Lines for people that begin with the time.
    public static let text = LogFormat(.text(hasTime: true))
    /// Lines for people without the time, for a destination that adds it.
    public static let textWithoutTime = LogFormat(.text(hasTime: false))
    /// Lines for programs: one JSON object each.
    public static let json = LogFormat(.json)

    enum Kind: Sendable, Hashable {
        case text(hasTime: Bool)
        case json
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }
}
