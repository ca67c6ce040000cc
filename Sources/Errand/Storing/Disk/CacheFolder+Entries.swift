internal import Foundation

/// Why there is no entry in a file.
enum EntryProblem: Error {
    case missing
    /// There is one that was asked for later.
    case outdone
    case damaged(EntryDamage)
    case other(CacheProblem)
}

extension CacheFolder {
    /// How old the time of a last use may become before it is set anew.
    private static let lastUseStep = 60.0

    /// Up to this size what is at hand is copied in place.
    private static let smallSize = 256 << 10

    /// Reads the entry of a digest, and sets the time of its last use to the present one if it is not near it.
    ///
    /// - Throws: ``EntryProblem``.
    func entry(_ digest: SHA256, limit: Int, now: Double) throws(EntryProblem) -> CacheEntry {
        do {
            let file = try self.open(digest)
            let facts = try self.facts(of: file, digest, limit: limit)
            let entry = try EntryFile.entry(try file.read(facts.size), digest: digest)
            self.noteUse(of: file, facts, digest, now: now)
            return entry
        } catch {
            throw EntryProblem(error)
        }
    }

    /// Does the same, but returns `nil` where there is a disk or a network to wait for, or much to copy.
    ///
    /// - Throws: ``EntryProblem``.
    func entryAtHand(_ digest: SHA256, limit: Int, now: Double) throws(EntryProblem) -> CacheEntry? {
        do {
            let file = try self.open(digest, isAtHand: true)
            // To look is a call of the system. Without it the file may be another by now, or something else: then it is
            // not as long as it was, or its checksums tell.
            if let look = self.looks.last(digest), abs(now - look.lastUse) < Self.lastUseStep,
                look.size <= min(limit, Self.smallSize), let bytes = file.readAtHand(look.size)
            {
                return try EntryFile.entry(bytes, digest: digest)
            }
            let facts = try self.facts(of: file, digest, limit: limit)
            guard facts.size <= Self.smallSize, let bytes = file.readAtHand(facts.size) else { return nil }
            let entry = try EntryFile.entry(bytes, digest: digest)
            self.noteUse(of: file, facts, digest, now: now)
            return entry
        } catch let problem as FileProblem where problem.number == EAGAIN {
            return nil
        } catch {
            throw EntryProblem(error)
        }
    }

    /// Keeps the time of the last use in a file near the true one.
    private func noteUse(of file: borrowing OpenFile, _ facts: FileFacts, _ digest: SHA256, now: Double) {
        let isNear = abs(now - facts.lastUse) < Self.lastUseStep
        if !isNear { file.setTimes(lastUse: now) }
        self.looks.note(digest, FileLooks.Look(size: facts.size, lastUse: isNear ? facts.lastUse : now))
    }

    /// Reads what an entry is about, and leaves the time of its last use.
    ///
    /// - Throws: ``EntryProblem``.
    func item(_ digest: SHA256) throws(EntryProblem) -> CacheItem {
        do {
            let file = try self.open(digest)
            let facts = try self.facts(of: file, digest, limit: .max)
            // Some systems set that time by themselves.
            defer { file.setTimes(lastUse: facts.lastUse) }
            var bytes = try file.read(min(facts.size, 4096))
            let frame = try EntryFile.frame(bytes)
            guard frame.end == facts.size else { throw EntryDamage.body }
            let headEnd = frame.end - frame.bodyLength
            if bytes.count < headEnd { bytes = try file.read(headEnd) }
            return try EntryFile.head(bytes, frame, digest: digest).item(size: facts.size)
        } catch {
            throw EntryProblem(error)
        }
    }

    private func open(_ digest: SHA256, isAtHand: Bool = false) throws -> OpenFile {
        do throws(FileProblem) {
            try self.watcher?(.reading(digest))
            let path = self.path(of: digest)
            return isAtHand ? try OpenFile(readingAtHand: path) : try OpenFile(reading: path)
        } catch {
            if error.isAbsence { throw EntryProblem.missing }
            // A link, or a socket; unless it is the way to the folder that leads in a circle.
            let isOccupied = [ELOOP, EMLINK, ENXIO].contains(error.number) && self.canLook(at: digest)
            throw isOccupied ? EntryProblem.other(.occupied(digest)) : error
        }
    }

    /// Whether the system tells what is at the place of an entry, or that nothing is.
    ///
    /// Otherwise nothing can be read there either: the folder itself cannot be reached.
    func canLook(at digest: SHA256) -> Bool {
        do throws(FileProblem) {
            _ = try FileFacts(path: self.path(of: digest))
            return true
        } catch {
            return error.isAbsence
        }
    }

    /// Looks at a file that is to be an entry.
    ///
    /// - Throws: ``EntryProblem`` if it is not a regular one, or larger than what would have been stored: that need not
    ///   fit into memory. ``FileProblem`` if it cannot be looked at.
    private func facts(of file: borrowing OpenFile, _ digest: SHA256, limit: Int) throws -> FileFacts {
        let facts = try file.facts()
        guard facts.isRegular else { throw EntryProblem.other(.occupied(digest)) }
        guard facts.size <= limit else { throw EntryProblem.missing }
        return facts
    }

