internal import Foundation

/// The program `errand-bench`: measures Errand, always beside a floor in the same run.
@main
struct ErrandBench {
    private static let scenarios: [any Scenario.Type] = [
        OverheadScenario.self, LoopbackScenario.self, TransferScenario.self, MixedScenario.self,
        CodecScenario.self, CacheScenario.self, SimulateScenario.self, AllocationScenario.self,
    ]

    static func main() async {
        var words = ArgumentWords(CommandLine.arguments.dropFirst())
        guard let name = words.next() else { Self.fail(UsageError("name a scenario")) }
        if ["--help", "-h", "help"].contains(name) { return print(Self.help) }
        guard let scenario = Self.scenarios.first(where: { $0.name == name }) else {
            Self.fail(UsageError("there is no scenario \"\(name)\""))
        }
        if words.wantHelp { return print(scenario.help) }
        do {
            try await scenario.init(&words).run()
        } catch let error as UsageError {
            Self.fail(error)
        } catch let interruption as Interruption {
            exit(128 + interruption.signal)
        } catch {
            Self.complain("\(error)")
            exit(1)
        }
    }

    private static func fail(_ error: UsageError) -> Never {
        Self.complain("\(error.message); see errand-bench --help")
        exit(2)
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("errand-bench: \(message)\n".utf8))
    }

    private static var help: String {
        """
        usage: errand-bench SCENARIO [options]

        \(Self.scenarios.map { $0.help }.joined(separator: "\n\n\n"))


        Run it in release: swift run -c release errand-bench overhead
        """
    }
}
