/// A rule and a declaration of a file, which stay the same when lines move.
struct Place: Hashable, Sendable {
    let rule: Rule
    let file: String
    let declaration: String
}
