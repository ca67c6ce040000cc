internal import ErrandLocks
internal import Foundation

/// Writes the schedule of the current run to a file, in case the process crashes.
///
/// The file exists as long as this object. A process that dies during a run, for example because a continuation was
/// resumed twice, leaves it behind: its last line replays the run up to that point.
package final class Trail: Sendable {
    /// The environment variable that names the folder for such files.
    package static let variable = "ERRAND_SIMULATION_TRAIL"

    /// The title for runs of the calling task.
    @TaskLocal package static var title = "A scenario"

    private struct State {
        let file: FileHandle
        /// The offset at which the schedule begins, after the title.
        let start: UInt64
        var hasDeparted = false
    }

    private let url: URL
    private let state: Locked<State>

    /// Creates a file in the folder that the environment names; returns `nil` if it names none.
    static func ofEnvironment() -> Trail? {
        self.folder.flatMap { try? Trail(in: $0, title: self.title) }
    }

    /// The folder that the environment names; if it cannot be created, the reason is written to standard error once.
    private static let folder: URL? = {
        guard let path = ProcessInfo.processInfo.environment[Trail.variable], !path.isEmpty else { return nil }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return URL(filePath: path, directoryHint: .isDirectory)
        } catch {
            let reason = (error as any Error).localizedDescription
            let notice = "ErrandSimulation: \(Trail.variable) is \"\(path)\", which is not a folder: \(reason)\n"
            try? FileHandle.standardError.write(contentsOf: Data(notice.utf8))
            return nil
        }
    }()

    /// Creates a file in a folder.
    ///
    /// - Throws: An error if the file cannot be written.
    private init(in folder: URL, title: String) throws {
        self.url = folder.appending(path: "\(UUID().uuidString).txt", directoryHint: .notDirectory)
        let head = Data("\(title)\n".utf8)
        try head.write(to: self.url)
        self.state = Locked(unobserved: State(file: try FileHandle(forWritingTo: self.url), start: UInt64(head.count)))
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// Records the start of a run, with the seed of its chance.
    func begin(seed: UInt64) {
        self.state.withLock { state in
            state.hasDeparted = false
            try? state.file.truncate(atOffset: state.start)
            Self.write("#\(seed) -", to: state.file)
        }
    }

    /// Records a departure from the default order.
    func note(_ departure: Departure) {
        self.state.withLock { state in
            // The first departure replaces the symbol of the default order.
            if !state.hasDeparted, let end = try? state.file.seekToEnd() { try? state.file.seek(toOffset: end - 1) }
            let separator = state.hasDeparted ? " " : ""
            state.hasDeparted = true
            Self.write("\(separator)\(departure)", to: state.file)
        }
    }

    /// Writes at once, because the process may crash next; a full disk is ignored.
    private static func write(_ text: String, to file: FileHandle) {
        var text = text
        _ = text.withUTF8 { bytes in
            unsafe Foundation.write(file.fileDescriptor, UnsafeRawPointer(bytes.baseAddress), bytes.count)
        }
    }
}
