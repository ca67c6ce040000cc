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
        var hasDeparted = false
    }

    private let url: URL
    private let titleLength: UInt64
    private let state: Locked<State>

    /// Creates a file in the folder that the environment names; returns `nil` if it names none, or if there is nothing to
    /// be written there, which is said on standard error.
    static func ofEnvironment() -> Trail? {
        guard let path = self.path else { return nil }
        do {
            return try Trail(in: URL(filePath: path, directoryHint: .isDirectory), title: self.title)
        } catch {
            let notice = "ErrandSimulation: \(self.variable) is \"\(path)\", where nothing can be written: \(error)\n"
            try? FileHandle.standardError.write(contentsOf: Data(notice.utf8))
            return nil
        }
    }

    private static let path = ProcessInfo.processInfo.environment[Trail.variable]

    /// Creates a file in a folder, which is made if need be.
    ///
    /// - Throws: What keeps it from being written.
    init(in folder: URL, title: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.url = folder.appending(path: "\(UUID().uuidString).txt", directoryHint: .notDirectory)
        try Data("\(title)\n".utf8).write(to: self.url)
        self.state = Locked(State(file: try FileHandle(forWritingTo: self.url)))
        self.titleLength = UInt64(title.utf8.count + 1)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// A run begins, with the seed of its chance.
    func begin(seed: UInt64) {
        self.state.withLock { state in
            state.hasDeparted = false
            try? state.file.truncate(atOffset: self.titleLength)
            try? state.file.write(contentsOf: Data("#\(seed) -".utf8))
        }
    }

    /// The run departs from the default order.
    func note(_ departure: Departure) {
        self.state.withLock { state in
            // The first takes the place of the word for the default order.
            if !state.hasDeparted, let end = try? state.file.seekToEnd() { try? state.file.seek(toOffset: end - 1) }
            let separator = state.hasDeparted ? " " : ""
            state.hasDeparted = true
            try? state.file.write(contentsOf: Data("\(separator)\(departure)".utf8))
        }
    }
}
