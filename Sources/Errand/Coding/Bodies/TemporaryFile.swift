internal import ErrandLocks
internal import Foundation

/// The temporary file of a body until it is complete and accepted.
///
/// It is on the volume of its destination, so it is moved into place atomically: whenever the process ends, there is
/// either the old or the new file. Until then, only this user can access it. It is removed when it is no longer
/// referenced.
final class TemporaryFile: Sendable {
    /// The path of the temporary file.
    let url: URL
    private let isKept = Locked(false)

    /// Uses an existing or future file, on the volume of its destination.
    init(_ url: URL) {
        self.url = url
    }

    /// Chooses a name; the file is not created yet.
    init(for place: URL) {
        // File systems limit names in bytes, usually to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let name = ".\(beginning).\(UUID().uuidString).part"
        self.url = place.deletingLastPathComponent().appending(path: name)
    }

    deinit {
        if !self.isKept.withLock({ $0 }) { FileSystem.discard(self.url.path) }
    }

    /// Leaves the file to another owner, which removes or moves it.
    func keep() {
        self.isKept.withLock { $0 = true }
    }

    /// Checks that a destination is valid for a file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func check(_ place: URL) throws(ErrandError) {
        guard place.isFileURL, !place.hasDirectoryPath, !place.lastPathComponent.isEmpty else {
            throw ErrandError(.fileFailed, "a body can only be written to a local file, not to a folder")
        }
        guard (try? FileFacts(path: place.path))?.isFolder == true else { return }
        throw ErrandError(.fileFailed, "\(place.path) is a folder, but a body can only be written to a file")
    }

    /// Moves the file to its destination atomically, with the permissions of the replaced file, or those of a new one.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``, without changing anything.
    func replaceFile(at place: URL) throws(ErrandError) {
        // A link itself is replaced.
        let old = (try? FileFacts(path: place.path)).flatMap { $0.isRegular ? $0.permissions : nil }
        self.setPermissions(old)
        try ErrandError.refusing(Self.problem, try FileSystem.move(self.url.path, to: place.path))
    }

    /// Moves the file to an unused name atomically, with the permissions of a new file.
    ///
    /// - Returns: True if the name was free.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``, without changing anything.
    func makeFile(at place: URL) throws(ErrandError) -> Bool {
        self.setPermissions(nil)
        return try ErrandError.refusing(Self.problem, try FileSystem.move(self.url.path, toNew: place.path))
    }

    private static let problem = "the response cannot be moved to its file"

    /// Sets the permissions of an existing file, or those that the system gives to a new one here.
    ///
    /// A file is created to read them: the umask cannot be read without setting it, for all threads.
    private func setPermissions(_ old: mode_t?) {
        let path = "\(self.url.path).new"
        var mode = old
        if old == nil, let file = try? OpenFile(making: path, mode: 0o666) {
            mode = (try? file.facts())?.permissions
            FileSystem.discard(path)
        }
        if let mode { try? FileSystem.setPermissions(mode, of: self.url.path) }
    }

    /// Writes a stream to its end.
    ///
    /// - Throws: The ``ErrandError`` of the stream, or one with the code ``ErrandError/Code/fileFailed``.
    func write(_ stream: BodyStream) async throws(ErrandError) {
        let file = BodyFile(self.url)
        try file.open()
        var chunks = stream.makeAsyncIterator()
        while let chunk = try await chunks.next() { try file.write(chunk) }
        _ = try file.finish()
    }

    /// Returns the size in bytes of a received file, if it exists.
    static func size(of url: URL) -> Int? {
        guard url.isFileURL, let facts = try? FileFacts(path: url.path, followsLink: true) else { return nil }
        return facts.isRegular ? Int(clamping: facts.length) : nil
    }

    /// The first bytes, for the context of an error.
    var beginning: Data {
        let file = try? OpenFile(reading: self.url.path, followsLink: true)
        return (try? file?.read(ErrandError.Context.bodyLimit)).map { Data($0) } ?? Data()
    }
}
