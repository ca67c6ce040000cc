internal import Foundation

/// The file that a body goes into, or the folder that it gets a name in.
package struct FileTarget: Sendable, Hashable {
    let url: URL
    let isFolder: Bool
    let existing: ResponseDestination.ExistingFile

    private static let usualName = "download"

    /// Where the file goes, as far as that is known before there is a response.
    func place(before url: HTTPURL) -> URL {
        self.isFolder ? self.file(named: url.suggestedFilename) : self.url
    }

    /// Where the file with a response goes.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - url: The URL that it came from.
    /// - Returns: The place.
    func place(for head: HTTPResponse.Head?, from url: HTTPURL?) -> URL {
        self.isFolder ? self.file(named: head?.suggestedFilename ?? url?.suggestedFilename) : self.url
    }

    private func file(named name: String?) -> URL {
        // An empty name would be the folder itself.
        self.url.appending(path: name.flatMap { $0.isEmpty ? nil : $0 } ?? Self.usualName, directoryHint: .notDirectory)
    }

    /// Checks that it can be one, as far as that is known before there is a response.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    func check() throws(ErrandError) {
        guard !self.isFolder else {
            guard self.url.isFileURL else { throw ErrandError(.fileFailed, "a body can only go into a local folder") }
            return
        }
        try TemporaryFile.check(self.url)
        guard self.existing == .fail, (try? self.url.checkResourceIsReachable()) == true else { return }
        throw Self.taken(self.url)
    }

    /// There is a file, and it is to stay.
    static func taken(_ place: URL) -> ErrandError {
        ErrandError(.fileFailed, "there is a file \"\(place.lastPathComponent)\" already")
    }
}
