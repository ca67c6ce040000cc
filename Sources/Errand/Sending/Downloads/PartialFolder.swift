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
                guard let lock = try FileLock(path, waits: false) else { return nil }
                (self.url, self.lock) = (url, lock)
                return
            } catch {
                // Who has just ended a transfer has removed the folder.
                guard error.isAbsence else {
                    throw ErrandError(.fileFailed, "the folder of a partial transfer cannot be locked: \(error)")
                }
            }
        }
    }

    /// Makes the folder where there is none, and sees to it that nobody else could have put anything into it.
    private static func make(_ url: URL, makesParents: Bool) throws(ErrandError) {
        do throws(FileProblem) {
            try OwnFolder.make(url.path, makesParents: makesParents)
        } catch {
            let parent = url.deletingLastPathComponent().path
            throw ErrandError(
                .fileFailed, "the folder for a partial transfer cannot be made in \(parent): \(error)")
        }
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
        var (here, there) = (stat(), stat())
        guard unsafe stat(self.url.path, &here) == 0,
            unsafe stat(place.deletingLastPathComponent().path, &there) == 0
        else { return true }
        return here.st_dev == there.st_dev
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
        let (file, draft) = (self.url.appending(path: Self.recordName), self.url.appending(path: UUID().uuidString))
        guard (try? OpenFile(making: draft.path).write(data)) != nil,
            unsafe Foundation.rename(draft.path, file.path) == 0
        else {
            // An older one may name pieces that are gone, and no wrong ones.
            _ = unsafe unlink(draft.path)
            return
        }
    }

    // MARK: - The pieces

    func file(_ name: String) -> URL { self.url.appending(path: name) }

    /// The number of bytes a piece has; `nil` where it is not there, or others could have written it.
    func size(of name: String) -> Int64? {
        guard let facts = try? FileFacts(path: self.file(name).path), facts.isRegular, facts.isOwn else { return nil }
        return facts.length
    }

    /// Removes all but some pieces, the record and the lock.
    func keepOnly(_ names: [String]) {
        let kept = Set(names + [Self.lockName, Self.recordName])
        let all = (try? FileManager.default.contentsOfDirectory(atPath: self.url.path)) ?? []
        for name in all where !kept.contains(name) { _ = unsafe unlink(self.file(name).path) }
    }

    /// Removes the record first, so that it never names what is gone, then the pieces.
    func clear() {
        _ = unsafe unlink(self.file(Self.recordName).path)
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
        if !Self.discard(folder) { _ = unsafe Foundation.rename(folder.path, self.url.path) }
        self.unlock()
    }

    /// Gives the folder another name, in place of what has that already if it is of this user alone.
    private func rename(to gone: URL) -> Bool {
        if unsafe Foundation.rename(self.url.path, gone.path) == 0 { return true }
        guard (try? OwnFolder.check(gone.path, mayBeLink: false)) != nil, Self.discard(gone) else { return false }
        return unsafe Foundation.rename(self.url.path, gone.path) == 0
    }

    /// Removes a folder and the files in it; returns whether it could be looked into.
    private static func discard(_ folder: URL) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return false }
        for name in names { _ = unsafe unlink(folder.appending(path: name).path) }
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
        _ = unsafe unlink(self.file(next.name).path)
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
        let input = unsafe open(self.file(piece.name).path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { if input >= 0 { close(input) } }
        let output = unsafe open(self.file(name).path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { if output >= 0 { close(output) } }
        guard input >= 0, output >= 0, lseek(input, off_t(position - piece.first), SEEK_SET) >= 0,
            lseek(output, off_t(position), SEEK_SET) >= 0
        else { throw Self.copyProblem }
        var room = [UInt8](repeating: 0, count: 1 << 20)
        var rest = end - position
        while rest > 0 {
            guard !isCancelled() else { throw .cancelled() }
            let wanted = Int(min(rest, Int64(room.count)))
            let count = unsafe room.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, wanted) }
            if count < 0, errno == EINTR { continue }
            guard count > 0, Self.write(room[..<count], to: output) else { throw Self.copyProblem }
            rest -= Int64(count)
        }
    }

    private static var copyProblem: ErrandError {
        ErrandError(system: "the pieces of a download cannot be joined", code: .fileFailed)
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
