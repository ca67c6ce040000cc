package import Foundation

/// A temporary folder that only this user can look into, removed with everything in it when it is let go of.
package final class TestFolder: Sendable {
    /// Where the folder is; its path is short enough for sockets in it.
    package let url: URL

    /// Makes a folder.
    ///
    /// - Throws: `CocoaError` when it cannot be made.
    package init() throws {
        let name = "errand-" + UUID().uuidString.prefix(13)
        self.url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: self.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// Names a file in the folder.
    package func file(_ name: String) -> URL {
        self.url.appending(path: name, directoryHint: .notDirectory)
    }
}
