internal import ErrandLocks
package import Foundation

/// A new file for a body, which is removed unless it is finished.
///
/// It blocks the calling thread while the disk is accessed. Its functions are called serially, but from any thread; an
/// unfinished file is removed when it is no longer referenced.
package final class BodyFile: Sendable {
    private enum State: ~Copyable {
        /// The file does not exist, not yet or no longer.
        ///
        /// Goes to `open`.
        case none
        /// The file is being written.
        ///
        /// Goes to `whole`, or to `none`.
        case open(OpenFile)
        /// The file has the whole body.
        ///
        /// Goes to `none`.
        case whole
    }

    private let url: URL
    /// The name of the body in errors.
    private let title: String
    /// True if a partial file is kept.
    private let keepsPart: Bool
    /// Held while the disk is accessed, for exclusive use of the file.
    private let state = Locked(State.none)

    /// Chooses a path; the file is not created yet.
    ///
    /// - Parameters:
    ///   - url: The path.
    ///   - title: The name of the body in errors.
    ///   - keepsPart: Pass true to keep a partial file.
    package init(_ url: URL, for title: String = "the response body", keepsPart: Bool = false) {
        self.url = url
        self.title = title
        self.keepsPart = keepsPart
    }

    deinit {
        let isOpen = self.state.withLock { state in
            switch state {
            case .open: true
            default: false
            }
        }
        if isOpen { self.discard() }
    }

    /// Creates the file, with access for this user only.
    ///
    /// - Throws: ``ErrandError`` if it cannot be created, for example because it exists; that file is left unchanged.
    package func open() throws(ErrandError) {
        guard self.url.isFileURL else {
            throw ErrandError(.unsupported, "\(self.title) can only be written to a local file")
        }
        let folder = self.url.deletingLastPathComponent().path
        try self.state.withLock { state throws(ErrandError) in
            let what = "the file for \(self.title) cannot be made in \(folder)"
            state = .open(try ErrandError.refusing(what, try OpenFile(making: self.url.path)))
        }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    package func write(_ bytes: some ContiguousBytes) throws(ErrandError) {
        try self.state.withLock { state throws(ErrandError) in
            switch state {
            case .open(let file):
                try ErrandError.refusing("\(self.title) cannot be written to its file", try file.write(bytes, at: nil))
            default: throw self.isNotOpen
            }
        }
    }

    private var isNotOpen: ErrandError { ErrandError(.fileFailed, "the file for \(self.title) is not open") }

    /// Closes the complete file, and returns its path.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    package func finish() throws(ErrandError) -> URL {
        let file = try self.state.withLock { state throws(ErrandError) -> OpenFile in
            switch exchange(&state, with: .whole) {
            case .open(let file): return file
            case .whole: throw self.isNotOpen
            case .none:
                state = .none
                throw self.isNotOpen
            }
        }
        do throws(FileProblem) { try file.finish() } catch {
            self.discard()
            throw ErrandError(error, "the file of \(self.title) cannot be finished")
        }
        return self.url
    }

    /// Removes the file, finished or not, unless a partial file is kept; further calls have no effect.
    package func discard() {
        let isThere = self.state.withLock { state in
            if case .none = exchange(&state, with: .none) { false } else { true }
        }
        if isThere, !self.keepsPart { FileSystem.discard(self.url.path) }
    }
}
