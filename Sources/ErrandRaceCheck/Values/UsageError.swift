/// An error in the command line, or in a file that it names.
struct UsageError: Error, Hashable {
    /// A description of the error.
    let message: String
}
