internal import Foundation

/// The folder that keeps what there is of one transfer: for one request of one process at a time.
///
/// Its functions block the thread for as long as the disk takes, and are called one after another.
final class PartialFolder: Sendable {
    let url: URL
    private let lock: FileLock

    private static let lockName = "lock"
    private static let recordName = "record"
    /// The most bytes of a record: some ten thousand pieces.
    private static let recordLimit = 1 << 20

    /// Makes the folder if need be, and locks it; `nil` while another has it.
    ///
    /// The lock is the system's: it goes with the process.
    ///
    /// - Parameters:
    ///   - url: The folder.
    ///   - makesParents: Whether the folders that it lies in are made as well.
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
                // Who has just ended a transfer has removed the folder.
                guard error.isAbsence else {
                    throw ErrandError(error, "the folder of a partial transfer cannot be locked")
                }
            }
        }
    }

    /// Makes the folder where there is none, and sees to it that nobody else could have put anything into it.
    private static func make(_ url: URL, makesParents: Bool) throws(ErrandError) {
        try ErrandError.refusing(
            "the folder for a partial transfer cannot be made in \(url.deletingLastPathComponent().path)",
            _ = try OwnFolder.make(url.path, makesParents: makesParents))
        do throws(FileProblem) {
            try OwnFolder.check(url.path, mayBeLink: false)
        } catch {
            // Who has just ended a transfer has removed it; it is made again.
            guard error != FileProblem(ENOENT) else { return }
            throw ErrandError(
                .fileFailed, "\(url.path), where a partial transfer is to be, is not a folder of this user alone")
        }
    }

    /// Tells whether files can be moved from here to a place without being copied.
    func isOnVolume(of place: URL) -> Bool {
        let folder = place.deletingLastPathComponent().path
        guard let here = try? FileFacts(path: self.url.path, followsLink: true),
            let there = try? FileFacts(path: folder, followsLink: true)
        else { return true }
        return here.isOnVolume(of: there)
    }

    /// Lets others have the folder; nothing may be done with it after that.
    func unlock() { self.lock.unlock() }

    // MARK: - The record

    /// The record, if there is one that can be read.
    func record<Record: Decodable>() -> Record? {
        let path = self.url.appending(path: Self.recordName).path
        guard let data = try? OpenFile.contents(of: path, upTo: Self.recordLimit) else { return nil }
        return try? JSONDecoder().decodeJSON(Record.self, from: data)
    }

    /// Writes the record, in one step; what cannot be written is not there at the next start.
    func write(_ record: some Encodable) {
        guard let data = try? JSONEncoder().encode(record) else { return }
        let (path, draft) = (self.file(Self.recordName).path, self.file(UUID().uuidString).path)
        // An older one may name pieces that are gone, and no wrong ones.
        try? OpenFile.replace(path, with: data, by: draft)
    }

    // MARK: - The pieces

    func file(_ name: String) -> URL { self.url.appending(path: name) }

    /// The number of bytes a piece has; `nil` where it is not there, or others could have written it.
    func size(of name: String) -> Int64? { FileFacts.lengthOfOwnFile(self.file(name).path) }

    /// Removes all but some pieces, the record and the lock.
    func keepOnly(_ names: [String]) {
        let kept = Set(names + [Self.lockName, Self.recordName])
        let all = (try? FileManager.default.contentsOfDirectory(atPath: self.url.path)) ?? []
        for name in all where !kept.contains(name) { FileSystem.discard(self.file(name).path) }
    }

    /// Removes the record first, so that it never names what is gone, then the pieces.
    func clear() {
        FileSystem.discard(self.file(Self.recordName).path)
        self.keepOnly([])
    }

    /// Removes the folder with all that is in it, and gives the lock back.
    ///
    /// What is large goes first, while the folder can be found. Then it gets another name, under which a late exchange does
    /// not find it. That is the same each time, so that what a process leaves which is killed here goes with the next one.
    func remove() {
        self.clear()
        let gone = self.url.appendingPathExtension("gone")
        let folder = self.rename(to: gone) ? gone : self.url
        // Such as without a descriptor to be had: under its own name it can be found later.
        if !Self.discard(folder) { try? FileSystem.move(folder.path, to: self.url.path) }
        self.unlock()
    }

    /// Gives the folder another name, in place of what has that already if it is of this user alone.
    private func rename(to gone: URL) -> Bool {
        if (try? FileSystem.move(self.url.path, to: gone.path)) != nil { return true }
        guard (try? OwnFolder.check(gone.path, mayBeLink: false)) != nil, Self.discard(gone) else { return false }
        return (try? FileSystem.move(self.url.path, to: gone.path)) != nil
    }

    /// Removes a folder and the files in it; returns whether it could be looked into.
    private static func discard(_ folder: URL) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return false }
        for name in names { FileSystem.discard(folder.appending(path: name).path) }
        _ = unsafe rmdir(folder.path)
        return true
    }

    /// Appends to a piece what another one has beyond it, and removes that.
    ///
    /// - Parameters:
    ///   - next: The piece behind it.
    ///   - name: The first piece.
    ///   - isCancelled: Looked at now and then.
    /// - Returns: Whether nothing of it is left; not where it does not begin within or at the end of the first one.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` or ``ErrandError/Code/cancelled``; what was
    ///   appended stays, and is right.
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

    /// Copies the end of a piece to where it belongs in another one.
    ///
    /// To a position, and not to the end: an exchange that was cancelled may still be writing, the same bytes to the same
    /// place.
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
