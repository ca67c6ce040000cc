/// The members between the braces of a type or an extension, as far as rules about requirements need them.
struct TypeBlock: Sendable {
    /// The kind of declaration.
    enum Kind: Sendable {
        case type
        case proto
        case `extension`
    }

    let kind: Kind
    /// The name of the type with its enclosing types, such as `API.GetUser`.
    let path: String
    /// The superclass and the protocols, as written.
    var references: [String] = []
    /// The members with relevant names; of a protocol, its requirements.
    var members: [TypeMember] = []
    /// The relevant names that members use, with the names of those members.
    var uses: [String: Set<String>] = [:]
    /// True if the value as a whole is passed to code that may read all of it.
    var isUsedWhole = false
}

/// The types in one source.
struct SourceTypes: Sendable {
    var blocks: [TypeBlock] = []
    /// The names of all type aliases.
    var aliases: Set<String> = []
    /// True if the source imports Errand.
    var importsErrand = false
}
