internal import Foundation
internal import Testing

/// A folder for the result files of test cases.
struct ResultFolder: Sendable {
    private let url: URL

    /// Creates a folder reference; the folder is created when a result is written.
    init(_ path: String) {
        self.url = URL(filePath: path, directoryHint: .isDirectory)
    }

    /// Writes a result to a new file atomically.
    ///
    /// - Throws: An error if it cannot be written.
    func write(_ result: CaseResult) throws {
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = self.url.appending(path: "\(UUID().uuidString).json", directoryHint: .notDirectory)
        try encoder.encode(result).write(to: file, options: .atomic)
    }
}
