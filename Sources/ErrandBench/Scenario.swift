/// A benchmark scenario.
protocol Scenario: Sendable {
    /// The name on the command line.
    static var name: String { get }
    /// The help text.
    static var help: String { get }

    /// The options of the scenario.
    associatedtype Options: ScenarioOptions

    /// Creates a scenario with options, which writes to a report.
    init(options: Options, report: Report)

    /// Runs the measurements, and reports them one by one.
    @concurrent
    func run() async throws
}

/// The options of a scenario, besides those of the report.
protocol ScenarioOptions: Sendable {
    /// The number of rounds of each measurement.
    var rounds: Int { get set }

    /// Creates the default options.
    init()

    /// Parses an option that only this scenario has.
    mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError)
}

extension Scenario {
    /// Parses the command line.
    init(_ words: inout ArgumentWords) throws(UsageError) {
        var (options, json) = (Options(), false)
        while let option = words.next() {
            switch option {
            case "--json": json = true
            case "--rounds": options.rounds = try words.number(of: option)
            default: try options.take(option, &words)
            }
        }
        self.init(options: options, report: Report(scenario: Self.name, json: json))
    }
}
