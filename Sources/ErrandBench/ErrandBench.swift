internal import Foundation

/// The program `errand-bench`: measures Errand, always beside a floor in the same run.
@main
struct ErrandBench {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard let scenario = arguments.first else { Self.fail("name a scenario") }
        if ["--help", "-h", "help"].contains(scenario) { return print(Self.help) }
        arguments.removeFirst()
        if arguments.contains("--help") || arguments.contains("-h") { return print(Self.help) }
        let options: Options
        do {
            options = try Options(arguments)
        } catch {
            Self.fail(error.message)
        }
        switch scenario {
        case "overhead": await OverheadScenario(options).run()
        default: Self.fail("there is no scenario \"\(scenario)\"")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("errand-bench: \(message); see errand-bench --help\n".utf8))
        exit(2)
    }

    static let help = """
        usage: errand-bench overhead [--widths W,…] [--requests N] [--waiting N] [--rounds N] [--time-only] [--json]

        Measures the whole pipeline over an in-memory transport, beside a bare task group doing the same calls.

          --widths W,…   requests in flight, for each a measurement (default 1,64,1024)
          --requests N   requests of one measurement (default 200000)
          --waiting N    requests that wait at once, for the memory of one (default 100000)
          --rounds N     rounds of each measurement; the fastest counts (default 7)
          --time-only    leaves out what memory it takes
          --json         one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics of overhead, W being the width:
          width-W/floor                  a task group calling the transport, per call
          width-W/accessories-0          the pipeline without an accessory, per request
          width-W/accessories-1          the pipeline with one accessory, per request
          width-W/accessories-N/ratio    the pipeline divided by the floor
          width-W/accessory-cost         what one accessory adds, in percent
          stream/resident-10k            resident memory after a streamed batch of 10000
          stream/resident-1m             resident memory after a streamed batch of 1000000
          waiting/bytes                  resident memory of one request that waits for a slot

        The transport answers after giving way once, as every transport does that waits for a network.
        Run it in release: swift run -c release errand-bench overhead
        """
}

/// A usage error.
struct UsageError: Error {
    let message: String
}

/// What the command line asks for.
struct Options {
    var requests = 200_000
    var waiting = 100_000
    var rounds = 7
    var widths = [1, 64, 1024]
    var timeOnly = false
    var json = false

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": self.json = true
            case "--time-only": self.timeOnly = true
            case "--widths":
                self.widths = []
                for width in (rest.popFirst() ?? "").split(separator: ",", omittingEmptySubsequences: false) {
                    self.widths.append(try Self.number(argument, String(width)))
                }
            case "--requests": self.requests = try Self.number(argument, rest.popFirst())
            case "--waiting": self.waiting = try Self.number(argument, rest.popFirst())
            case "--rounds": self.rounds = try Self.number(argument, rest.popFirst())
            default: throw UsageError(message: "unknown option \"\(argument)\"")
            }
        }
    }

    private static func number(_ option: String, _ text: String?) throws(UsageError) -> Int {
        guard let text, let number = Int(text), number > 0 else {
            throw UsageError(message: "\(option) needs a number above zero")
        }
        return number
    }
}
