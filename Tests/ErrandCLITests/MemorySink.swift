internal import ErrandLocks
internal import Synchronization

@testable internal import ErrandCLI

/// Keeps what is written, and fails where it is told to.
final class MemorySink: TextSink {
    let isTerminal: Bool
    let columns: Int

    private struct State {
        var text = ""
        var writes: [String] = []
        var error: SinkError?
    }

    private let state = Mutex(State())

    init(isTerminal: Bool = false, columns: Int = 80, error: SinkError? = nil) {
        self.isTerminal = isTerminal
        self.columns = columns
        self.state.withLock { $0.error = error }
    }

    /// All that was written.
    var text: String { self.state.withLock { $0.text } }
    /// The lines that were written.
    var lines: [String] {
        self.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    /// What was written, call by call.
    var writes: [String] { self.state.withLock { $0.writes } }

    func write(_ text: String) throws(SinkError) {
        let error = self.state.withLock { state in
            if state.error == nil {
                state.text += text
                state.writes.append(text)
            }
            return state.error
        }
        if let error { throw error }
    }
}

/// The program with memory where its output goes.
struct ProgramHarness {
    let output: MemorySink
    let errors: MemorySink
    let interruption = Interruption()
    let program: Program

    init(output: MemorySink = MemorySink(), errors: MemorySink = MemorySink(), input: [String] = []) {
        let interruption = self.interruption
        let console = Console(output: output, errors: errors) { interruption.raise(.outputLost($0)) }
        let lines = Mutex(input[...])
        self.output = output
        self.errors = errors
        self.program = Program(console: console, interruption: interruption, ownsProcess: false) {
            lines.withLock { $0.popFirst() }
        }
    }

    func run(_ arguments: String...) async -> Int32 {
        await self.program.run(arguments)
    }
}
