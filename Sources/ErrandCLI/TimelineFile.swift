internal import Errand
internal import ErrandTimeline
internal import Foundation

/// The file for a timeline.
struct TimelineFile: Sendable, Hashable {
    private enum Format: String {
        case svg
        case html
    }

    /// The reason why it could not be written.
    struct Problem: Error, Hashable {
        let message: String
    }

    private let url: URL
    private let path: String
    private let format: Format

    /// Checks that a path has a supported extension and is in a writable folder.
    ///
    /// - Parameters:
    ///   - path: The path as given.
    ///   - command: The command, such as `errand get`.
    /// - Throws: ``UsageError`` with the reason.
    init(_ path: String, of command: String) throws(UsageError) {
        func refused(_ reason: String) -> UsageError {
            UsageError(message: "--timeline \(path): \(reason)", help: "\(command) --help")
        }
        self.path = path
        self.url = URL(filePath: path, directoryHint: .notDirectory)
        guard let format = Format(rawValue: self.url.pathExtension.asciiLowercased()) else {
            throw refused("the name of the file must end with .svg or .html")
        }
        self.format = format
        let folder = self.url.deletingLastPathComponent().path
        guard FileFacts.isFolder(folder) else { throw refused("there is no folder \(folder)") }
        guard !FileFacts.isFolder(self.url.path) else { throw refused("it is a folder") }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw refused("the folder is not writable")
        }
    }

    /// Draws a timeline into the file atomically.
    func write(_ timeline: Timeline, _ rendering: TimelineRendering) throws(Problem) {
        let text =
            switch self.format {
            case .svg: timeline.svg(rendering)
            case .html: timeline.html(rendering)
            }
        let draft = self.url.deletingLastPathComponent().appending(
            path: ".\(UUID().uuidString).part", directoryHint: .notDirectory)
        do throws(FileProblem) {
            try OpenFile.replace(self.url.path, with: Data(text.utf8), by: draft.path, mode: 0o666)
        } catch {
            throw Problem(message: "--timeline \(self.path): the file cannot be written: \(error)")
        }
    }
}

extension TimelineRendering {
    /// The default rendering with a heading.
    init(title: String, labels: Labels = .names) {
        self.init()
        self.title = title
        self.labels = labels
    }
}
