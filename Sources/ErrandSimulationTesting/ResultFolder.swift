internal import Foundation
internal import Testing

/// A folder in which each case of a test leaves a file with what came of it.
struct ResultFolder: Sendable {
    private let url: URL

    /// Names a folder, which is made when something is written.
    init(_ path: String) {
        self.url = URL(filePath: path, directoryHint: .isDirectory)
    }

    /// Writes a file with a name of its own, at once or not at all.
    ///
    /// - Throws: What keeps it from being written.
    func write(_ result: CaseResult) throws {
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = self.url.appending(path: "\(UUID().uuidString).json", directoryHint: .notDirectory)
        try encoder.encode(result).write(to: file, options: .atomic)
    }
}
