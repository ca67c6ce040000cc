internal import ErrandLocks
internal import Foundation

/// A new file that a body is written into, and of which nothing is left unless it is finished.
///
/// It blocks the thread of its caller for as long as the disk takes. Its functions are called one after another, but
/// from any thread; when nobody holds it any more, an unfinished file is removed.
final class BodyFile: Sendable {
    private enum State {
        /// Not yet. Goes to `open`, or to `over`.
        case unmade
        /// There, and being written with this descriptor. Goes to `whole`, or to `over`.
        case open(Int32)
        /// There with all of the body. Goes to `over`.
        case whole
        /// Not there. Final.
        case over
    }

    private let url: URL
    /// Which body it is, for errors.
    private let title: String
    /// Whether what was written stays when no more comes.
    private let keepsPart: Bool
    private let state = Locked(State.unmade)

    /// Chooses a place; nothing is made yet.
    ///
    /// - Parameters:
    ///   - url: The place.
    ///   - title: What errors call the body.
    ///   - keepsPart: Whether what was written stays when no more comes.
    init(_ url: URL, for title: String = "the response body", keepsPart: Bool = false) {
        self.url = url
        self.title = title
        self.keepsPart = keepsPart
    }

    deinit {
        guard case .open = self.state.withLock({ $0 }) else { return }
        self.discard()
    }

    /// Makes the file, for this user alone.
    ///
    /// - Throws: ``ErrandError`` when it cannot be made, such as one that is there already, which stays as it is.
    func open() throws(ErrandError) {
        guard self.url.isFileURL else {
            throw ErrandError(.unsupported, "\(self.title) can only go into a local file")
        }
        // Before the call: it may change what the system says of that.
        let folder = self.url.deletingLastPathComponent().path
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = unsafe Foundation.open(self.url.path, flags, 0o600)
        guard descriptor >= 0 else {
            throw ErrandError(system: "the file for \(self.title) cannot be made in \(folder)", code: .fileFailed)
        }
        self.state.withLock { $0 = .open(descriptor) }
    }

    /// Writes bytes behind those that are there.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) {
        guard case .open(let descriptor) = self.state.withLock({ $0 }) else {
            throw ErrandError(.fileFailed, "the file for \(self.title) is not open")
        }
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ErrandError(system: "\(self.title) cannot be written to its file", code: .fileFailed)
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Writes a piece behind those that are there.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    func write(_ data: Data) throws(ErrandError) {
        let result = unsafe data.withUnsafeBytes { bytes in
            Result { () throws(ErrandError) in unsafe try self.write(bytes) }
        }
        try result.get()
    }

    /// Closes the file, which has all of the body now, and answers its place.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    func finish() throws(ErrandError) -> URL {
        guard case .open(let descriptor) = self.state.withLock({ $0 }) else {
            throw ErrandError(.fileFailed, "the file for \(self.title) is not open")
        }
        // Whatever comes of it, the descriptor is gone.
        self.state.withLock { $0 = .whole }
        guard close(descriptor) == 0 else {
            let error = ErrandError(system: "the file of \(self.title) cannot be finished", code: .fileFailed)
            self.discard()
            throw error
        }
        return self.url
    }

    /// Removes the file, finished or not, if it was made and no part is kept; does nothing the second time.
    func discard() {
        let last = self.state.withLock { state in
            defer { state = .over }
            return state
        }
        switch last {
        case .unmade, .over: return
        case .open(let descriptor): close(descriptor)
        case .whole: break
        }
        if !self.keepsPart { _ = unsafe unlink(self.url.path) }
    }
}
