internal import ErrandLocks
internal import Foundation

/// Keeps the schedule that is being run in a file, for the case that the process does not survive it.
///
/// The file is there as long as this is. A process that ends in the middle, for instance because a continuation was
/// resumed twice, leaves it behind: its last line replays the run up to there.
package final class Trail: Sendable {
    /// The variable of the environment that names the folder for such files.
    package static let variable = "ERRAND_SIMULATION_TRAIL"

    /// What the runs of the calling task are called.
    @TaskLocal package static var title = "A scenario"

    private struct State {
        let file: FileHandle
        /// Where the schedule begins, behind the title.
        let start: UInt64
        var hasDeparted = false
    }

    private let url: URL
    private let state: Locked<State>

    /// Creates a file in the folder that the environment names, if it names one.
    static func ofEnvironment() -> Trail? {
        self.folder.flatMap { try? Trail(in: $0, title: self.title) }
    }

    /// The folder that the environment names; what keeps it from being made is said once, on standard error.
    private static let folder: URL? = {
        guard let path = ProcessInfo.processInfo.environment[Trail.variable], !path.isEmpty else { return nil }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return URL(filePath: path, directoryHint: .isDirectory)
        } catch {
            let reason = (error as any Error).localizedDescription
            let notice = "ErrandSimulation: \(Trail.variable) is \"\(path)\", which is no folder: \(reason)\n"
            try? FileHandle.standardError.write(contentsOf: Data(notice.utf8))
            return nil
        }
    }()

    /// Creates a file in a folder.
    ///
    /// - Throws: What keeps it from being written.
    private init(in folder: URL, title: String) throws {
        self.url = folder.appending(path: "\(UUID().uuidString).txt", directoryHint: .notDirectory)
        let head = Data("\(title)\n".utf8)
        try head.write(to: self.url)
        self.state = Locked(State(file: try FileHandle(forWritingTo: self.url), start: UInt64(head.count)))
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// A run begins, with the seed of its chance.
    func begin(seed: UInt64) {
        self.state.withLock { state in
            state.hasDeparted = false
            try? state.file.truncate(atOffset: state.start)
            Self.write("#\(seed) -", to: state.file)
        }
    }

    /// The run departs from the default order.
    func note(_ departure: Departure) {
        self.state.withLock { state in
            // The first takes the place of the word for the default order.
            if !state.hasDeparted, let end = try? state.file.seekToEnd() { try? state.file.seek(toOffset: end - 1) }
            let separator = state.hasDeparted ? " " : ""
            state.hasDeparted = true
            Self.write("\(separator)\(departure)", to: state.file)
        }
    }

    /// Writes at once, because what follows may be the end; a disk that is full ends nothing.
    private static func write(_ text: String, to file: FileHandle) {
        var text = text
        _ = text.withUTF8 { bytes in
            unsafe Foundation.write(file.fileDescriptor, UnsafeRawPointer(bytes.baseAddress), bytes.count)
        }
    }
}
