/// One thing to measure.
protocol Scenario: Sendable {
    /// The word that asks for it.
    static var name: String { get }
    /// What is said about it.
    static var help: String { get }

    /// Reads what the command line asks for.
    init(_ words: inout ArgumentWords) throws(UsageError)

    /// Measures, and reports as it goes.
    @concurrent
    func run() async throws
}