    // MARK: - Writing

    /// Writes a file that is to become an entry beside its place: whenever the process dies, there is the old entry, or
    /// the new one, or none.
    ///
    /// - Parameters:
    ///   - front: What comes before the body in the file.
    ///   - body: The body.
    ///   - entry: The entry, all of which that is.
    ///   - digest: That of its key.
    ///   - lastUse: When it was used last.
    /// - Returns: The file.
    /// - Throws: ``EntryProblem``; nothing is left behind then.
    func part(
        _ front: [UInt8], _ body: Data, of entry: CacheEntry, _ digest: SHA256, lastUse: Double
    ) throws(EntryProblem) -> EntryPart {
        do {
            _ = try self.placeSize(digest, for: entry)
            try self.watcher?(.writing(digest))
            let part = try EntryPart { self.newPartPath(of: digest) }
            try part.file.write(front)
            try part.file.write(body)
            part.file.setTimes(lastUse: lastUse, modified: entry.storedAt.timeIntervalSince1970)
            try self.watcher?(.moving(digest))
            return part
        } catch {
            throw EntryProblem(writing: error)
        }
    }

    /// Moves a file to the place of an entry.
    ///
    /// - Parameters:
    ///   - part: The file.
    ///   - digest: That of the key of the entry.
    ///   - size: How many bytes it has.
    ///   - oldSize: How many bytes the entry has that is there.
    ///   - turn: The turn at the folder.
    /// - Throws: ``EntryProblem``; the old entry is still there then.
    func move(
        _ part: borrowing EntryPart, _ digest: SHA256, size: Int, replacing oldSize: Int, in turn: inout FolderTurn
    ) throws(EntryProblem) {
        do throws(FileProblem) {
            try self.watcher?(.replacing(digest))
            turn.note(change: size)
            guard unsafe rename(part.path, self.path(of: digest)) == 0 else {
                let problem = FileProblem(errno)
                turn.note(change: -size)
                throw problem
            }
            // Who counts meanwhile because nobody knows how many there are is to find out that it has changed.
            if oldSize > 0 || turn.bytes == nil { turn.note(change: -oldSize) }
        } catch {
            throw EntryProblem(writing: error)
        }
    }

    /// Finds out whether an entry may take its place.
    ///
    /// - Returns: How many bytes the entry has that is there.
    /// - Throws: ``EntryProblem``.
    func placeSize(_ digest: SHA256, for entry: CacheEntry) throws(EntryProblem) -> Int {
        guard let facts = try? FileFacts(path: self.path(of: digest)) else { return 0 }
        guard facts.isRegular else { throw .other(.occupied(digest)) }
        guard !facts.outdo(entry) else { throw .outdone }
        return facts.size
    }

    /// When the entry that is there was stored, if one is.
    func storedAt(_ digest: SHA256) -> Date? {
        guard let facts = try? FileFacts(path: self.path(of: digest)), facts.isRegular else { return nil }
        return facts.modifiedAt
    }

    /// What tells the file of an entry from others that come in its place.
    func mark(of digest: SHA256) -> FileMark? {
        (try? FileFacts(path: self.path(of: digest)))?.mark
    }
}

extension FileFacts {
    /// Whether they are those of an entry that was asked for later than another.
    func outdo(_ entry: CacheEntry) -> Bool {
        // As the file would say it, which knows less of a moment than a date does.
        let storedAt = timespec(seconds: entry.storedAt.timeIntervalSince1970).seconds
        return self.modified > storedAt && !entry.replaces(entryStoredAt: self.modifiedAt)
    }
}

/// A file that is to become an entry; removed when it is let go of and has not.
struct EntryPart: ~Copyable {
    let path: String
    let file: OpenFile

    /// Makes a file that no other process removes.
    ///
    /// Before it is taken it looks like one whose writer was killed, so another process may remove it in between.
    ///
    /// - Parameter newPath: A path at which nothing is, another one each time.
    /// - Throws: ``FileProblem``.
    init(at newPath: () -> String) throws(FileProblem) {
        for _ in 0..<16 {
            let path = newPath()
            let file = try OpenFile(making: path)
            guard file.take() != false, file.isLinked else {
                _ = unsafe unlink(path)
                continue
            }
            self.path = path
            self.file = file
            return
        }
        throw FileProblem(EBUSY)
    }

    deinit {
        _ = unsafe unlink(self.path)
    }
}

extension EntryProblem {
    fileprivate init(_ error: any Error) {
        switch error {
        case let problem as EntryProblem: self = problem
        case let damage as EntryDamage: self = .damaged(damage)
        case let problem as FileProblem: self = .other(.unreadable(problem))
        default: self = .missing
        }
    }

    fileprivate init(writing error: any Error) {
        switch error {
        case let problem as FileProblem: self = problem.number == ENOENT ? .missing : .other(.unwritable(problem))
        default: self.init(error)
        }
    }
}
