internal import CErrandFiles
package import Foundation

/// A file that is open, closed when it is let go of; no program that is started gets it.
///
/// No link is followed, unless that is said.
package struct OpenFile: ~Copyable, Sendable {
    package let descriptor: Int32

    /// Waits for nobody at the other end of a pipe.
    package init(reading path: String, followsLink: Bool = false) throws(FileProblem) {
        try self.init(path, O_RDONLY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
    }

    /// Does the same if the system knows the way to the file without asking a disk or a network; throws `EAGAIN`
    /// otherwise.
    init(readingAtHand path: UnsafePointer<CChar>) throws(FileProblem) {
        try self.init(unsafe errand_open_at_hand(path))
    }

    /// Makes a file that was not there, for this user alone unless the mode says otherwise.
    package init(making path: String, mode: mode_t = 0o600) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
    }

    /// Opens a file that is there for writing.
    init(writing path: String) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_NOFOLLOW)
    }

    /// Opens a file for appending; one that is made is readable by this user only.
    package init(appendingTo path: String) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW)
    }

    /// Opens a file that somebody has chosen, and empties it; makes one that follows the umask if need be.
    package init(emptying path: String) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    }

    /// Opens a file for reading and writing, and takes its lock; one that is made is readable by this user only.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - waits: Whether to wait for who has the lock, blocking the thread; otherwise it throws `EWOULDBLOCK` then.
    ///   - prepare: Called before each time that it is opened.
    /// - Throws: ``FileProblem/foreign`` for a file that others could have made, or what the system says.
    init(locking path: String, waits: Bool = true, prepare: () throws(FileProblem) -> Void = {}) throws(FileProblem) {
        while true {
            try prepare()
            let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
            let facts = try file.facts()
            try facts.checkOwnFile()
            try file.lock(waits: waits)
            // Another may have removed it, or its folder, between these calls, and a third made it anew.
            if try FileFacts(path: path)?.isSameFile(as: facts) == true {
                self = file
                return
            }
        }
    }

    private init(_ path: String, _ flags: Int32, _ mode: mode_t = 0o600) throws(FileProblem) {
        try self.init(unsafe open(path, flags | O_CLOEXEC, mode))
    }

    private init(_ descriptor: Int32) throws(FileProblem) {
        guard descriptor >= 0 else { throw FileProblem(errno) }
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// Closes it now, and throws what the system may say of what was written.
    consuming func finish() throws(FileProblem) {
        let descriptor = self.descriptor
        discard self
        guard close(descriptor) == 0 else { throw FileProblem(errno) }
    }

    package func facts() throws(FileProblem) -> FileFacts {
        try FileFacts(descriptor: self.descriptor)
    }

    /// Reads all of a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes that it may have: whoever can make a file must not decide how much memory it takes.
    ///   - mustBeOwn: Whether nobody but this user may have written it: false for files that an app has chosen.
    /// - Returns: Its bytes; `nil` where there is none.
    /// - Throws: ``FileProblem/foreign``, ``FileProblem/tooLarge``, ``FileProblem/occupied`` for a link and what else is
    ///   no file, or what the system says.
    package static func contents(
        of path: String, upTo limit: Int, mustBeOwn: Bool = true
    ) throws(FileProblem) -> Data? {
        do throws(FileProblem) {
            if let named = try FileFacts(path: path), !named.isRegular { throw .occupied }
            let file = try OpenFile(reading: path)
            let facts = try file.facts()
            if mustBeOwn { try facts.checkOwnFile() }
            guard facts.isRegular else { throw .occupied }
            guard facts.size <= limit else { throw .tooLarge }
            return Data(try file.read(facts.size))
        } catch {
            guard error.isAbsence else { throw error }
            return nil
        }
    }

    /// Reads bytes from an offset on, as many as there are up to a number.
    func read(_ count: Int, from offset: Int64 = 0) throws(FileProblem) -> [UInt8] {
        var problem: FileProblem?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            let room = UnsafeMutableRawBufferPointer(room)
            do throws(FileProblem) {
                while filled < count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filled..<count])
                    let result = unsafe try self.read(into: rest, from: offset + Int64(filled))
                    guard result > 0 else { return }
                    filled += result
                }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return bytes
    }

    /// Calls the system once to fill a buffer from an offset on; returns how much that was, 0 at the end.
    func read(into room: UnsafeMutableRawBufferPointer, from offset: Int64) throws(FileProblem) -> Int {
        while true {
            let count = unsafe pread(self.descriptor, room.baseAddress, room.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw FileProblem(errno) }
        }
    }

    /// Reads the first bytes that the system has in memory, as many as there are up to a number: waits for no disk.
    func readAtHand(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            guard let base = room.baseAddress else { return }
            filled = max(0, unsafe errand_read_at_hand(self.descriptor, base, count))
        }
    }

    /// Writes all of some bytes: from an offset on, or where that is `nil` behind what was written before.
    package func write(_ bytes: some ContiguousBytes, at offset: Int64? = 0) throws(FileProblem) {
        let problem = unsafe bytes.withUnsafeBytes { bytes in
            Descriptor.write(bytes.count, to: self.descriptor, waitsForRoom: false) { start in
                // It has a base, for there are some bytes, and as many are left behind it.
                let (rest, count) = unsafe (bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
                let result =
                    unsafe offset.map { unsafe pwrite(self.descriptor, rest, count, off_t($0) + off_t(start)) }
                    ?? Foundation.write(self.descriptor, rest, count)
                return result >= 0 ? result : -Int(errno)
            }.problem
        }
        if let problem { throw problem }
    }

    /// Makes a file of some bytes; none is left behind if that fails.
    ///
    /// - Parameters:
    ///   - path: The file, which must not be there.
    ///   - bytes: What is to be in it.
    ///   - mode: Who may use it.
    ///   - outlivesSystem: Whether the bytes are brought to the disk, and outlive the machine and not just the process.
    /// - Returns: The file.
    /// - Throws: ``FileProblem``.
    @discardableResult
    package static func make(
        _ path: String, of bytes: some ContiguousBytes, mode: mode_t = 0o600, outlivesSystem: Bool = false
    ) throws(FileProblem) -> OpenFile {
        let file = try OpenFile(making: path, mode: mode)
        do throws(FileProblem) {
            try file.write(bytes)
            if outlivesSystem { try file.synchronize() }
        } catch {
            FileSystem.discard(path)
            throw error
        }
        return file
    }

    /// Puts bytes into a file in one step: whenever the process ends, there is the old one, or the new one.
    ///
    /// - Parameters:
    ///   - path: The file, which replaces one of that name.
    ///   - bytes: What is to be in it.
    ///   - draft: Where it is written before, in the same folder; nothing is left of it if that fails.
    ///   - mode: Who may use it.
    ///   - outlivesSystem: See ``make(_:of:mode:outlivesSystem:)``.
    /// - Throws: ``FileProblem``.
    package static func replace(
        _ path: String, with bytes: some ContiguousBytes, by draft: String, mode: mode_t = 0o600,
        outlivesSystem: Bool = false
    ) throws(FileProblem) {
        try Self.make(draft, of: bytes, mode: mode, outlivesSystem: outlivesSystem)
        do throws(FileProblem) { try FileSystem.move(draft, to: path) } catch {
            FileSystem.discard(draft)
            throw error
        }
    }

    /// Has the system bring to the disk what was written, or what a folder has.
    package func synchronize() throws(FileProblem) {
        #if canImport(Darwin)
            // Elsewhere `fsync` asks the drive, too; some file systems have no such call.
            if fcntl(self.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(self.descriptor) == 0 else { throw FileProblem(errno) }
    }

    /// Takes the lock of the file, until it is closed or the process ends, in whatever way.
    ///
    /// - Parameter waits: Whether to wait for who has it; otherwise it throws `EWOULDBLOCK` then.
    /// - Throws: ``FileProblem``.
    package func lock(waits: Bool = true) throws(FileProblem) {
        while flock(self.descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { throw FileProblem(errno) }
        }
    }

    /// Lets others have the lock, also where a process that is being started has the descriptor.
    package func unlock() {
        flock(self.descriptor, LOCK_UN)
    }

    /// Takes away what is behind a length.
    package func truncate(to length: Int64) {
        _ = ftruncate(self.descriptor, off_t(max(0, length)))
    }

    /// Sets the time of its last use, and that of its content if one is given, where the file system has them.
    func setTimes(lastUse: Double, modified: Double? = nil) {
        let same = timespec(tv_sec: 0, tv_nsec: errand_same_time)
        let times = [timespec(seconds: lastUse), modified.map { timespec(seconds: $0) } ?? same]
        _ = unsafe futimens(self.descriptor, times)
    }
}
