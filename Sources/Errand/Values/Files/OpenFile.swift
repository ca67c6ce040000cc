internal import CErrandFiles
package import Foundation

/// A file that is open, closed when it is let go of; no link is followed.
package struct OpenFile: ~Copyable {
    private let descriptor: Int32

    /// Waits for nobody at the other end of a pipe.
    init(reading path: String) throws(FileProblem) {
        try self.init(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    }

    /// Does the same if the system knows the way to the file without asking a disk or a network; throws `EAGAIN`
    /// otherwise.
    init(readingAtHand path: UnsafePointer<CChar>) throws(FileProblem) {
        try self.init(unsafe errand_open_at_hand(path))
    }

    /// Makes a file that nobody else can read, and that was not there.
    package init(making path: String) throws(FileProblem) {
        try self.init(unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    }

    /// Opens a file for reading and writing, made for nobody else if need be.
    init(using path: String) throws(FileProblem) {
        try self.init(unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600))
    }

    private init(_ descriptor: Int32) throws(FileProblem) {
        guard descriptor >= 0 else { throw FileProblem(errno) }
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    package func facts() throws(FileProblem) -> FileFacts {
        try FileFacts(descriptor: self.descriptor)
    }

    /// Reads all of a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes that it may have: whoever can make a file must not decide how much memory it takes.
    ///   - mustBeOwn: Whether nobody but this user may have written it: false for files that an app has chosen.
    /// - Returns: Its bytes.
    /// - Throws: ``FileProblem/foreign``, ``FileProblem/tooLarge``, ``FileProblem/occupied`` for a link and what else is
    ///   no file, or what the system says.
    package static func contents(
        of path: String, upTo limit: Int, mustBeOwn: Bool = true
    ) throws(FileProblem) -> Data {
        if let named = try FileFacts(path: path), !named.isRegular { throw .occupied }
        let file = try OpenFile(reading: path)
        let facts = try file.facts()
        guard facts.isRegular else { throw .occupied }
        guard facts.isOwn || !mustBeOwn else { throw .foreign }
        guard facts.size <= limit else { throw .tooLarge }
        return Data(try file.read(facts.size))
    }

    /// Reads the first bytes, as many as there are up to a number.
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

    /// Reads the first bytes that the system has in memory, as many as there are up to a number: waits for no disk.
    func readAtHand(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            guard let base = room.baseAddress else { return }
            filled = max(0, unsafe errand_read_at_hand(self.descriptor, base, count))
        }
    }

    /// Writes all of some bytes to the beginning.
    package func write(_ bytes: some ContiguousBytes) throws(FileProblem) {
        let number = unsafe bytes.withUnsafeBytes { bytes -> Int32 in
            var written = 0
            while written < bytes.count {
                let result = unsafe pwrite(
                    self.descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written,
                    off_t(written))
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { return result < 0 ? errno : ENOSPC }
                written += result
            }
            return 0
        }
        guard number == 0 else { throw FileProblem(number) }
    }

    /// Takes the lock of the file, until it is closed or the process ends, in whatever way; waits for who has it.
    func lock() throws(FileProblem) {
        while flock(self.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileProblem(errno) }
        }
    }

    /// Sets the time of its last use, and that of its content if one is given, where the file system has them.
    func setTimes(lastUse: Double, modified: Double? = nil) {
        let same = timespec(tv_sec: 0, tv_nsec: errand_same_time)
        let times = [timespec(seconds: lastUse), modified.map { timespec(seconds: $0) } ?? same]
        _ = unsafe futimens(self.descriptor, times)
    }
}
