internal import ErrandLocks
internal import Foundation

/// A lock of the system on a file, which goes with the process that has it.
package final class FileLock: Sendable {
    private let file: Locked<OpenFile?>

    /// Takes the lock on the file that has a name, which is made if need be, and waits for who has it.
    ///
    /// Blocks the thread for as long as that takes.
    ///
    /// - Throws: ``FileProblem``; ``FileProblem/foreign`` for a file that others could have made.
    package init(_ path: String) throws(FileProblem) {
        self.file = Locked(try OpenFile(locking: path))
    }

    /// Does the same unless another has the lock: then it is `nil`.
    package init?(ifFree path: String) throws(FileProblem) {
        do throws(FileProblem) {
            self.file = Locked(try OpenFile(locking: path, waits: false))
        } catch {
            guard error.number == EWOULDBLOCK else { throw error }
            return nil
        }
    }

    deinit {
        self.unlock()
    }

    /// Lets others have it.
    package func unlock() {
        // A process that is being started has all descriptors for a moment, and with them the lock.
        self.file.withLock { $0.take() }?.unlock()
    }

    /// Lets others have it, and leaves no file: who waits for it makes another one.
    package func remove(_ path: String) {
        guard let file = self.file.withLock({ $0.take() }) else { return }
        FileSystem.discard(path)
        file.unlock()
    }
}
