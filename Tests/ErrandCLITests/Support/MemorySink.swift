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
