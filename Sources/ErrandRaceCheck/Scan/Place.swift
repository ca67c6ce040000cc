/// A declaration of a file, and what is found there: stays the same when lines move.
struct Place: Hashable, Sendable {
    let rule: Rule
    let file: String
    let declaration: String
}
