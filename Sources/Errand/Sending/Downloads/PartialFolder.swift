internal import Foundation

/// The folder with the partial data of one transfer, used by one request of one process at a time.
///
/// Its functions block on the disk, and are called serially.
final class PartialFolder: Sendable {
    let url: URL
    private let lock: FileLock

    private static let lockName = "lock"
    private static let recordName = "record"
    /// The maximum size of a record in bytes: about ten thousand pieces.
    private static let recordLimit = 1 << 20

    /// Creates the folder if needed, and locks it; `nil` while it is locked by another request.
    ///
    /// The system releases the lock when the process ends.
    ///
    /// - Parameters:
    ///   - url: The folder.
    ///   - makesParents: Pass true to create its parent folders too.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    init?(_ url: URL, makesParents: Bool = false) throws(ErrandError) {
        while true {
            try Self.make(url, makesParents: makesParents)
            do throws(FileProblem) {
                let path = url.appending(path: Self.lockName).path
                guard let lock = try FileLock(ifFree: path) else { return nil }
                (self.url, self.lock) = (url, lock)
                return
            } catch {
                // A request that ends its transfer at this moment may have removed the folder.
                guard error.isAbsence else {
                    throw ErrandError(error, "the folder of a partial transfer cannot be locked")
                }
            }
        }
    }

    /// Creates the folder if it is missing, and checks that other users could not have written to it.
    private static func make(_ url: URL, makesParents: Bool) throws(ErrandError) {
        try ErrandError.refusing(
            "the folder for a partial transfer cannot be made in \(url.deletingLastPathComponent().path)",
            _ = try OwnFolder.make(url.path, makesParents: makesParents))
        do throws(FileProblem) {
            try OwnFolder.check(url.path, mayBeLink: false)
        } catch {
            // A request that ended its transfer at this moment has removed it; it is created again.
            guard error != FileProblem(ENOENT) else { return }
            throw ErrandError(
                .fileFailed, "\(url.path) is not a folder that only this user can access, as a partial transfer needs")
        }
    }

    /// Returns true if files can be moved from here to a destination without copying.
    func isOnVolume(of place: URL) -> Bool {
        let folder = place.deletingLastPathComponent().path
        guard let here = try? FileFacts(path: self.url.path, followsLink: true),
            let there = try? FileFacts(path: folder, followsLink: true)
        else { return true }
        return here.isOnVolume(of: there)
    }

    /// Releases the folder to other requests; it must not be used after that.
    func unlock() { self.lock.unlock() }

    // MARK: - The record

    /// Returns the record, if it exists and can be read.
    func record<Record: Decodable>() -> Record? {
        let path = self.url.appending(path: Self.recordName).path
        guard let data = try? OpenFile.contents(of: path, upTo: Self.recordLimit) else { return nil }
        return try? JSONDecoder().decodeJSON(Record.self, from: data)
    }

    /// Writes the record atomically; if writing fails, the data is missing at the next start.
    func write(_ record: some Encodable) {
        guard let data = try? JSONEncoder().encode(record) else { return }
        let (path, draft) = (self.file(Self.recordName).path, self.file(UUID().uuidString).path)
        // An older record may name removed pieces, but not wrong ones.
        try? OpenFile.replace(path, with: data, by: draft)
    }

    // MARK: - The pieces

    func file(_ name: String) -> URL { self.url.appending(path: name) }

    /// Returns the size of a piece; `nil` if it does not exist, or if other users could have written it.
    func size(of name: String) -> Int64? { FileFacts.lengthOfOwnFile(self.file(name).path) }

    /// Removes all files except the given pieces, the record and the lock.
    func keepOnly(_ names: [String]) {
        let kept = Set(names + [Self.lockName, Self.recordName])
        let all = (try? FileManager.default.contentsOfDirectory(atPath: self.url.path)) ?? []
        for name in all where !kept.contains(name) { FileSystem.discard(self.file(name).path) }
    }

    /// Removes the record first, so that it never names removed pieces, then the pieces.
    func clear() {
        FileSystem.discard(self.file(Self.recordName).path)
        self.keepOnly([])
    }

    /// Removes the folder with its contents, and releases the lock.
    ///
    /// Large files are removed first, while the folder can still be found. Then the folder is renamed, so that a late
    /// exchange does not find it. The new name is always the same, so that remains of a process that was killed here
    /// are removed the next time.
    func remove() {
        self.clear()
        let gone = self.url.appendingPathExtension("gone")
        let folder = self.rename(to: gone) ? gone : self.url
        // For example without a free descriptor: under its own name, the folder can be found later.
        if !Self.discard(folder) { try? FileSystem.move(folder.path, to: self.url.path) }
        self.unlock()
    }

    /// Renames the folder, replacing an existing one if only this user can access it.
    private func rename(to gone: URL) -> Bool {
        if (try? FileSystem.move(self.url.path, to: gone.path)) != nil { return true }
        guard (try? OwnFolder.check(gone.path, mayBeLink: false)) != nil, Self.discard(gone) else { return false }
        return (try? FileSystem.move(self.url.path, to: gone.path)) != nil
    }

    /// Removes a folder and its files; returns true if it could be listed.
    private static func discard(_ folder: URL) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return false }
        for name in names { FileSystem.discard(folder.appending(path: name).path) }
        _ = unsafe rmdir(folder.path)
        return true
    }

    /// Appends the bytes of the next piece that another piece lacks, and removes the next piece.
    ///
    /// - Parameters:
    ///   - next: The next piece.
    ///   - name: The first piece.
    ///   - isCancelled: Checked regularly.
    /// - Returns: True if the next piece was used up; false if it does not start within or at the end of the first one.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` or ``ErrandError/Code/cancelled``; bytes
    ///   appended until then stay, and are correct.
    func append(
        _ next: PartialDownload.Record.Piece, to name: String, unless isCancelled: () -> Bool
    ) throws(ErrandError) -> Bool {
        guard let size = self.size(of: name), let count = self.size(of: next.name), next.first <= size else {
            return false
        }
        let end = min(next.first.adding(count), next.end ?? .max)
        if end > size { try self.copy(next, from: size, to: end, into: name, unless: isCancelled) }
        FileSystem.discard(self.file(next.name).path)
        return true
    }

    /// Copies the end of a piece to its position in another one.
    ///
    /// It writes to a position instead of appending, because a cancelled exchange may still be writing the same bytes
    /// to the same position.
    private func copy(
        _ piece: PartialDownload.Record.Piece, from position: Int64, to end: Int64, into name: String,
        unless isCancelled: () -> Bool
    ) throws(ErrandError) {
        let what = "the pieces of a download cannot be joined"
        let input = try ErrandError.refusing(what, try OpenFile(reading: self.file(piece.name).path))
        let output = try ErrandError.refusing(what, try OpenFile(writing: self.file(name).path))
        var position = position
        while position < end {
            guard !isCancelled() else { throw .cancelled() }
            do throws(FileProblem) {
                let bytes = try input.read(Int(min(end - position, 1 << 20)), from: position - piece.first)
                guard !bytes.isEmpty else { throw FileProblem(EIO) }
                try output.write(bytes, at: position)
                position += Int64(bytes.count)
            } catch {
                throw ErrandError(error, what)
            }
        }
    }
}
