internal import Errand
internal import ErrandLocks
internal import Foundation
internal import Synchronization

@testable internal import ErrandCLI

/// Keeps what is written, and fails where it is told to.
final class MemorySink: TextSink {
    let isTerminal: Bool
    let columns: Int

    private struct State {
        var data = Data()
        var writes: [String] = []
        var error: SinkError?
    }

    private let state = Mutex(State())
    private let onFirstWrite: @Sendable () -> Void

    init(
        isTerminal: Bool = false, columns: Int = 80, error: SinkError? = nil,
        onFirstWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.onFirstWrite = onFirstWrite
        self.isTerminal = isTerminal
        self.columns = columns
        self.state.withLock { $0.error = error }
    }

    /// All that was written.
    var text: String { String(decoding: self.data, as: UTF8.self) }
    /// The bytes of all that was written.
    var data: Data { self.state.withLock { $0.data } }
    /// The lines that were written.
    var lines: [String] {
        self.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    /// What was written, call by call.
    var writes: [String] { self.state.withLock { $0.writes } }

    func write(_ data: Data) throws(SinkError) {
        let (error, isFirst) = self.state.withLock { state in
            let isFirst = state.error == nil && state.writes.isEmpty
            if state.error == nil {
                state.data += data
                state.writes.append(String(decoding: data, as: UTF8.self))
            }
            return (state.error, isFirst)
        }
        if isFirst { self.onFirstWrite() }
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
