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

    /// Does the same, but answers nothing where there is a disk to wait for, or much to copy.
    ///
    /// - Throws: ``EntryProblem``.
    func entryAtHand(_ digest: SHA256, limit: Int, now: Double) throws(EntryProblem) -> CacheEntry? {
        do {
            let file = try self.open(digest)
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
        } catch {
            throw EntryProblem(error)
        }
    }

    /// Keeps the time of the last use in a file near the true one.
    private func noteUse(of file: borrowing OpenFile, _ facts: FileFacts, _ digest: SHA256, now: Double) {
        let isNear = abs(now - facts.lastUse) < Self.lastUseStep
        if !isNear { file.setTimes(lastUse: now, modified: facts.modified) }
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
            defer { file.setTimes(lastUse: facts.lastUse, modified: facts.modified) }
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

    private func open(_ digest: SHA256) throws -> OpenFile {
        do throws(FileProblem) {
            try self.watcher?(.reading(digest))
            return try OpenFile(reading: self.path(of: digest))
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: throw EntryProblem.missing
            // A link, or a socket; unless it is the way to the folder that leads in a circle.
            case let number where [ELOOP, EMLINK, ENXIO].contains(number) && self.canLook(at: digest):
                throw EntryProblem.other(.occupied(digest))
            default: throw error
            }
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
            return [ENOENT, ENOTDIR].contains(error.number)
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

    /// Writes a file beside the place of an entry and moves it there: whenever the process dies, there is the old
    /// entry, or the new one, or none.
    ///
    /// - Parameters:
    ///   - front: What comes before the body in the file.
    ///   - body: The body.
    ///   - entry: The entry, all of which that is.
    ///   - digest: That of its key.
    ///   - lastUse: When it was used last.
    /// - Throws: ``EntryProblem``; nothing is left behind then, and the old entry is still there.
    func put(
        _ front: [UInt8], _ body: Data, of entry: CacheEntry, _ digest: SHA256, lastUse: Double
    ) throws(EntryProblem) {
        let (place, part) = (self.path(of: digest), self.newPartPath(of: digest))
        do {
            try self.check(place, digest, for: entry)
            try self.watcher?(.writing(digest))
            let file = try self.makePart(part)
            try file.write(front)
            try file.write(body)
            file.setTimes(lastUse: lastUse, modified: entry.storedAt.timeIntervalSince1970)
            try self.watcher?(.moving(digest))
            try self.move(part, to: place, of: entry, digest)
        } catch let problem as FileProblem {
            _ = unsafe unlink(part)
            throw problem.number == ENOENT ? .missing : .other(.unwritable(problem))
        } catch {
            _ = unsafe unlink(part)
            throw EntryProblem(error)
        }
    }

    /// Moves a file to the place of an entry, if that may take it, while no other writer does the same.
    private func move(_ part: String, to place: String, of entry: CacheEntry, _ digest: SHA256) throws {
        // The folder itself, also where it is given as a link to one.
        let folder = try OpenFile(reading: "\(self.path)/.")
        try self.awaitTurn(in: folder, digest)
        // Once more, at the last moment: others may have written meanwhile.
        try self.check(place, digest, for: entry)
        try self.watcher?(.replacing(digest))
        guard unsafe rename(part, place) == 0 else { throw FileProblem(errno) }
    }

    /// So often a writer tries, a ten-thousandth of a second after another: some thousand times as long as others need.
    private static let mostTries = 1000

    /// Takes the folder for this writer, and waits for another that has it.
    ///
    /// One that was stopped just then does not hold up all others for ever, and some file systems have no such thing:
    /// then it goes on without.
    private func awaitTurn(in folder: borrowing OpenFile, _ digest: SHA256) throws(FileProblem) {
        for _ in 0..<Self.mostTries {
            guard folder.take() == false else { return }
            try self.watcher?(.waiting(digest))
            usleep(100)
        }
    }

    /// Makes a file that no other process removes.
    ///
    /// Before it is taken it looks like one whose writer was killed, so another process may remove it in between.
    private func makePart(_ part: String) throws -> OpenFile {
        for _ in 0..<16 {
            let file = try OpenFile(making: part)
            file.take()
            if file.isLinked { return file }
        }
        throw FileProblem(EBUSY)
    }

    /// When the entry that is there was stored, if one is.
    func storedAt(_ digest: SHA256) -> Date? {
        guard let facts = try? FileFacts(path: self.path(of: digest)), facts.isRegular else { return nil }
        return facts.modifiedAt
    }

    /// Finds out whether an entry may take a place.
    ///
    /// - Throws: ``EntryProblem``.
    private func check(_ place: String, _ digest: SHA256, for entry: CacheEntry) throws(EntryProblem) {
        guard let facts = try? FileFacts(path: place) else { return }
        guard facts.isRegular else { throw .other(.occupied(digest)) }
        // As the file would say it, which knows less of a moment than a date does.
        let storedAt = timespec(seconds: entry.storedAt.timeIntervalSince1970).seconds
        guard facts.modified <= storedAt || entry.replaces(entryStoredAt: facts.modifiedAt) else { throw .outdone }
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
}
