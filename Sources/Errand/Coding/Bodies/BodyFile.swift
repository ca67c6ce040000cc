internal import ErrandLocks
package import Foundation

/// A new file that a body is written into, and of which nothing is left unless it is finished.
///
/// It blocks the thread of its caller for as long as the disk takes. Its functions are called one after another, but
/// from any thread; when nobody holds it any more, an unfinished file is removed.
package final class BodyFile: Sendable {
    private enum State: ~Copyable {
        /// Not there: not yet, or not any more. Goes to `open`.
        case none
        /// There, and being written. Goes to `whole`, or to `none`.
        case open(OpenFile)
        /// There with all of the body. Goes to `none`.
        case whole
    }

    private let url: URL
    /// Which body it is, for errors.
    private let title: String
    /// Whether what was written stays when no more comes.
    private let keepsPart: Bool
    /// Held while the disk is used: one caller at a time has the file.
    private let state = Locked(State.none)

    /// Chooses a place; nothing is made yet.
    ///
    /// - Parameters:
    ///   - url: The place.
    ///   - title: What errors call the body.
    ///   - keepsPart: Whether what was written stays when no more comes.
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

    /// Makes the file, for this user alone.
    ///
    /// - Throws: ``ErrandError`` when it cannot be made, such as one that is there already, which stays as it is.
    package func open() throws(ErrandError) {
        guard self.url.isFileURL else {
            throw ErrandError(.unsupported, "\(self.title) can only go into a local file")
        }
        let folder = self.url.deletingLastPathComponent().path
        try self.state.withLock { state throws(ErrandError) in
            let what = "the file for \(self.title) cannot be made in \(folder)"
            state = .open(try ErrandError.refusing(what, try OpenFile(making: self.url.path)))
        }
    }

    /// Writes bytes behind those that are there.
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

    /// Closes the file, which has all of the body now, and answers its place.
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

    /// Removes the file, finished or not, if it was made and no part is kept; does nothing the second time.
    package func discard() {
        let isThere = self.state.withLock { state in
            if case .none = exchange(&state, with: .none) { false } else { true }
        }
        if isThere, !self.keepsPart { FileSystem.discard(self.url.path) }
    }
}
