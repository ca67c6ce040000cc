internal import Errand
internal import Foundation

/// The folder for bodies.
struct OutputFolder: Sendable {
    private let url: URL
    private var names = OutputNames()

    /// Creates the folder if it does not exist, and checks that it is writable.
    init(_ path: String) throws(UsageError) {
        self.url = URL(filePath: path, directoryHint: .isDirectory)
        // The path as given, as in the error messages of other programs.
        try? FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        guard FileFacts.isFolder(self.url.path) else { throw .get("--output \(path): the folder cannot be created") }
        guard FileManager.default.isWritableFile(atPath: self.url.path) else {
            throw .get("--output \(path): the folder is not writable")
        }
    }

    /// Returns a file for the next URL, or `nil` if the text is not a URL.
    mutating func file(for text: String) -> URL? {
        guard let url = try? HTTPURL(text) else { return nil }
        return self.url.appending(path: self.names.name(for: url), directoryHint: .notDirectory)
    }
}
