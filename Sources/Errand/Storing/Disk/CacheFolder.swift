internal import Foundation

/// The folder of a disk cache: the names of its files, and the operations on them.
///
/// ```
/// errand.lock                 locked by writers; contains the number of bytes and entries
/// 0/ … f/                     by the first digit of the digest of a key
///   <digest>.errand           an entry: header, metadata, and the body if it is small
///   <digest>-<number>.body    a large body, named in the header of the entry
///   <digest>-<number>.part    an entry in the making
/// ```
///
/// All operations block for as long as the disk takes.
struct CacheFolder: Sendable {
    let path: String
    /// The path prefixes of entries, by the first digit of their digests.
    let shardPaths: [String]
    /// Called before each step.
    private let watcher: Watcher?

    /// A file operation that is about to happen.
    enum Step: Sendable {
        case reading(SHA256), renaming(SHA256)
        case locking(path: String), listing(path: String), making(path: String), removing(path: String)
    }

    /// A test hook that is called on the thread of each step, and makes the step fail by throwing.
    typealias Watcher = @Sendable (Step) throws(FileProblem) -> Void

    init(_ url: URL, watcher: Watcher? = nil) {
        // A URL that is not a file URL has no folder, though it has a path: use one that cannot exist.
        self.path = url.isFileURL ? url.absoluteURL.path : "/dev/null"
        self.shardPaths = Self.shards.map { [path] in "\(path)/\($0)/" }
        self.watcher = watcher
    }

    func notify(_ step: @autoclosure () -> Step) throws(FileProblem) { try self.watcher?(step()) }

    // MARK: - Names

    static let shards = (0..<16).map { String($0, radix: 16) }

    func path(ofShard shard: some StringProtocol) -> String { "\(self.path)/\(shard)" }

    /// The file of an entry.
    func path(of digest: SHA256) -> String {
        digest.description(between: self.shardPaths[digest.firstDigit], ".errand")
    }

    /// The file of a body.
    func path(ofBody number: UInt64, of digest: SHA256) -> String { self.path(of: digest, number, "body") }

    /// The path of a new temporary file that is to become an entry.
    func newPartPath(of digest: SHA256) -> String { self.path(of: digest, .random(in: .min ... .max), "part") }

    private func path(of digest: SHA256, _ number: UInt64, _ kind: String) -> String {
        "\(self.path(of: digest).dropLast(7))-\(String(number, radix: 16)).\(kind)"
    }

    /// The meaning of a file name in a subfolder.
    ///
    /// Other names do not belong to this library.
    enum Name {
        case entry(SHA256), body(SHA256, UInt64), part

        init?(_ name: String, in shard: String) {
            guard name.startsExactly(with: shard), let digest = SHA256(digits: name.utf8.prefix(64)) else { return nil }
            let end = name.dropFirst(64)
            if end == ".errand" {
                self = .entry(digest)
            } else if let number = UInt64(end.dropFirst().dropLast(5), radix: 16) {
                let digits = String(number, radix: 16)
                if end != "-\(digits).body", end != "-\(digits).part" { return nil }
                self = end.endsExactly(with: "body") ? .body(digest, number) : .part
            } else {
                return nil
            }
        }
    }

    /// True for the name of a file beside the subfolders that earlier versions of this library created.
    static func isOld(_ name: String) -> Bool {
        if name == ".errand-bytes" { return true }
        let isPart = name.startsExactly(with: ".") && name.endsExactly(with: ".part")
        let plain = isPart ? name.dropFirst() : name[...]
        return SHA256(digits: plain.utf8.prefix(64)) != nil
            && plain.dropFirst(64).prefix(isPart ? 8 : .max) == (isPart ? ".errand." : ".errand")
            && (!isPart || UInt64(plain.dropFirst(72).dropLast(5), radix: 16) != nil)
    }

    // MARK: - Files

    /// Calls a function for all regular files of a folder with recognized names.
    ///
    /// Symbolic links are not followed.
    func forEach<Name>(
        in path: String, named name: (String) -> Name?, _ body: (Name, String, FileFacts) throws(FileProblem) -> Void
    ) throws(FileProblem) {
        try self.notify(.listing(path: path))
        guard let stream = unsafe opendir(path) else { throw FileProblem(errno) }
        defer { unsafe closedir(stream) }
        while true {
            // `readdir` distinguishes the end from a failure only by `errno`.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { throw FileProblem(errno) }
                return
            }
            // Access only the name in place: the system may return less than a complete structure.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let text = unsafe String(
                cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
            // The file may have been removed in the meantime.
            guard let known = name(text), let facts = try FileFacts(path: "\(path)/\(text)"), facts.isRegular else {
                continue
            }
            try body(known, "\(path)/\(text)", facts)
        }
    }

    /// True if a subfolder exists.
    ///
    /// Throws if it is not a directory of this user.
    func hasShard(_ shard: some StringProtocol) throws(FileProblem) -> Bool {
        guard let facts = try FileFacts(path: self.path(ofShard: shard)) else { return false }
        guard facts.isFolder else { throw .occupied }
        guard facts.isOwn else { throw .foreign }
        return true
    }

    /// Creates a file with these bytes, and its subfolder if needed.
    ///
    /// If writing fails, no file is left behind.
    func write(
        _ bytes: some ContiguousBytes, to path: String, of digest: SHA256, lastUse: Double, modified: Double
    ) throws(FileProblem) {
        try self.notify(.making(path: path))
        let shard = digest.description.prefix(1)
        if try !self.hasShard(shard) { try OwnFolder.make(self.path(ofShard: shard), makesParents: false) }
        let file = try OpenFile.make(path, of: bytes)
        file.setTimes(lastUse: lastUse, modified: modified)
    }

    /// Moves a temporary file to the path of an entry.
    func rename(_ part: String, to digest: SHA256) throws(FileProblem) {
        try self.notify(.renaming(digest))
        try FileSystem.move(part, to: self.path(of: digest))
    }

    /// Removes a file, if there is one.
    func remove(_ path: String) throws(FileProblem) {
        try self.notify(.removing(path: path))
        _ = try FileSystem.remove(path)
    }

    /// Acquires the lock of the folder, waiting for its current owner.
    ///
    /// - Returns: The lock file, which holds the lock until it is closed.
    func takeLock() throws(FileProblem) -> OpenFile {
        let path = "\(self.path)/errand.lock"
        return try OpenFile(locking: path) { () throws(FileProblem) in
            try self.notify(.locking(path: path))
            try OwnFolder.check(self.path)
        }
    }

    /// Creates the folder and its parents, accessible to this user only.
    ///
    /// Existing folders are left unchanged.
    func make() throws(FileProblem) {
        if try OwnFolder.make(self.path) { Platform.excludeFromBackup(self.path) }
    }
}
