/// One thing to measure.
protocol Scenario: Sendable {
    /// The word that asks for it.
    static var name: String { get }
    /// What is said about it.
    static var help: String { get }

    /// What the command line can ask for.
    associatedtype Options: ScenarioOptions

    /// Creates what measures as the options say, and reports there.
    init(options: Options, report: Report)

    /// Measures, and reports as it goes.
    @concurrent
    func run() async throws
}

/// What a command line can ask of a scenario, besides how to report.
protocol ScenarioOptions: Sendable {
    /// How often each measurement is made.
    var rounds: Int { get set }

    /// Creates the standard ones.
    init()

    /// Takes an option that only this scenario has.
    mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError)
}

extension Scenario {
    /// Reads what the command line asks for.
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
