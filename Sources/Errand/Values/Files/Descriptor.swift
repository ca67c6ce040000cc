package import Foundation

/// Writing to a file descriptor.
package enum Descriptor {
    /// Writes bytes until all are written, or the system refuses.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - descriptor: Where they go.
    ///   - waitsForRoom: `true` to wait where the descriptor may have been made non-blocking; a file is never waited for.
    ///   - write: Writes bytes from an index on; returns how many, or the negative number of an error.
    /// - Returns: The number of bytes that were written, and the problem if these are not all.
    package static func write(
        _ count: Int, to descriptor: Int32, waitsForRoom: Bool = true, by write: (Int) -> Int
    ) -> (count: Int, problem: FileProblem?) {
        var written = 0
        while written < count {
            switch write(written) {
            case let taken where taken > 0: written += taken
            case -Int(EINTR): break
            case -Int(EAGAIN) where waitsForRoom:
                var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wish, 1, -1)
            case let number: return (written, FileProblem(number == 0 ? ENOSPC : Int32(-number)))
            }
        }
        return (written, nil)
    }

    /// Calls the system once; returns how many bytes were written, or the negative number of an error.
    package static func put(_ descriptor: Int32, _ bytes: some ContiguousBytes) -> Int {
        Self.surviving {
            // The pointer lives as long as the call, which reads no more than it is told.
            let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            return count >= 0 ? count : -Int(errno)
        }
    }

    /// Calls a function that must not end the process, as writing to a closed pipe does by a signal.
    ///
    /// The signal is for this thread, which holds it back meanwhile, and takes it away. All pointers are to variables
    /// here.
    private static func surviving(_ write: () -> Int) -> Int {
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        let wasPending = Self.isPending
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
        let result = write()
        if !wasPending, Self.isPending {
            var number: Int32 = 0
            _ = unsafe sigwait(&signals, &number)
        }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }

    private static var isPending: Bool {
        var pending = sigset_t()
        return unsafe sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1
    }
}
