internal import Errand
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
    private var open: OpenFile?
    /// Why a full file could not be renamed, if so: it grows on, for lines are worth more than its bound.
    private var rotationProblem: FileProblem?

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
            do throws(FileProblem) {
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
    private mutating func prepare(for length: Int) throws(FileProblem) -> Int {
        for _ in 0..<Self.patience {
            if self.open == nil { self.open = try OpenFile(log: self.path) }
            guard let size = try self.open?.lockedSize(at: self.path) else {
                self.open = nil
                continue
            }
            guard let size else { return .max }
            guard size > 0, size + length > self.maximumSize, self.rotationProblem == nil else {
                return self.rotationProblem == nil ? self.maximumSize - size : .max
            }
            do throws(FileProblem) {
                try self.rotate()
                self.open = nil
            } catch {
                self.rotationProblem = error
            }
        }
        throw FileProblem(EBUSY)
    }

    private func rotate() throws(FileProblem) {
        guard self.keeping > 0 else { return _ = try FileSystem.remove(self.path) }
        try self.finishRotation()
        // First the one that may refuse, so that nothing moves on behind one that stays.
        try self.move(self.path, to: "\(self.path).0")
        do throws(FileProblem) {
            try self.shift()
        } catch {
            if !self.isThere(self.path) { try? FileSystem.move("\(self.path).0", to: self.path) }
            throw error
        }
    }

    /// Waits for another who is in the middle of it, and goes on where one has ended there.
    private func finishRotation() throws(FileProblem) {
        let place = "\(self.path).0"
        while self.isThere(place) {
            // It went meanwhile, or is not for this user.
            guard let file = try? OpenFile(reading: place) else { return try self.shift() }
            // Who renames a file has it locked until all are renamed.
            defer { file.unlock() }
            try? file.lock()
            if try file.facts(ifNamed: place) != nil { try self.shift() }
        }
    }

    private func shift() throws(FileProblem) {
        // What lies behind a number that is free stays where it is.
        var last = 0
        while last < self.keeping - 1, self.isThere("\(self.path).\(last + 1)") { last += 1 }
        for number in stride(from: last, through: 0, by: -1) {
            try self.move("\(self.path).\(number)", to: "\(self.path).\(number + 1)")
        }
    }

    /// One that is not there need not be renamed.
    private func move(_ path: String, to place: String) throws(FileProblem) {
        do throws(FileProblem) { try FileSystem.move(path, to: place) } catch {
            guard error.isAbsence else { throw error }
        }
    }

    private func isThere(_ path: String) -> Bool { (try? FileFacts(path: path, followsLink: true)) != nil }
}

/// What is wrong with a file.
struct LogFileProblem: Error, CustomStringConvertible {
    let path: String
    let what: String
    let cause: FileProblem

    var description: String { "\(self.path)\(self.what): \(self.cause)" }
}

extension OpenFile {
    /// Opens a file for appending, and makes it, and the folders it lies in, if they are not there.
    fileprivate init(log path: String) throws(FileProblem) {
        do throws(FileProblem) { self = try OpenFile(appendingTo: path) } catch {
            guard error == FileProblem(ENOENT) else { throw error }
            let folder = URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent()
            _ = try? OwnFolder.make(folder.path)
            self = try OpenFile(appendingTo: path)
        }
    }

    /// Asks the system about the file.
    ///
    /// - Returns: `nil` when it is not the one of this name any more.
    fileprivate func facts(ifNamed path: String) throws(FileProblem) -> FileFacts? {
        let own = try self.facts()
        return (try? FileFacts(path: path))?.isSameFile(as: own) == true ? own : nil
    }

    /// Locks the file, waiting for others; returns its size, or `nil` for a device and the like, which has none.
    ///
    /// - Returns: Nothing at all when the file is not the one of this name any more.
    fileprivate func lockedSize(at path: String) throws(FileProblem) -> Int?? {
        // A file system without locks: each batch is one call.
        try? self.lock()
        guard let own = try self.facts(ifNamed: path) else { return nil }
        return .some(own.isRegular ? Int(clamping: own.length) : nil)
    }

    /// Appends all of some bytes or, if that cannot be, none of them; unlocks the file.
    fileprivate func append(
        _ bytes: ArraySlice<UInt8>, _ put: (Int32, ArraySlice<UInt8>) -> Int
    ) throws(FileProblem) {
        defer { self.unlock() }
        let (count, problem) = Descriptor.write(bytes.count, to: self.descriptor) {
            put(self.descriptor, bytes.dropFirst($0))
        }
        guard let problem else { return }
        // The last bytes are ours, for we have the lock.
        if count > 0, let own = try? self.facts(), own.isRegular { self.truncate(to: own.length - Int64(count)) }
        throw problem
    }
}
