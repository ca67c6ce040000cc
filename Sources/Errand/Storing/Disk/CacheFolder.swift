internal import Foundation

/// The folder of a disk cache: what is done to its files, without knowing what is in them.
///
/// All of it blocks for as long as the disk takes.
struct CacheFolder: Sendable {
    let path: String
    /// Sees each step before it is taken.
    let watcher: Watcher?
    /// What this process knows of its files.
    let looks = FileLooks()
    private let turns: FolderTurns

    /// Something that is about to be done.
    enum Step: Hashable, Sendable {
        case reading(SHA256)
        /// All that is in the folder is looked at.
        case listing
        /// One file of those is looked at.
        case looking
        /// A file is made that is to become the entry.
        case writing(SHA256)
        /// That file has all its bytes, and takes its place.
        case moving(SHA256)
        /// Another changes something in the folder.
        case waiting
        /// Nothing newer is at the place, and nobody else changes that.
        case replacing(SHA256)
        case removing(path: String)
    }

    /// Is told of each step on the thread that takes it, and has it fail by throwing; for tests.
    typealias Watcher = @Sendable (Step) throws(FileProblem) -> Void

    init(_ url: URL, watcher: Watcher? = nil) {
        // Where nothing can be: what is not the URL of a file has no folder, though it has a path.
        self.path = url.isFileURL ? url.absoluteURL.path : "/dev/null"
        self.turns = FolderTurns(folder: self.path)
        self.watcher = watcher
    }

    // MARK: - Names

    private static let nameEnd = ".errand"
    private static let partEnd = ".part"

    func path(of digest: SHA256) -> String {
        // Put together in one piece of memory, for each response from the disk needs it.
        var path = ""
        path.reserveCapacity(self.path.utf8.count + 1 + 2 * SHA256.size + Self.nameEnd.utf8.count)
        path += self.path
        path += "/"
        path += digest.description
        path += Self.nameEnd
        return path
    }

