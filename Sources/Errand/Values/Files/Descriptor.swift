package import Foundation

/// Writing to a file descriptor.
package enum Descriptor {
    /// Writes bytes until all are written, or the system returns an error.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - descriptor: The descriptor.
    ///   - waitsForRoom: Pass true to wait if the descriptor may be non-blocking; has no effect on a file.
    ///   - write: Writes bytes from an index on; returns their number, or a negative error number.
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

    /// Calls the system once; returns the number of bytes written, or a negative error number.
    package static func put(_ descriptor: Int32, _ bytes: some ContiguousBytes) -> Int {
        Self.surviving {
            // The pointer is valid during the call, which reads only the given number of bytes.
            let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            return count >= 0 ? count : -Int(errno)
        }
    }

    /// Calls a function without letting a signal end the process, as writing to a closed pipe does.
    ///
    /// The signal is sent to this thread, which blocks it meanwhile and then consumes it. All pointers are to local
    /// variables.
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
