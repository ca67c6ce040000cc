internal import Errand
internal import Foundation
internal import Synchronization

@testable internal import ErrandCLI

/// Keeps what is written, and fails where it is told to.
final class MemorySink: TextSink {
    let isTerminal: Bool
    let columns: Int
    let rows: Int

    private struct State {
        var data = Data()
        var writes: [String] = []
        var error: FileProblem?
    }

    private let state = Mutex(State())
    private let onFirstWrite: @Sendable () -> Void
    private let onWrite: @Sendable (String) -> Void

    init(
        isTerminal: Bool = false, columns: Int = 80, rows: Int = 24, error: FileProblem? = nil,
        onFirstWrite: @escaping @Sendable () -> Void = {}, onWrite: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.onFirstWrite = onFirstWrite
        self.onWrite = onWrite
        self.isTerminal = isTerminal
        self.columns = columns
        self.rows = rows
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

    func write(_ data: Data) throws(FileProblem) {
        let (error, isFirst) = self.state.withLock { state in
            let isFirst = state.error == nil && state.writes.isEmpty
            if state.error == nil {
                state.data += data
                state.writes.append(String(decoding: data, as: UTF8.self))
            }
            return (state.error, isFirst)
        }
        if isFirst { self.onFirstWrite() }
        self.onWrite(self.text)
        if let error { throw error }
    }
}
