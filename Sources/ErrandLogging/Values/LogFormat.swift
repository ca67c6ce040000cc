/// What a line looks like.
public struct LogFormat: Sendable, Hashable {
    /// Lines for people, with the time at the beginning.
    public static let text = LogFormat(.text(hasTime: true))
    /// Lines for people that are handed to something which tells the time itself.
    public static let textWithoutTime = LogFormat(.text(hasTime: false))
    /// A JSON object on each line, for programs.
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
