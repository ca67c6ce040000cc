internal import Foundation

/// The file of a sink: opened when it is needed, renamed when it is full.
///
/// Whoever writes or renames holds a lock of the system on the file that has the name. So one that finds another file
/// under that name, once it has the lock, was too late, and starts again with the other.
struct LogFile: ~Copyable {
    private let path: String
    private let maximumSize: Int
    private let keeping: Int
    private let put: @Sendable (Int32, ArraySlice<UInt8>) -> Int
    private var open: OpenLog?
    /// Why a full file could not be renamed, if so: it grows on, for lines are worth more than its bound.
    private var rotationProblem: SystemProblem?

    /// How often the file may be another one than a moment ago before it is given up for this batch.
    private static let patience = 100

    init(
        path: String, maximumSize: Int, keeping: Int, put: @escaping @Sendable (Int32, ArraySlice<UInt8>) -> Int
    ) {
        self.path = path
        self.maximumSize = maximumSize
        self.keeping = keeping
        self.put = put
    }

    /// - Throws: ``PartialWrite``.
    mutating func write(_ batch: LogBatch) throws(PartialWrite) {
        var (written, start) = (0, 0)
        self.rotationProblem = nil
        while written < batch.count {
            do throws(SystemProblem) {
                let room = try self.prepare(for: batch.ends[written] - start)
                var next = written + 1
                while next < batch.count, batch.ends[next] - start <= room { next += 1 }
                try self.open?.append(batch.bytes[start..<batch.ends[next - 1]], self.put)
                (written, start) = (next, batch.ends[next - 1])
            } catch {
                self.open = nil
                throw PartialWrite(written: written, cause: LogFileProblem(path: self.path, what: "", cause: error))
            }
        }
        if let problem = self.rotationProblem {
            throw PartialWrite(
                written: written, cause: LogFileProblem(path: self.path, what: " cannot be renamed", cause: problem))
        }
    }

    // MARK: - The file to write to

    /// Sees to it that the file is open, locked, under its name, and has room for a line; returns how much room.
    private mutating func prepare(for length: Int) throws(SystemProblem) -> Int {
        for _ in 0..<Self.patience {
            if self.open == nil { self.open = try OpenLog(self.path) }
            guard let size = try self.open?.lockedSize(at: self.path) else {
                self.open = nil
                continue
            }
            guard let size else { return .max }
            guard size > 0, size + length > self.maximumSize, self.rotationProblem == nil else {
                return self.rotationProblem == nil ? self.maximumSize - size : .max
            }
            do throws(SystemProblem) {
                try self.rotate()
                self.open = nil
            } catch {
                self.rotationProblem = error
            }
        }
        throw SystemProblem(EBUSY)
    }

    private func rotate() throws(SystemProblem) {
        guard self.keeping > 0 else { return try self.check(unsafe unlink(self.path)) }
        try self.finishRotation()
        // First the one that may refuse, so that nothing moves on behind one that stays.
        try self.check(unsafe rename(self.path, "\(self.path).0"))
        do throws(SystemProblem) {
            try self.shift()
        } catch {
            if unsafe access(self.path, F_OK) != 0 { _ = unsafe rename("\(self.path).0", self.path) }
            throw error
        }
    }

    /// Waits for another who is in the middle of it, and goes on where one has ended there.
    private func finishRotation() throws(SystemProblem) {
        let place = "\(self.path).0"
        while unsafe access(place, F_OK) == 0 {
            guard let file = OpenLog(reading: place) else { return try self.shift() }
            // Who renames a file has it locked until all are renamed.
            defer { file.unlock() }
            file.lock()
            if try file.status(ifNamed: place) != nil { try self.shift() }
        }
    }

    private func shift() throws(SystemProblem) {
        // What lies behind a number that is free stays where it is.
        var last = 0
        while last < self.keeping - 1, unsafe access("\(self.path).\(last + 1)", F_OK) == 0 { last += 1 }
        for number in stride(from: last, through: 0, by: -1) {
            try self.check(unsafe rename("\(self.path).\(number)", "\(self.path).\(number + 1)"))
        }
    }

    /// One that is not there need not be renamed.
    private func check(_ result: Int32) throws(SystemProblem) {
        if result != 0, errno != ENOENT { throw SystemProblem(errno) }
    }
}

/// What is wrong with a file.
struct LogFileProblem: Error, CustomStringConvertible {
    let path: String
    let what: String
    let cause: SystemProblem

    var description: String { "\(self.path)\(self.what): \(self.cause)" }
}

/// A log file that is open, closed when it is let go of.
struct OpenLog: ~Copyable {
    let descriptor: Int32

    /// Opens a file for appending, and makes it, and the folders it lies in, if they are not there.
    init(_ path: String) throws(SystemProblem) {
        var descriptor = Self.open(path)
        if descriptor < 0, errno == ENOENT {
            let folder = URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent()
            try? FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            descriptor = Self.open(path)
        }
        guard descriptor >= 0 else { throw SystemProblem(errno) }
        self.descriptor = descriptor
    }

    private static func open(_ path: String) -> Int32 {
        unsafe Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Opens a file to lock it; `nil` if it is not there, or not for this user.
    init?(reading path: String) {
        let descriptor = unsafe Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        close(self.descriptor)
    }

    /// Locks the file, waiting for others.
    func lock() {
        // Where the system cannot lock, one call for each batch has to do.
        while flock(self.descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    func unlock() {
        _ = flock(self.descriptor, LOCK_UN)
    }

    /// Asks the system about the file.
    ///
    /// - Returns: Nothing when it is not the one of this name any more.
    func status(ifNamed path: String) throws(SystemProblem) -> stat? {
        var (own, named) = (stat(), stat())
        guard unsafe fstat(self.descriptor, &own) == 0 else { throw SystemProblem(errno) }
        let isNamed = unsafe lstat(path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino
        return isNamed ? own : nil
    }

    /// Locks the file, waiting for others; returns its size, or `nil` for a device and the like, which has none.
    ///
    /// - Returns: Nothing at all when the file is not the one of this name any more.
    func lockedSize(at path: String) throws(SystemProblem) -> Int?? {
        self.lock()
        guard let own = try self.status(ifNamed: path) else { return nil }
        return .some(own.st_mode & S_IFMT == S_IFREG ? Int(clamping: own.st_size) : nil)
    }

    /// Appends all of some bytes or, if that cannot be, none of them; unlocks the file.
    func append(
        _ bytes: ArraySlice<UInt8>, _ put: (Int32, ArraySlice<UInt8>) -> Int
    ) throws(SystemProblem) {
        defer { self.unlock() }
        var rest = bytes
        while !rest.isEmpty {
            switch put(self.descriptor, rest) {
            case let count where count > 0: rest = rest.dropFirst(count)
            case -Int(EINTR): break
            case -Int(EAGAIN): Descriptor.waitUntilWritable(self.descriptor)
            case let number:
                self.rollBack(bytes.count - rest.count)
                throw SystemProblem(number == 0 ? ENOSPC : Int32(-number))
            }
        }
    }

    /// Takes the last bytes away again, which are ours, for we have the lock.
    private func rollBack(_ count: Int) {
        var own = stat()
        guard count > 0, unsafe fstat(self.descriptor, &own) == 0, own.st_mode & S_IFMT == S_IFREG else { return }
        _ = ftruncate(self.descriptor, max(0, own.st_size - off_t(count)))
    }
}
