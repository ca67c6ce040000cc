internal import Foundation

/// The file that a body is written to until it is complete and accepted.
///
/// It lies beside the place it is for, so that moving it there is one step: whatever moment the process dies, there is
/// the old file, or the new one. When nobody holds it any more it is removed.
final class PartFile: Sendable {
    /// Where the body is written.
    let url: URL
    private let place: URL

    /// Chooses a name; nothing is made yet.
    init(for place: URL) {
        // File systems count bytes, most of them up to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let name = ".\(beginning).\(UUID().uuidString).part"
        self.place = place
        self.url = place.deletingLastPathComponent().appending(path: name)
    }

    deinit {
        _ = unsafe unlink(self.url.path)
    }

    /// Checks that a place is one for a file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func check(_ place: URL) throws(ErrandError) {
        guard place.isFileURL, !place.hasDirectoryPath, !place.lastPathComponent.isEmpty else {
            throw ErrandError(.fileFailed, "a response body can only go into a local file, and not into a folder")
        }
    }

    /// Moves it to its place, in one step.
    ///
    /// - Returns: The place.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; nothing is changed then.
    func land() throws(ErrandError) -> URL {
        guard unsafe rename(self.url.path, self.place.path) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw ErrandError(.fileFailed, "the response cannot be put into its file: \(reason)")
        }
        return self.place
    }

    /// Writes a stream to its end.
    ///
    /// - Throws: ``ErrandError`` that the stream ends with, or with the code ``ErrandError/Code/fileFailed``.
    func write(_ stream: BodyStream) async throws(ErrandError) {
        do {
            try Data().write(to: self.url, options: .withoutOverwriting)
            let handle = try FileHandle(forWritingTo: self.url)
            defer { try? handle.close() }
            for try await chunk in stream { try handle.write(contentsOf: chunk) }
        } catch {
            throw ErrandError(wrapping: error, as: .fileFailed, "the response cannot be written to its file")
        }
    }

    /// The size in bytes of a file that was received, if it is there.
    static func size(of url: URL) -> Int? {
        var url = url
        // A URL may remember what it was told of the file that was there before.
        url.removeAllCachedResourceValues()
        return try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
    }

    /// The first bytes of it, for the context of an error.
    var beginning: Data {
        guard let handle = try? FileHandle(forReadingFrom: self.url) else { return Data() }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: ErrandError.Context.bodyLimit)) ?? Data()
    }
}
