/// A command line, or a file that it names, that makes no sense.
struct UsageError: Error, Hashable {
    /// What is wrong with it.
    let message: String
}
