internal import Foundation

/// The destination file of a body, or the folder in which it gets a name.
package struct FileTarget: Sendable, Hashable {
    let url: URL
    let isFolder: Bool
    let existing: ResponseDestination.ExistingFile

    private static let usualName = "download"

    /// Returns the destination, as far as it is known before the response.
    func place(before url: HTTPURL) -> URL {
        self.isFolder ? self.file(named: url.suggestedFilename) : self.url
    }

    /// Returns the destination for a response.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - url: The URL of the response.
    /// - Returns: The destination.
    func place(for head: HTTPResponse.Head?, from url: HTTPURL?) -> URL {
        self.isFolder ? self.file(named: head?.suggestedFilename ?? url?.suggestedFilename) : self.url
    }

    private func file(named name: String?) -> URL {
        // An empty name would mean the folder itself.
        self.url.appending(path: name.flatMap { $0.isEmpty ? nil : $0 } ?? Self.usualName, directoryHint: .notDirectory)
    }

    /// Checks the destination, as far as possible before the response.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    func check() throws(ErrandError) {
        guard !self.isFolder else {
            guard self.url.isFileURL else { throw ErrandError(.fileFailed, "a body needs a local folder") }
            return
        }
        try TemporaryFile.check(self.url)
        guard self.existing == .fail, (try? self.url.checkResourceIsReachable()) == true else { return }
        throw Self.taken(self.url)
    }

    /// Returns the error for an existing file that must not be replaced.
    static func taken(_ place: URL) -> ErrandError {
        ErrandError(.fileFailed, "the file \"\(place.lastPathComponent)\" already exists")
    }
}
