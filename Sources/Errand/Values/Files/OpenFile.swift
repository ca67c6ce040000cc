internal import CErrandFiles
package import Foundation

/// An open file, closed at the end of its lifetime and not inherited by other programs.
///
/// Links are not followed by default.
package struct OpenFile: ~Copyable, Sendable {
    package let descriptor: Int32

    /// Opens a file for reading, without waiting for the other end of a pipe.
    package init(reading path: String, followsLink: Bool = false) throws(FileProblem) {
        try self.init(path, O_RDONLY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
    }

    /// Opens a file for reading if its path is cached by the system, without access to a disk or network; otherwise
    /// throws `EAGAIN`.
    init(readingWithoutBlocking path: UnsafePointer<CChar>) throws(FileProblem) {
        try self.init(unsafe errand_open_at_hand(path))
    }

    /// Creates a new file, accessible to this user only by default.
    package init(making path: String, mode: mode_t = 0o600) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
    }

    /// Opens an existing file for writing.
    init(writing path: String) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_NOFOLLOW)
    }

    /// Opens a file for appending; a new one is readable by this user only.
    package init(appendingTo path: String) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW)
    }

    /// Opens and empties a file that the user has chosen; a new one gets permissions by the umask.
    package init(emptying path: String) throws(FileProblem) {
        try self.init(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    }

    /// Opens a file for reading and writing, and locks it; a new one is readable by this user only.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - waits: Pass true to wait for the lock, blocking the thread; otherwise throws `EWOULDBLOCK` if it is taken.
    ///   - prepare: Called each time before the file is opened.
    /// - Throws: ``FileProblem/foreign`` for a file that other users could have created, or a system error.
    init(locking path: String, waits: Bool = true, prepare: () throws(FileProblem) -> Void = {}) throws(FileProblem) {
        while true {
            try prepare()
            let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
            let facts = try file.facts()
            try facts.checkOwnFile()
            try file.lock(waits: waits)
            // Another process may have removed the file or its folder meanwhile, and a third created it again.
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

    /// Closes the file, and throws an error of earlier writes that the system reports now.
    consuming func finish() throws(FileProblem) {
        let descriptor = self.descriptor
        discard self
        guard close(descriptor) == 0 else { throw FileProblem(errno) }
    }

    package func facts() throws(FileProblem) -> FileFacts {
        try FileFacts(descriptor: self.descriptor)
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The maximum size: the creator of a file must not control how much memory it takes.
    ///   - mustBeOwn: Pass true if only this user may have written it; false for files that an app has chosen.
    /// - Returns: Its bytes; `nil` if there is none.
    /// - Throws: ``FileProblem/foreign``, ``FileProblem/tooLarge``, ``FileProblem/occupied`` for a link or another
    ///   non-file, or a system error.
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

    /// Reads bytes from an offset, up to a number.
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

    /// Reads once into a buffer from an offset; returns the number of bytes, 0 at the end.
    func read(into room: UnsafeMutableRawBufferPointer, from offset: Int64) throws(FileProblem) -> Int {
        while true {
            let count = unsafe pread(self.descriptor, room.baseAddress, room.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw FileProblem(errno) }
        }
    }

    /// Reads the first bytes that the system has in memory, up to a number, without access to a disk.
    func readWithoutBlocking(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            guard let base = room.baseAddress else { return }
            filled = max(0, unsafe errand_read_at_hand(self.descriptor, base, count))
        }
    }

    /// Writes all bytes at an offset; `nil` appends them to those written before.
    package func write(_ bytes: some ContiguousBytes, at offset: Int64? = 0) throws(FileProblem) {
        let problem = unsafe bytes.withUnsafeBytes { bytes in
            Descriptor.write(bytes.count, to: self.descriptor, waitsForRoom: false) { start in
                // Some bytes remain, so there is a base address, and this many follow it.
                let (rest, count) = unsafe (bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
                let result =
                    unsafe offset.map { unsafe pwrite(self.descriptor, rest, count, off_t($0) + off_t(start)) }
                    ?? Foundation.write(self.descriptor, rest, count)
                return result >= 0 ? result : -Int(errno)
            }.problem
        }
        if let problem { throw problem }
    }

    /// Creates a file with some bytes, and removes it on failure.
    ///
    /// - Parameters:
    ///   - path: The file, which must not exist.
    ///   - bytes: Its content.
    ///   - mode: Its permissions.
    ///   - outlivesSystem: Pass true to flush the bytes to the disk, so that they survive a crash of the machine.
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

    /// Replaces a file atomically: whenever the process ends, there is either the old or the new one.
    ///
    /// - Parameters:
    ///   - path: The file, which replaces one of that name.
    ///   - bytes: Its content.
    ///   - draft: A temporary file in the same folder, removed on failure.
    ///   - mode: Its permissions.
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

    /// Flushes a file or a folder to the disk.
    package func synchronize() throws(FileProblem) {
        if Platform.flushDrive(of: self.descriptor) { return }
        guard fsync(self.descriptor) == 0 else { throw FileProblem(errno) }
    }

    /// Locks the file until it is closed or the process ends.
    ///
    /// - Parameter waits: Pass true to wait for the lock; otherwise throws `EWOULDBLOCK` if it is taken.
    /// - Throws: ``FileProblem``.
    package func lock(waits: Bool = true) throws(FileProblem) {
        while flock(self.descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { throw FileProblem(errno) }
        }
    }

    /// Releases the lock, even if a process that is being started has a copy of the descriptor.
    package func unlock() {
        flock(self.descriptor, LOCK_UN)
    }

    /// Truncates the file to a length.
    package func truncate(to length: Int64) {
        _ = ftruncate(self.descriptor, off_t(max(0, length)))
    }

    /// Sets the access time, and the modification time if it is given, if the file system supports them.
    func setTimes(lastUse: Double, modified: Double? = nil) {
        let same = timespec(tv_sec: 0, tv_nsec: errand_same_time)
        let times = [timespec(seconds: lastUse), modified.map { timespec(seconds: $0) } ?? same]
        _ = unsafe futimens(self.descriptor, times)
    }
}
