/// The members between the braces of a type or an extension, as far as rules about requirements need them.
struct TypeBlock: Sendable {
    /// What the braces belong to.
    enum Kind: Sendable {
        case type
        case proto
        case `extension`
    }

    let kind: Kind
    /// The name of the type with those around it, such as `API.GetUser`.
    let path: String
    /// What it inherits from and conforms to, as it is written there.
    var references: [String] = []
    /// The members whose names are of interest; of a protocol its requirements.
    var members: [TypeMember] = []
    /// The names of interest that members use, and the names of those members.
    var uses: [String: Set<String>] = [:]
    /// Whether the value as a whole is given to something that may read all of it.
    var isUsedWhole = false
}

/// What one source tells of types.
struct SourceTypes: Sendable {
    var blocks: [TypeBlock] = []
    /// The names of type aliases, wherever they are.
    var aliases: Set<String> = []
    /// Whether the source imports Errand.
    var importsErrand = false
}
