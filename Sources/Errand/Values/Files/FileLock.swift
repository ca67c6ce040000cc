internal import ErrandLocks
internal import Foundation

/// A system lock on a file, released when its process ends.
package final class FileLock: Sendable {
    private let file: Locked<OpenFile?>

    /// Waits for the lock on a file, which is created if needed.
    ///
    /// Blocks the thread meanwhile.
    ///
    /// - Throws: ``FileProblem``; ``FileProblem/foreign`` for a file that other users could have created.
    package init(_ path: String) throws(FileProblem) {
        self.file = Locked(try OpenFile(locking: path))
    }

    /// Takes the lock unless it is taken; then it is `nil`.
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

    /// Releases the lock.
    package func unlock() {
        // A process that is being started briefly has copies of all descriptors, and with them the lock.
        self.file.withLock { $0.take() }?.unlock()
    }

    /// Releases the lock and removes the file: a waiter creates another one.
    package func remove(_ path: String) {
        guard let file = self.file.withLock({ $0.take() }) else { return }
        FileSystem.discard(path)
        file.unlock()
    }
}
