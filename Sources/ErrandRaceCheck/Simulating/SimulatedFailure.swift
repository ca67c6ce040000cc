/// A failure of a simulated test, reported once for all cases of the test that have it.
struct SimulatedFailure: Hashable, Sendable, Encodable {
    /// The test with its module, suites and location.
    let test: String
    /// The display name of the test.
    let name: String
    /// The path of the file relative to the package's folder, or its name in the module.
    ///
    /// It is the file of the first issue, or of the test if the issue has no location.
    let file: String
    let line: Int
    let column: Int
    /// The error.
    let error: String
    /// The shortest failing schedule.
    let schedule: String
    /// The number of its departures from the default order.
    let switches: Int
    /// Instructions for running the schedule again.
    let replay: String
    /// The explanation of the schedule.
    let explanation: [String]
    /// The number of cases of the test that have it.
    var cases: Int
}
