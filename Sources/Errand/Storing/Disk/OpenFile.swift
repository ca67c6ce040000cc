internal import CErrandFiles
internal import Foundation

/// A file that is open, closed when it is let go of.
struct OpenFile: ~Copyable {
    private let descriptor: Int32

    /// Opens a file for reading; follows no link, and waits for nobody at the other end of a pipe.
    ///
    /// - Throws: ``FileProblem``.
    init(reading path: String) throws(FileProblem) {
        try self.init(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    }

    /// Does the same if the system knows the way to the file without asking a disk or a network.
    ///
    /// - Throws: ``FileProblem``, with `EAGAIN` if it does not.
    init(readingAtHand path: String) throws(FileProblem) {
        try self.init(unsafe errand_open_at_hand(path))
    }

    /// Makes a file that nobody else can read, and that was not there.
    ///
    /// - Throws: ``FileProblem``.
    init(making path: String) throws(FileProblem) {
        try self.init(unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    }

    /// Opens a file that only this user can read, made if need be, to write from its beginning on; what is behind that
    /// stays.
    ///
    /// - Throws: ``FileProblem``.
    init(overwriting path: String) throws(FileProblem) {
        try self.init(unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600))
    }

    private init(_ descriptor: Int32) throws(FileProblem) {
        guard descriptor >= 0 else { throw FileProblem(errno) }
        self.descriptor = descriptor
    }

    deinit {
        close(self.descriptor)
    }

    /// Asks the system about the file.
    ///
    /// - Throws: ``FileProblem``.
    func facts() throws(FileProblem) -> FileFacts {
        try FileFacts(descriptor: self.descriptor)
    }

    /// Reads the first bytes, as many as there are up to a number.
    ///
    /// - Throws: ``FileProblem``.
    func read(_ count: Int) throws(FileProblem) -> [UInt8] {
        var problem: FileProblem?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            while filled < count {
                // The room has a base, for the count is positive, and there are as many bytes left behind it.
                let result = unsafe pread(
                    self.descriptor, room.baseAddress.map { unsafe $0 + filled }, count - filled, off_t(filled))
                if result < 0, errno == EINTR { continue }
                if result < 0 { problem = FileProblem(errno) }
                guard result > 0 else { return }
                filled += result
            }
        }
        if let problem { throw problem }
        return bytes
    }

    /// Reads all bytes if the system has them in memory, and nothing if it has not, or there are more or fewer than a
    /// number: waits for no disk.
    func readAtHand(_ count: Int) -> [UInt8]? {
        // Room for one more than there should be: it shows that there are more.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count + 1) { room, filled in
            guard let base = room.baseAddress else { return }
            filled = max(0, unsafe errand_read_at_hand(self.descriptor, base, count + 1))
        }
        return bytes.count == count ? bytes : nil
    }

    /// Writes all of some bytes behind those written before.
    ///
    /// - Throws: ``FileProblem``.
    func write(_ bytes: some ContiguousBytes) throws(FileProblem) {
        let number = unsafe bytes.withUnsafeBytes { bytes -> Int32 in
            var written = 0
            while written < bytes.count {
                let result = unsafe Foundation.write(
                    self.descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { return result < 0 ? errno : ENOSPC }
                written += result
            }
            return 0
        }
        guard number == 0 else { throw FileProblem(number) }
    }

    /// Takes the file for this process, until it is closed or the process ends, in whatever way.
    ///
    /// - Returns: Whether it did; `nil` where the file system has no such thing.
    @discardableResult
    func take() -> Bool? {
        guard flock(self.descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        return errno == EWOULDBLOCK ? false : nil
    }

    /// Whether it still has a name.
    var isLinked: Bool {
        var status = stat()
        return unsafe fstat(self.descriptor, &status) != 0 || status.st_nlink > 0
    }

    /// Sets the time of its last use, and that of its content if one is given; a file system that cannot do that may
    /// leave it.
    func setTimes(lastUse: Double, modified: Double? = nil) {
        // Not written back as it was read: some systems know less of a moment, and it would change each time.
        let same = timespec(tv_sec: 0, tv_nsec: errand_same_time)
        let times = [timespec(seconds: lastUse), modified.map { timespec(seconds: $0) } ?? same]
        _ = unsafe futimens(self.descriptor, times)
    }
}