    /// A name for a file that is to become the entry.
    func newPartPath(of digest: SHA256) -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return "\(self.path)/.\(digest)\(Self.nameEnd).\(random)\(Self.partEnd)"
    }

    /// The digest that a file is named for, if it has the name of an entry.
    private static func digest(_ name: String) -> SHA256? {
        guard name.hasSuffix(self.nameEnd) else { return nil }
        return SHA256(digits: name.dropLast(self.nameEnd.count))
    }

    private static func isPart(_ name: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(self.partEnd) else { return false }
        let parts = name.dropFirst().dropLast(self.partEnd.count).split(
            separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && SHA256(digits: parts[0]) != nil && "." + parts[1] == self.nameEnd
    }

    // MARK: - The folder itself

    /// Tells the folder from others, and from itself as it was before a file came or went; `nil` if there is none.
    var mark: FileMark? {
        // The folder may be given as a link to one.
        var status = stat()
        guard unsafe stat(self.path, &status) == 0 else { return nil }
        return FileFacts(status).mark
    }

    /// Whether there certainly is no folder.
    var isAbsent: Bool {
        var status = stat()
        return unsafe stat(self.path, &status) != 0 && FileProblem(errno).isAbsence
    }

    /// Makes the folder and those it lies in, for this user only; those that are there stay as they are.
    ///
    /// - Throws: ``FileProblem``.
    func make() throws(FileProblem) {
        var path = self.path.hasPrefix("/") ? "" : "."
        var isMade = false
        for name in self.path.split(separator: "/") {
            path += "/\(name)"
            isMade = unsafe mkdir(path, 0o700) == 0
            guard isMade || errno == EEXIST || errno == EISDIR else {
                // Where one may not write there may be a folder already.
                var status = stat()
                let number = errno
                guard unsafe stat(path, &status) == 0 else { throw FileProblem(number) }
                continue
            }
        }
        if isMade { self.excludeFromBackups() }
    }

    /// Makes the folder if need be, and finds out whether something can be put into it.
    ///
    /// - Throws: ``FileProblem``, the same that putting something there would.
    func makeWritable() throws(FileProblem) {
        try self.make()
        guard unsafe access("\(self.path)/.", W_OK | X_OK) == 0 else { throw FileProblem(errno) }
    }

    private func excludeFromBackups() {
        #if canImport(Darwin)
            var url = URL(filePath: self.path, directoryHint: .isDirectory)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
    }

    /// Waits for others who change what is in the folder, see ``FolderTurns``.
    func takeTurn() -> FolderTurn {
        self.turns.take { try? self.watcher?(.waiting) }
    }

    // MARK: - Its files

    /// A file in the folder with the name of an entry, or of what was to become one.
    enum Item {
        case entry(SHA256, FileFacts)
        case part(path: String, size: Int)
        /// The system does not tell what it is.
        case unknown(SHA256, FileProblem)
    }

    /// Looks at all regular files whose names are of this library; others do not matter.
    ///
    /// - Throws: ``FileProblem`` if there is no folder, or it cannot be read.
    func forEach(_ body: (Item) -> Void) throws(FileProblem) {
        try self.watcher?(.listing)
        guard let stream = unsafe opendir(self.path) else { throw FileProblem(errno) }
        defer { unsafe closedir(stream) }
        let folder = unsafe dirfd(stream)
        while true {
            // How it tells the end from a failure.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { throw FileProblem(errno) }
                return
            }
            // Only the name is looked at where it lies: the system may give less than a whole structure.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let name = unsafe String(cString: start)
            let digest = Self.digest(name)
            guard digest != nil || Self.isPart(name) else { continue }
            try self.watcher?(.looking)
            var status = stat()
            guard unsafe fstatat(folder, start, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                let problem = FileProblem(errno)
                // Otherwise it went meanwhile.
                if !problem.isAbsence, let digest { body(.unknown(digest, problem)) }
                continue
            }
            let facts = FileFacts(status)
            guard facts.isRegular else { continue }
            body(digest.map { .entry($0, facts) } ?? .part(path: "\(self.path)/\(name)", size: facts.size))
        }
    }

    /// For so long nobody removes what others may be at work on, where that cannot be seen.
    private static let partLifetime = 60.0

    /// Removes a file that was to become an entry, if nobody is at work on it any more.
    ///
    /// Whoever writes such a file holds it until it is in its place. One that was made just now, and is not held yet,
    /// may go too: its writer finds out, and writes another.
    ///
    /// - Returns: How many bytes are still there.
    func removePart(_ path: String, now: Double) -> Int {
        guard let file = try? OpenFile(reading: path), let facts = try? file.facts(), facts.isRegular else { return 0 }
        guard file.take() ?? (now - facts.changed > Self.partLifetime) else { return facts.size }
        do throws(FileProblem) {
            try self.unlink(path)
            return 0
        } catch {
            return error.isAbsence ? 0 : facts.size
        }
    }

    /// What became of an entry that was to be removed.
    enum Removal {
        case done
        /// Nothing was there.
        case absent
        /// It is not a regular file, or was not to go after all.
        case left(FileFacts)
    }

    /// Removes the file of an entry.
    ///
    /// - Parameters:
    ///   - digest: That of its key.
    ///   - turn: The turn at the folder.
    ///   - isSpared: Whether the file that is there now is to stay.
    /// - Returns: What became of it.
    /// - Throws: ``FileProblem`` if it could not be removed.
    func remove(
        _ digest: SHA256, in turn: inout FolderTurn, unless isSpared: (FileFacts) -> Bool
    ) throws(FileProblem) -> Removal {
        let path = self.path(of: digest)
        do throws(FileProblem) {
            let facts = try FileFacts(path: path)
            guard facts.isRegular, !isSpared(facts) else { return .left(facts) }
            try self.unlink(path)
            turn.note(change: -facts.size)
            return .done
        } catch {
            guard error.isAbsence else { throw error }
            return .absent
        }
    }

    private func unlink(_ path: String) throws(FileProblem) {
        try self.watcher?(.removing(path: path))
        guard unsafe Foundation.unlink(path) == 0 else { throw FileProblem(errno) }
    }
}

extension SHA256 {
    /// Reads a digest as its description is written.
    init?(digits: some StringProtocol) {
        let digits = Array(digits.utf8)
        guard digits.count == 2 * Self.size else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.init(bytes: bytes)
    }
}

extension UInt8 {
    /// Capitals are not written, and would make a second name for the same entry.
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
