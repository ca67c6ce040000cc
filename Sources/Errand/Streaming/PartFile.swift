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
    ///
    /// - Throws: ``ErrandError`` when the place is no place for a file.
    init(for place: URL) throws(ErrandError) {
        guard place.isFileURL, !place.lastPathComponent.isEmpty, !place.hasDirectoryPath else {
            throw ErrandError(.fileFailed, "a response body can only go into a local file")
        }
        let name = ".\(place.lastPathComponent.prefix(100)).\(UUID().uuidString).part"
        self.place = place
        self.url = place.deletingLastPathComponent().appending(path: name)
    }

    deinit {
        self.remove()
    }

    /// Removes what is there, before something else is written.
    func remove() {
        _ = unsafe unlink(self.url.path)
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

    /// The first bytes of it, for the context of an error.
    func prefix(_ count: Int) -> Data {
        guard let handle = try? FileHandle(forReadingFrom: self.url) else { return Data() }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: count)) ?? Data()
    }
}
