internal import Errand
internal import Foundation

/// The folder of an outbox, which several processes may use at once.
///
/// ```
/// format              "errand outbox 1": the version of the outbox
/// lock                held while a request is added
/// NAME/               a queue
///     sending         held by the process that sends the queue
///     NUMBER.ID.json  a request, by its number in the queue; complete, and kept until its end was reported
///     ID.body         its body, if it has one; written before the request, and removed after it
///     ID.temporary    a request that is being written
/// ```
///
/// Only the process that holds the lock writes: a temporary file, or a body without a request, is left over from a
/// process that was killed. All functions block the thread for as long as the disk takes.
struct OutboxFolder: Sendable {
    let url: URL

    static let format = "errand outbox 1\n"
    private static let formatName = "format"
    private static let lockName = "lock"
    private static let sendingName = "sending"
    private static let temporaryEnding = ".temporary"
    private static let bodyEnding = ".body"
    private static let damagedEnding = "damaged"
    /// The largest size of a request file, without the body; a longer file is damaged.
    private static let requestLimit = 16 << 20

    /// The number and the size of the requests in a folder.
    struct Usage {
        var count = 0
        var bytes: Int64 = 0
    }

    /// Opens the folder, and creates it if it does not exist.
    ///
    /// - Throws: `ErrandError`: with the code `invalidConfiguration` for a folder that has unrelated files or was
    ///   written by another version, with `fileFailed` where the system refuses.
    init(_ url: URL) throws(ErrandError) {
        self.url = url.standardizedFileURL
        try Self.make(self.url)
        try ErrandError.refusing("outbox: \(self.url.path) cannot be used", try OwnFolder.check(self.url.path))
        let names = try Self.names(in: self.url)
        guard names.contains(Self.formatName) || Set(names).isSubset(of: [Self.lockName]) else {
            throw ErrandError(
                .invalidConfiguration,
                "outbox: \(self.url.path) contains unrelated files; use a folder of its own")
        }
        try self.withLock { () throws(ErrandError) in
            let file = self.url.appending(path: Self.formatName)
            let limit = Self.format.utf8.count * 2
            let data = try ErrandError.refusing(
                "outbox: \(file.path) cannot be read", try OpenFile.contents(of: file.path, upTo: limit))
            guard let data, !data.isEmpty else {
                FileSystem.discard(file.path)
                return try Self.write(Data(Self.format.utf8), to: file)
            }
            guard data == Data(Self.format.utf8) else {
                throw ErrandError(
                    .invalidConfiguration, "outbox: \(self.url.path) was written by another version of this library")
            }
        }
    }

    private func withLock<Value>(_ work: () throws(ErrandError) -> Value) throws(ErrandError) -> Value {
        let path = self.url.appending(path: Self.lockName).path
        // Certain to be released: the system releases it when the process ends.
        let lock = try ErrandError.refusing("outbox: \(path) cannot be locked", try FileLock(path))
        defer { lock.unlock() }
        return try work()
    }

    // MARK: - Queues

    /// The names of all queues.
    func queues() throws(ErrandError) -> [String] {
        try Self.names(in: self.url).filter { name in
            Self.isQueue(name) && (try? FileFacts(path: self.folder(name).path))?.isFolder == true
        }
    }

