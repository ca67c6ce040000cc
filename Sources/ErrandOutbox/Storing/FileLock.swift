internal import Errand
internal import ErrandLocks
internal import Foundation

/// A lock of the system on a file, which goes with the process that has it.
final class FileLock: Sendable {
    private let descriptor: Locked<Int32?>

    /// Takes the lock; waits for it, blocking the thread, or returns `nil` while another has it.
    ///
    /// - Throws: `ErrandError` with the code `fileFailed` where the file cannot be made or locked.
    init?(_ path: String, waits: Bool) throws(ErrandError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ErrandError(system: "\(path) cannot be opened", code: .fileFailed) }
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let isTaken = errno == EWOULDBLOCK
            let problem = ErrandError(system: "\(path) cannot be locked", code: .fileFailed)
            close(descriptor)
            guard isTaken else { throw problem }
            return nil
        }
        self.descriptor = Locked(descriptor)
    }

    deinit {
        self.unlock()
    }

    /// Lets others have it.
    func unlock() {
        guard let descriptor = self.descriptor.withLock({ $0.take() }) else { return }
        // A process that is being started has all descriptors for a moment, and with them the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
