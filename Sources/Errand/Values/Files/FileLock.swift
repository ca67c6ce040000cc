internal import ErrandLocks
internal import Foundation

/// A lock of the system on a file, which goes with the process that has it.
package final class FileLock: Sendable {
    private let descriptor: Locked<Int32?>

    /// Takes the lock on the file that has a name; makes that if need be.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - waits: Whether to wait for who has the lock, blocking the thread; otherwise `nil` is the result then.
    /// - Throws: ``FileProblem``; ``FileProblem/foreign`` for a file that others could have made.
    package init?(_ path: String, waits: Bool) throws(FileProblem) {
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw FileProblem(errno) }
            do throws(FileProblem) {
                guard try Self.lock(descriptor, waits: waits) else {
                    close(descriptor)
                    return nil
                }
                // Another may have removed it between these calls, and a third made it anew.
                if try Self.isNamed(path, descriptor) {
                    self.descriptor = Locked(descriptor)
                    return
                }
                close(descriptor)
            } catch {
                close(descriptor)
                throw error
            }
        }
    }

    deinit {
        self.unlock()
    }

    /// Lets others have it.
    package func unlock() {
        guard let descriptor = self.descriptor.withLock({ $0.take() }) else { return }
        // A process that is being started has all descriptors for a moment, and with them the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Lets others have it, and leaves no file: who waits for it makes another one.
    package func remove(_ path: String) {
        guard self.descriptor.withLock({ $0 != nil }) else { return }
        _ = unsafe unlink(path)
        self.unlock()
    }

    private static func lock(_ descriptor: Int32, waits: Bool) throws(FileProblem) -> Bool {
        let facts = try FileFacts(descriptor: descriptor)
        guard facts.isRegular else { throw .occupied }
        guard facts.isOwn else { throw .foreign }
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileProblem(errno) }
        }
        return true
    }

    private static func isNamed(_ path: String, _ descriptor: Int32) throws(FileProblem) -> Bool {
        try FileFacts(path: path)?.isSameFile(as: FileFacts(descriptor: descriptor)) ?? false
    }
}
