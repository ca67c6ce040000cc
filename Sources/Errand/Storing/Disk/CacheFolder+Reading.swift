internal import Foundation

/// The reason why an entry could not be read from a file.
enum EntryProblem: Error {
    case missing
    /// The file does not contain a valid entry.
    case damaged(CacheMiss)
    case other(FileProblem)

    fileprivate init(_ error: any Error) {
        switch error {
        case let problem as EntryProblem: self = problem
        case let damage as CacheMiss: self = .damaged(damage)
        case is FieldReader.Problem: self = .damaged(.corruptHead)
        case let problem as FileProblem where !problem.isAbsence: self = .other(problem)
        default: self = .missing
        }
    }
}

extension CacheFolder {
    /// The size up to which a body is stored in the file of its entry.
    static let longestInline = 64 << 10

    /// The number of bytes of the first read.
    ///
    /// It nearly always covers the whole file; a shorter result proves it.
    private static let readSize = longestInline + 8 << 10

    /// Reads an entry, or returns `nil` if that requires waiting for a disk or a network, or if anything is unusual.
    func entryWithoutSuspending(_ digest: SHA256, isNewUse: Bool, now: Double) throws(EntryProblem) -> CacheEntry? {
        do throws(FileProblem) {
            try self.notify(.reading(digest))
            // Only the system sees the path.
            let file = try unsafe digest.withDescription(between: self.shardPaths[digest.firstDigit], ".errand") {
                path throws(FileProblem) in try unsafe OpenFile(readingWithoutBlocking: path)
            }
            // Otherwise other users could write here when the file was created, or can now.
            guard try file.facts().isOwn else { return nil }
            let bytes = file.readWithoutBlocking(Self.readSize)
            guard let header = try? EntryHeader(bytes, digest: digest), !header.hasBodyFile,
                header.fileLength == bytes.count, let entry = try? Self.entry(header, bytes)
            else { return nil }
            if isNewUse { file.setTimes(lastUse: now) }
            return entry
        } catch {
            guard error.isAbsence else { return nil }
            throw .missing
        }
    }

    private static func entry(_ header: EntryHeader, _ bytes: [UInt8]) throws(CacheMiss) -> CacheEntry {
        let body = bytes.dropFirst(header.frontLength)
        try header.check(body)
        // In one piece: copying a generic sequence would need another copy.
        let data = unsafe body.withUnsafeBytes { unsafe Data($0) }
        return try header.metadata(in: bytes, body: data).entry
    }

    /// Reads an entry, or its replacement if it is replaced in the meantime.
    ///
    /// An entry larger than the limit counts as missing. With `now` set to `nil`, reading does not count as a use.
    func entry(_ digest: SHA256, limit: Int, now: Double?) throws(EntryProblem) -> CacheEntry {
        do { return try self.readEntry(digest, limit, now) } catch {
            // The body may have been removed together with the entry that named it.
            guard case .damaged(.corruptBody) = error else { throw error }
            return try self.readEntry(digest, limit, now)
        }
    }

    private func readEntry(_ digest: SHA256, _ limit: Int, _ now: Double?) throws(EntryProblem) -> CacheEntry {
        do {
            let file = try self.open(digest)
            let facts = try file.facts()
            let header = try EntryHeader(try file.read(EntryHeader.size), digest: digest)
            guard header.fileLength == facts.size else { throw CacheMiss.corruptBody }
            guard max(facts.size, header.bodyLength) <= limit else { throw EntryProblem.missing }
            let bytes = try file.read(facts.size)
            if let now { file.setTimes(lastUse: now) }
            guard header.hasBodyFile else { return try Self.entry(header, bytes) }
            let body = try self.body(header)
            try header.check(body)
            return try header.metadata(in: bytes, body: body).entry
        } catch {
            throw EntryProblem(error)
        }
    }

    private func body(_ header: EntryHeader) throws -> Data {
        do throws(FileProblem) {
            let file = try OpenFile(reading: self.path(ofBody: header.bodyNumber, of: header.digest))
            // A file of another length is not the body, and might not fit into memory.
            let facts = try file.facts()
            guard facts.isOwn, facts.size == header.bodyLength else { return Data() }
            return Data(try file.read(header.bodyLength))
        } catch {
            throw error.isAbsence ? CacheMiss.corruptBody : error
        }
    }

    private func open(_ digest: SHA256) throws(FileProblem) -> OpenFile {
        try self.notify(.reading(digest))
        let path = self.path(of: digest)
        do throws(FileProblem) {
            let file = try OpenFile(reading: path)
            try file.facts().checkOwnFile()
            return file
        } catch {
            // A symbolic link or a socket, unless the path to the folder is a link cycle.
            let isOther = [ELOOP, EMLINK, ENXIO].contains(error.number) && (try? FileFacts(path: path)) != nil
            throw isOther ? .occupied : error
        }
    }

    // MARK: - Inspecting

    /// Reads the summary of an entry without counting it as a use.
    func item(_ digest: SHA256) throws(EntryProblem) -> (item: CacheEntry.Summary, stored: Stored) {
        do {
            let file = try self.open(digest)
            let facts = try file.facts()
            // Some systems update the access time themselves.
            defer { file.setTimes(lastUse: facts.lastUse) }
            var bytes = try file.read(min(facts.size, 4096))
            let header = try EntryHeader(bytes, digest: digest)
            guard header.fileLength == facts.size else { throw CacheMiss.corruptBody }
            if bytes.count < header.frontLength { bytes = try file.read(header.frontLength) }
            let item = try header.metadata(in: bytes).item(size: header.frontLength + header.bodyLength)
            return (item, Stored(facts: facts, header: header))
        } catch {
            throw EntryProblem(error)
        }
    }

    /// A stored entry as seen by code that changes the folder.
    struct Stored {
        let facts: FileFacts
        /// `nil` if the entry is damaged, and it is unknown whether a body file exists.
        let header: EntryHeader?

        func isSame(as other: Stored) -> Bool {
            self.facts.isSameFile(as: other.facts) && self.facts.modified == other.facts.modified
        }

        /// True if this entry stays because it was requested later than an entry that would replace it.
        func isLater(than entry: CacheEntry) -> Bool {
            // Times within a microsecond count as equal; the file system may store them less exactly.
            let storedAt = Date(timeIntervalSince1970: self.facts.modified - 1e-6)
            return self.header != nil && !entry.replaces(entryStoredAt: storedAt)
        }
    }

    /// - Returns: The stored entry; `nil` if there is none.
    func stored(_ digest: SHA256) throws(FileProblem) -> Stored? {
        do throws(FileProblem) {
            let file = try self.open(digest)
            let facts = try file.facts()
            return Stored(facts: facts, header: try? EntryHeader(try file.read(EntryHeader.size), digest: digest))
        } catch {
            if error.isAbsence { return nil }
            // An unreadable entry can be replaced.
            guard let facts = try FileFacts(path: self.path(of: digest)), facts.isRegular else { throw error }
            return Stored(facts: facts, header: nil)
        }
    }
}
