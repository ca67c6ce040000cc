internal import CErrandFiles
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
        if !self.isKept.withLock({ $0 }) { _ = unsafe unlink(self.url.path) }
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
        var status = stat()
        guard unsafe lstat(place.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw ErrandError(.fileFailed, "\(place.path) is a folder, and a body can only go into a file")
    }

    /// Moves it to its place, in one step, with the permissions of the file that was there, or those of a new one.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; nothing is changed then.
    func replaceFile(at place: URL) throws(ErrandError) {
        if let mode = self.mode(ofOldFileAt: place) ?? self.modeOfNewFile { _ = unsafe chmod(self.url.path, mode) }
        guard unsafe rename(self.url.path, place.path) == 0 else { throw Self.problem }
    }

    /// Gives it a name that nothing has, in one step, with the permissions of a new file.
    ///
    /// - Returns: Whether the name was free.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; nothing is changed then.
    func makeFile(at place: URL) throws(ErrandError) -> Bool {
        if let mode = self.modeOfNewFile { _ = unsafe chmod(self.url.path, mode) }
        guard unsafe errand_rename_to_new(self.url.path, place.path) == 0 else {
            guard errno == EEXIST else { throw Self.problem }
            return false
        }
        return true
    }

    private static var problem: ErrandError {
        ErrandError(system: "the response cannot be put into its file", code: .fileFailed)
    }

    /// The permissions of the file that is replaced; `nil` where there is none, or a link, which is replaced itself.
    ///
    /// Without those by which a program runs as another user or group: they were given to another content.
    private func mode(ofOldFileAt place: URL) -> mode_t? {
        var status = stat()
        guard unsafe lstat(place.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.st_mode & 0o777
    }

    /// The permissions that the system gives to a new file here.
    ///
    /// A file is made to see them: the umask that they follow cannot be read without setting it, for all threads.
    private var modeOfNewFile: mode_t? {
        let path = "\(self.url.path).new"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            _ = unsafe unlink(path)
        }
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    /// Writes a stream to its end.
    ///
    /// - Throws: ``ErrandError`` that the stream ends with, or with the code ``ErrandError/Code/fileFailed``.
    func write(_ stream: BodyStream) async throws(ErrandError) {
        do {
            let file = BodyFile(self.url)
            try file.open()
            for try await chunk in stream { try file.write(chunk) }
            _ = try file.finish()
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
