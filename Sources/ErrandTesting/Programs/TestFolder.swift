package import Foundation

/// A temporary folder that only this user can access, removed with its contents when it is released.
package final class TestFolder: Sendable {
    /// The URL of the folder, with a path short enough for sockets in it.
    package let url: URL

    /// Creates a folder.
    ///
    /// - Throws: `CocoaError` if it cannot be created.
    package init() throws {
        let name = "errand-" + UUID().uuidString.prefix(13)
        self.url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: self.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// Returns the URL of a file in the folder.
    package func file(_ name: String) -> URL {
        self.url.appending(path: name, directoryHint: .notDirectory)
    }
}