    /// Returns `true` if a text is a valid queue name: up to 64 letters, digits, `-` and `_`.
    static func isQueue(_ name: String) -> Bool {
        1...64 ~= name.utf8.count && name != Self.formatName && name != Self.lockName
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// The requests of a queue, in order.
    func requests(of queue: String) throws(ErrandError) -> [StoredName] {
        try Self.names(in: self.folder(queue)).compactMap(StoredName.init).sorted()
    }

    /// Acquires the lock for sending a queue; returns `nil` while another process or outbox holds it.
    func lockSending(_ queue: String) throws(ErrandError) -> FileLock? {
        try self.make(queue)
        let path = self.folder(queue).appending(path: Self.sendingName).path
        return try ErrandError.refusing("outbox: \(path) cannot be locked", try FileLock(ifFree: path))
    }

    private func folder(_ queue: String) -> URL { self.url.appending(path: queue, directoryHint: .isDirectory) }

    // MARK: - Requests

    /// Reads a request; returns `nil` if it is gone.
    ///
    /// - Throws: ``Damage`` if it cannot be decoded, or if another user could have written it.
    func request(_ name: StoredName, of queue: String) throws -> StoredRequest? {
        let data: Data
        do throws(FileProblem) {
            let path = self.folder(queue).appending(path: name.request).path
            guard let found = try OpenFile.contents(of: path, upTo: Self.requestLimit) else { return nil }
            data = found
        } catch {
            if [.foreign, .tooLarge, .occupied].contains(error) { throw Damage() }
            throw error
        }
        guard let request = try? JSONDecoder().decodeJSON(StoredRequest.self, from: data), request.id == name.id,
            request.bodySize == nil || self.bodySize(name, of: queue) == request.bodySize
        else { throw Damage() }
        return request
    }

    /// The size of a request's body; `nil` if there is no file, or if another user could have written it.
    private func bodySize(_ name: StoredName, of queue: String) -> Int64? {
        FileFacts.lengthOfOwnFile(self.body(name, of: queue).path)
    }

    /// A file is not a complete request.
    struct Damage: Error {}

    func body(_ name: StoredName, of queue: String) -> URL { self.folder(queue).appending(path: name.body) }

    /// Adds a request behind all others of its queue; when this returns, it survives a crash of the process and of the
    /// system.
    ///
    /// - Throws: `ErrandError`: with the code `outboxFull` where a limit is reached, with `fileFailed` where the system
    ///   refuses. All its files are removed then.
    func add(
        _ request: StoredRequest, _ body: HTTPRequest.Body, to queue: String, within options: OutboxOptions
    ) throws(ErrandError) -> StoredRequest {
        try self.withLock { () throws(ErrandError) in
            let folder = self.folder(queue)
            try self.make(queue)
            try Self.synchronize(self.url)
            try self.removeLeftovers(in: folder)
            let count = try Self.encoded(request).count
            guard count <= Self.requestLimit else {
                throw ErrandError(.invalidRequest, "a request of \(count) bytes without its body is too large to store")
            }
            try self.checkRoom(for: Int64(count).adding(request.bodySize ?? 0), within: options)
            let last = try self.requests(of: queue).last?.number ?? 0
            guard last < StoredName.mostNumber else {
                throw ErrandError(.outboxFull, "the queue \(queue) has run out of numbers for requests")
            }
            let name = StoredName(number: last + 1, id: request.id)
            let (place, bodyFile) = (folder.appending(path: name.request), folder.appending(path: name.body))
            let draft = folder.appending(path: request.id.uuidString + Self.temporaryEnding)
            do throws(ErrandError) {
                try Self.write(body, to: bodyFile)
                var request = request
                // The file may have changed since its size was taken.
                if request.bodySize != nil { request.bodySize = self.bodySize(name, of: queue) ?? 0 }
                let data = try Self.encoded(request)
                try ErrandError.refusing(
                    "outbox: a request cannot be added to its queue",
                    try OpenFile.replace(place.path, with: data, by: draft.path, outlivesSystem: true))
                try Self.synchronize(folder)
                return request
            } catch {
                for file in [place, bodyFile] { FileSystem.discard(file.path) }
                throw error
            }
        }
    }

    /// Removes a request; returns `true` if it was there.
    ///
    /// - Throws: `ErrandError` with the code `fileFailed` where the system refuses.
    @discardableResult
    func remove(_ name: StoredName, of queue: String) throws(ErrandError) -> Bool {
        let folder = self.folder(queue)
        let wasThere = try ErrandError.refusing(
            "a request cannot be removed from its queue",
            try FileSystem.remove(folder.appending(path: name.request).path))
        if wasThere { FileSystem.discard(folder.appending(path: name.body).path) }
        return wasThere
    }

    /// The files that were moved aside.
    func damagedFiles() throws(ErrandError) -> [URL] {
        var files: [URL] = []
        for folder in try self.queues().map(self.folder) {
            files += try Self.names(in: folder).filter { $0.endsExactly(with: ".json.\(Self.damagedEnding)") }.sorted()
                .map { folder.appending(path: $0) }
        }
        return files
    }

    /// Moves a damaged request file aside; its body stays where it is.
    ///
    /// - Returns: The new location of the file.
    func moveAside(_ name: StoredName, of queue: String) throws(ErrandError) -> URL {
        let file = self.folder(queue).appending(path: name.request)
        let place = file.appendingPathExtension(Self.damagedEnding)
        try ErrandError.refusing(
            "a damaged request cannot be moved aside", try FileSystem.move(file.path, to: place.path))
        return place
    }

    // MARK: - Limits

    private func checkRoom(for size: Int64, within options: OutboxOptions) throws(ErrandError) {
        var usage = Usage()
        for queue in try self.queues() {
            let folder = self.folder(queue)
            for name in try Self.names(in: folder) where name != Self.sendingName {
                if StoredName(name) != nil { usage.count += 1 }
                let size = (try? FileFacts(path: folder.appending(path: name).path))?.size ?? 0
                usage.bytes = usage.bytes.adding(Int64(size))
            }
        }
        guard usage.count < options.countLimit else {
            throw ErrandError(.outboxFull, "the outbox has \(usage.count) requests; the limit is \(options.countLimit)")
        }
        guard usage.bytes.adding(size) <= options.byteLimit else {
            throw ErrandError(
                .outboxFull,
                "the outbox has \(usage.bytes) bytes, the request \(size), and the limit is "
                    + "\(options.byteLimit)")
        }
    }

    private func removeLeftovers(in folder: URL) throws(ErrandError) {
        let names = try Self.names(in: folder)
        // A request that was moved aside keeps its body.
        let kept = Set(
            names.compactMap { StoredName($0.endsExactly(with: ".damaged") ? String($0.dropLast(8)) : $0)?.body })
        for name in names
        where name.endsExactly(with: Self.temporaryEnding)
            || name.endsExactly(with: Self.bodyEnding) && !kept.contains(name)
        {
            FileSystem.discard(folder.appending(path: name).path)
        }
    }

    // MARK: - Files

    private static func make(_ folder: URL) throws(ErrandError) {
        try ErrandError.refusing("outbox: \(folder.path) cannot be created", _ = try OwnFolder.make(folder.path))
    }

    /// Creates the folder of a queue, and checks that no other user can have put files into it.
    private func make(_ queue: String) throws(ErrandError) {
        let folder = self.folder(queue)
        try Self.make(folder)
        try ErrandError.refusing(
            "outbox: \(folder.path) cannot be used", try OwnFolder.check(folder.path, mayBeLink: false))
    }

    private static func names(in folder: URL) throws(ErrandError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch CocoaError.fileReadNoSuchFile {
            return []
        } catch {
            throw ErrandError(.fileFailed, "outbox: \(folder.path) cannot be read: \(error)", cause: error)
        }
    }

    private static func encoded(_ request: StoredRequest) throws(ErrandError) -> Data {
        do {
            return try JSONEncoder().encode(request)
        } catch {
            throw ErrandError(.encodingFailed, "a request cannot be encoded: \(error)", cause: error)
        }
    }

    private static func write(_ body: HTTPRequest.Body, to file: URL) throws(ErrandError) {
        switch body {
        case .none: return
        case .bytes(let data): try Self.write(data, to: file)
        case .file(let source):
            do {
                try FileManager.default.copyItem(at: source, to: file)
            } catch {
                throw ErrandError(.fileFailed, "the body of a request cannot be stored: \(error)", cause: error)
            }
            // The copy has the permissions of the app's file.
            try ErrandError.refusing(
                "the body of a request cannot be stored", try FileSystem.setPermissions(0o600, of: file.path))
            try Self.synchronize(file)
        case .stream: throw ErrandError(.unsupported, "a stream cannot be stored in an outbox without a copy")
        }
    }

    private static func write(_ data: Data, to file: URL) throws(ErrandError) {
        try ErrandError.refusing(
            "outbox: \(file.path) cannot be written", _ = try OpenFile.make(file.path, of: data, outlivesSystem: true))
    }

    /// Writes a file or a folder through to the disk.
    private static func synchronize(_ file: URL) throws(ErrandError) {
        try ErrandError.refusing(
            "\(file.path) cannot be synchronized to disk",
            try OpenFile(reading: file.path, followsLink: true).synchronize())
    }
}
