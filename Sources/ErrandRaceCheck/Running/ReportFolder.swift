internal import Foundation

/// The folder to which builds and runs of tests write their logs and reports.
struct ReportFolder: Sendable {
    let url: URL

    /// Names the folder inside of one that builds go to.
    init(in scratch: URL) {
        self.url = scratch.appending(path: "race-check-reports", directoryHint: .isDirectory)
    }

    /// Makes it, without what an earlier run has left there.
    ///
    /// - Throws: ``UsageError`` when it cannot be written.
    func clear() throws(UsageError) {
        do {
            try? FileManager.default.removeItem(at: self.url)
            try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        } catch {
            throw UsageError(message: "\(self.url.path) cannot be made: \(error.localizedDescription)")
        }
    }

    /// Returns the file for a log.
    func log(_ name: String) -> URL {
        self.url.appending(path: "\(name).log", directoryHint: .notDirectory)
    }

    /// Returns the names of what is there, in order.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.url.path)) ?? []).sorted()
    }

    /// Returns what a file says; `nil` where it cannot be read.
    static func text(of file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}
