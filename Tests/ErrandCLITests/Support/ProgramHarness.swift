internal import Errand
internal import Foundation

@testable internal import ErrandCLI

/// The program with memory where its output goes.
struct ProgramHarness {
    let output: MemorySink
    let errors: MemorySink
    let interruption = Interruption()
    let program: Program

    init(output: MemorySink = MemorySink(), errors: MemorySink = MemorySink(), input: [String] = []) {
        self.init(output: output, errors: errors, input: Data(input.map { "\($0)\n" }.joined().utf8))
    }

    /// The input fits into a pipe.
    init(output: MemorySink = MemorySink(), errors: MemorySink = MemorySink(), input: Data) {
        let interruption = self.interruption
        let console = Console(output: output, errors: errors) { interruption.raise(.outputLost($0)) }
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(input)
        try? pipe.fileHandleForWriting.close()
        self.output = output
        self.errors = errors
        self.program = Program(
            console: console, interruption: interruption, ownsProcess: false, timeouts: .unlimited,
            input: pipe.fileHandleForReading)
    }

    func run(_ arguments: String...) async -> Int32 {
        await self.program.run(arguments)
    }
}
