/// A failure of a simulated test, told once however many cases of the test have it.
struct SimulatedFailure: Hashable, Sendable, Encodable {
    /// The test with its module, suites and place.
    let test: String
    /// The name of the test for a person.
    let name: String
    /// The path of the file from the package's folder, or how its module calls it; where the first issue comes from, or
    /// the test where there is no such place.
    let file: String
    let line: Int
    let column: Int
    /// What went wrong.
    let error: String
    /// The least schedule that fails.
    let schedule: String
    /// The number of departures from the default order in it.
    let switches: Int
    /// How the schedule is run again.
    let replay: String
    /// What happened in it.
    let explanation: [String]
    /// How many cases of the test have it.
    var cases: Int
}
