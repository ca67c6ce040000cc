internal import Foundation

/// The program `errand`: sets up the process, runs the command, and exits.
@main
struct ErrandCLI {
    static func main() async {
        ProcessSetup.fillStandardDescriptors()
        ProcessSetup.ignoreBrokenPipes()
        let interruption = Interruption()
        let output = DescriptorSink(STDOUT_FILENO)
        let hasColor = Terminal.wantsColor(
            isTerminal: output.isTerminal, environment: ProcessInfo.processInfo.environment)
        let console = Console(output: output, errors: DescriptorSink(STDERR_FILENO), hasColor: hasColor) {
            interruption.raise(.outputLost($0))
        }
        let program = Program(console: console, interruption: interruption, ownsProcess: true)
        let code = await program.run(Array(CommandLine.arguments.dropFirst()))
        exit(code)
    }
}
