internal import Errand
internal import Foundation

/// The file of a sink, opened when it is needed and renamed when it is full.
///
/// Writing and renaming both require a lock on the file with that name. If the name refers to another file once the
/// lock is acquired, the file was rotated meanwhile, and the writer starts again with the new one.
struct LogFile: ~Copyable {
    private let path: String
    private let maximumSize: Int
    private let keeping: Int
    private let put: @Sendable (Int32, ArraySlice<UInt8>) -> Int
    private var open: OpenFile?
    /// The reason why a full file could not be renamed, if any: it then grows beyond its limit rather than losing
    /// lines.
    private var rotationProblem: FileProblem?

    /// The number of times that the file may be replaced by another one in a row before the batch is given up.
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

    /// Opens and locks the file with the sink's name, and makes room for a line; returns the remaining size.
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
        // Rename the newest file first: if that fails, the older ones have not been moved.
        try self.move(self.path, to: "\(self.path).0")
        do throws(FileProblem) {
            try self.shift()
        } catch {
            if !self.isThere(self.path) { try? FileSystem.move("\(self.path).0", to: self.path) }
            throw error
        }
    }

    /// Waits for a rotation that another process is performing, and completes one that was interrupted.
    private func finishRotation() throws(FileProblem) {
        let place = "\(self.path).0"
        while self.isThere(place) {
            // It is gone meanwhile, or belongs to another user.
            guard let file = try? OpenFile(reading: place) else { return try self.shift() }
            // The lock is held until all files are renamed.
            defer { file.unlock() }
            try? file.lock()
            if try file.facts(ifNamed: place) != nil { try self.shift() }
        }
    }

    private func shift() throws(FileProblem) {
        // Files behind a free number stay where they are.
        var last = 0
        while last < self.keeping - 1, self.isThere("\(self.path).\(last + 1)") { last += 1 }
        for number in stride(from: last, through: 0, by: -1) {
            try self.move("\(self.path).\(number)", to: "\(self.path).\(number + 1)")
        }
    }

    /// Renames a file, if it exists.
    private func move(_ path: String, to place: String) throws(FileProblem) {
        do throws(FileProblem) { try FileSystem.move(path, to: place) } catch {
            guard error.isAbsence else { throw error }
        }
    }

    private func isThere(_ path: String) -> Bool { (try? FileFacts(path: path, followsLink: true)) != nil }
}

/// A problem with a file.
struct LogFileProblem: Error, CustomStringConvertible {
    let path: String
    let what: String
    let cause: FileProblem

    var description: String { "\(self.path)\(self.what): \(self.cause)" }
}

extension OpenFile {
    /// Opens a file for appending, and creates it and its folders if they do not exist.
    fileprivate init(log path: String) throws(FileProblem) {
        do throws(FileProblem) { self = try OpenFile(appendingTo: path) } catch {
            guard error == FileProblem(ENOENT) else { throw error }
            let folder = URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent()
            _ = try? OwnFolder.make(folder.path)
            self = try OpenFile(appendingTo: path)
        }
    }

    /// Returns the attributes of the file.
    ///
    /// - Returns: `nil` if the file does not have this name any more.
    fileprivate func facts(ifNamed path: String) throws(FileProblem) -> FileFacts? {
        let own = try self.facts()
        return (try? FileFacts(path: path))?.isSameFile(as: own) == true ? own : nil
    }

    /// Acquires the lock of the file, waiting for others, and returns its size.
    ///
    /// - Returns: The size, or an inner `nil` for a device and the like, which has none. An outer `nil` if the file
    ///   does not have this name any more.
    fileprivate func lockedSize(at path: String) throws(FileProblem) -> Int?? {
        // On a file system without locks, each batch is still written with one call.
        try? self.lock()
        guard let own = try self.facts(ifNamed: path) else { return nil }
        return .some(own.isRegular ? Int(clamping: own.length) : nil)
    }

    /// Appends all bytes, or restores the file if that fails; unlocks the file.
    fileprivate func append(
        _ bytes: ArraySlice<UInt8>, _ put: (Int32, ArraySlice<UInt8>) -> Int
    ) throws(FileProblem) {
        defer { self.unlock() }
        let (count, problem) = Descriptor.write(bytes.count, to: self.descriptor) {
            put(self.descriptor, bytes.dropFirst($0))
        }
        guard let problem else { return }
        // The bytes at the end are ours, since we hold the lock.
        if count > 0, let own = try? self.facts(), own.isRegular { self.truncate(to: own.length - Int64(count)) }
        throw problem
    }
}
