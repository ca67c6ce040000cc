internal import Foundation

/// The folder for the logs and reports of builds and tests.
struct ReportFolder: Sendable {
    let url: URL

    /// Creates a reference to the folder inside a build folder.
    init(in scratch: URL) {
        self.url = scratch.appending(path: "race-check-reports", directoryHint: .isDirectory)
    }

    /// Creates the folder, without the files of an earlier run.
    ///
    /// - Throws: ``UsageError`` if it cannot be written.
    func clear() throws(UsageError) {
        do {
            try? FileManager.default.removeItem(at: self.url)
            try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        } catch {
            throw UsageError(message: "\(self.url.path) cannot be created: \(error.localizedDescription)")
        }
    }

    /// Returns the file for a log.
    func log(_ name: String) -> URL {
        self.url.appending(path: "\(name).log", directoryHint: .notDirectory)
    }

    /// The names of the files in it, in order.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.url.path)) ?? []).sorted()
    }

    /// Returns the text of a file; `nil` if it cannot be read.
    static func text(of file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}
