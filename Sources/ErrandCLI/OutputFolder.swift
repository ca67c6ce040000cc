internal import Errand
internal import Foundation

/// The folder that bodies go into.
struct OutputFolder: Sendable {
    private let url: URL
    private var names = OutputNames()

    /// Makes the folder where there is none, and checks that files can be put into it.
    init(_ path: String) throws(UsageError) {
        self.url = URL(filePath: path, directoryHint: .isDirectory)
        // The path that was given, as in the complaints of other programs.
        try? FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        guard FileFacts.isFolder(self.url.path) else { throw .get("--output \(path): the folder cannot be made") }
        guard FileManager.default.isWritableFile(atPath: self.url.path) else {
            throw .get("--output \(path): no file can be put into the folder")
        }
    }

    /// Returns a file for the next URL, or `nil` for a text that is none.
    mutating func file(for text: String) -> URL? {
        guard let url = try? HTTPURL(text) else { return nil }
        return self.url.appending(path: self.names.name(for: url), directoryHint: .notDirectory)
    }
}
