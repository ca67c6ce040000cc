internal import Foundation

/// The number of an error of the system.
struct SystemProblem: Error, Hashable, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// The system's words for it.
    var description: String { unsafe String(cString: strerror(self.number)) }
}

/// Writing to a file descriptor.
enum Descriptor {
    /// One call of the system; returns how many bytes were written, or the negative number of an error.
    static func put(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
        Self.surviving {
            // The pointer lives as long as the call, which reads no more than it is told.
            let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            return count >= 0 ? count : -Int(errno)
        }
    }

    /// Waits until it takes more, where somebody made it non-blocking.
    static func waitUntilWritable(_ descriptor: Int32) {
        var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wish, 1, -1)
    }

    /// Calls a function that must not end the process, as writing does by a signal where nobody reads any more.
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
