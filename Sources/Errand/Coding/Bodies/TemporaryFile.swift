internal import ErrandLocks
internal import Foundation

/// The file that a body is written to until it is complete and accepted.
///
/// It lies beside the place it is for, so that moving it there is one step: whatever moment the process dies, there is
/// the old file, or the new one. Until then it is for this user alone. When nobody holds it any more it is removed.
final class TemporaryFile: Sendable {
    /// Where the body is written.
    let url: URL
    private let isKept = Locked(false)

    /// Takes a file that is there or will be, on the volume of the place that it is for.
    init(_ url: URL) {
        self.url = url
    }

    /// Chooses a name; nothing is made yet.
    init(for place: URL) {
        // File systems count bytes, most of them up to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let name = ".\(beginning).\(UUID().uuidString).part"
        self.url = place.deletingLastPathComponent().appending(path: name)
    }

    deinit {
        if !self.isKept.withLock({ $0 }) { FileSystem.discard(self.url.path) }
    }

    /// Leaves the file to somebody else, who removes it or has it moved.
    func keep() {
        self.isKept.withLock { $0 = true }
    }

    /// Checks that a place is one for a file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func check(_ place: URL) throws(ErrandError) {
        guard place.isFileURL, !place.hasDirectoryPath, !place.lastPathComponent.isEmpty else {
            throw ErrandError(.fileFailed, "a body can only go into a local file, and not into a folder")
        }
        guard (try? FileFacts(path: place.path))?.isFolder == true else { return }
        throw ErrandError(.fileFailed, "\(place.path) is a folder, and a body can only go into a file")
    }

    /// Moves it to its place, in one step, with the permissions of the file that was there, or those of a new one.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; nothing is changed then.
    func replaceFile(at place: URL) throws(ErrandError) {
        // A link is replaced itself.
        let old = (try? FileFacts(path: place.path)).flatMap { $0.isRegular ? $0.permissions : nil }
        self.setPermissions(old)
        try ErrandError.refusing(Self.problem, try FileSystem.move(self.url.path, to: place.path))
    }

    /// Gives it a name that nothing has, in one step, with the permissions of a new file.
    ///
    /// - Returns: Whether the name was free.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; nothing is changed then.
    func makeFile(at place: URL) throws(ErrandError) -> Bool {
        self.setPermissions(nil)
        return try ErrandError.refusing(Self.problem, try FileSystem.move(self.url.path, toNew: place.path))
    }

    private static let problem = "the response cannot be put into its file"

    /// Gives it the permissions of an old file, or those that the system gives to a new one here.
    ///
    /// A file is made to see them: the umask that they follow cannot be read without setting it, for all threads.
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
    /// - Throws: ``ErrandError`` that the stream ends with, or with the code ``ErrandError/Code/fileFailed``.
    func write(_ stream: BodyStream) async throws(ErrandError) {
        let file = BodyFile(self.url)
        try file.open()
        var chunks = stream.makeAsyncIterator()
        while let chunk = try await chunks.next() { try file.write(chunk) }
        _ = try file.finish()
    }

    /// The size in bytes of a file that was received, if it is there.
    static func size(of url: URL) -> Int? {
        guard url.isFileURL, let facts = try? FileFacts(path: url.path, followsLink: true) else { return nil }
        return facts.isRegular ? Int(clamping: facts.length) : nil
    }

    /// The first bytes of it, for the context of an error.
    var beginning: Data {
        let file = try? OpenFile(reading: self.url.path, followsLink: true)
        return (try? file?.read(ErrandError.Context.bodyLimit)).map { Data($0) } ?? Data()
    }
}
