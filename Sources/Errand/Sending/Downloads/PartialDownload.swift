internal import Dispatch
internal import ErrandLocks
internal import Foundation

/// A download that goes on where an earlier one was interrupted, by an error, a cancellation or the end of its process.
///
/// Each exchange writes into a file of its own, a piece. When the head of its response shows where its bytes belong, the
/// piece is noted in a record; from then on it outlives whatever interrupts the exchange. Before the next exchange the
/// pieces are joined, and the rest is asked for. Nothing but a strong validator makes pieces of two responses one body.
///
/// The disk is used on a queue of its own. Heads are noted from wherever a transport tells about them.
final class PartialDownload: Sendable {
    private struct State {
        var record: Record?
        /// What the exchange that is under way asks for.
        var asked: RangeRequest?
        /// What the responses are, by the piece that their body goes into.
        var verdicts: [String: RangeRequest.Verdict] = [:]
        /// The request was told to stop: what takes long ends.
        var isCancelled = false
        /// Others may have the folder now.
        var isClosed = false
    }

    /// What has come of an exchange.
    enum Progress: Sendable, Equatable {
        /// The body is whole: in this file.
        case whole(URL)
        /// Something is missing still.
        case incomplete
        /// The response contradicts what was asked for: nothing is kept, and all of the body is to be asked for.
        case contradiction
        /// The response is none with the body.
        case other
    }

    private let folder: PartialFolder
    /// The digest of what is downloaded.
    private let url: String
    private let state: Locked<State>
    private let queue: DispatchQueue

    private init(_ folder: PartialFolder, _ url: String, _ queue: DispatchQueue) {
        self.folder = folder
        self.url = url
        self.queue = queue
        self.state = Locked(State(record: folder.record()))
    }

    /// Opens what there is of a download; `nil` while another download has it.
    ///
    /// - Parameters:
    ///   - url: What is downloaded.
    ///   - place: Where the file goes.
    ///   - folder: Where pieces are kept; `nil` for the folder of the place.
    ///   - isNamed: Whether the place is the caller's choice; otherwise others may have the same.
    /// - Returns: The download.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func open(
        _ url: HTTPURL, for place: URL, in folder: URL?, isNamed: Bool
    ) async throws(ErrandError) -> PartialDownload? {
        let digest = SHA256(of: url.string).description
        let path = Self.folder(for: place, in: folder, of: isNamed ? nil : digest)
        let queue = DispatchQueue(label: "errand.downloads", qos: .userInitiated)
        return try await queue.perform { () throws(ErrandError) in
            guard let folder = try PartialFolder(path) else { return nil }
            guard folder.isOnVolume(of: place) else {
                folder.remove()
                throw ErrandError(.fileFailed, "a partial download must be kept on the volume of its file")
            }
            return PartialDownload(folder, digest, queue)
        }
    }

    /// Removes what an interrupted download has left, unless it is under way.
    static func discard(for place: URL, in folder: URL?) throws(ErrandError) {
        let place = Self.folder(for: place, in: folder)
        guard (try? place.checkResourceIsReachable()) == true else { return }
        guard let folder = try PartialFolder(place) else {
            throw ErrandError(.fileFailed, "the download is under way: what there is of it cannot be discarded")
        }
        folder.remove()
    }

    /// The folder for the pieces of a download: hidden, with a name that no other place has, or no other URL.
    private static func folder(for place: URL, in folder: URL?, of url: String? = nil) -> URL {
        let place = place.standardizedFileURL
        // File systems count bytes, most of them up to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let name = url ?? (folder == nil ? place.lastPathComponent : place.path)
        return (folder ?? place.deletingLastPathComponent())
            .appending(path: ".\(beginning).\(SHA256(of: name).description.prefix(16)).partial")
    }

    // MARK: - Before an exchange

    /// Joins the pieces that are there, and returns what is missing; `nil` if that is all of the body.
    ///
    /// When all bytes are there, the last one is asked for again: the response shows whether they are still the body.
    func prepare() async throws(ErrandError) -> RangeRequest? {
        try await self.perform { () throws(ErrandError) in
            let asked = try self.join()
            self.state.withLock { ($0.asked, $0.verdicts) = (asked, [:]) }
            return asked
        }
    }

    private func join() throws(ErrandError) -> RangeRequest? {
        guard var record = self.state.withLock({ $0.record }), record.isUsable(for: self.url),
            let first = record.pieces.first, self.isWithinBounds(first, of: record)
        else {
            self.clear()
            return nil
        }
        for piece in record.pieces.dropFirst() {
            try self.folder.append(piece, to: first.name) { self.state.withLock { $0.isCancelled } }
        }
        let joined = Record.Piece(name: first.name, first: 0, end: record.total)
        record.pieces = [joined]
        self.state.withLock { $0.record = record }
        self.folder.write(record)
        self.folder.keepOnly([first.name])
        guard self.isWithinBounds(joined, of: record), let size = self.folder.size(of: first.name) else {
            self.clear()
            return nil
        }
        return RangeRequest(
            first: size == record.total ? size - 1 : size, representation: record.representation, total: record.total)
    }

    /// Whether the first piece has something, and no more than it may have.
    private func isWithinBounds(_ first: Record.Piece, of record: Record) -> Bool {
        guard let size = self.folder.size(of: first.name), size > 0 else { return false }
        return size <= min(first.end ?? .max, record.total ?? .max)
    }

    private func clear() {
        self.state.withLock { ($0.record, $0.asked) = (nil, nil) }
        self.folder.clear()
    }

    /// The file that the next exchange writes its body into.
    func nextFile() -> URL {
        self.folder.file(UUID().uuidString)
    }

    // MARK: - While an exchange is under way

    /// Notes the head of a response whose body goes into a file, and tells whether that is to outlive the exchange.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - url: Where it came from.
    ///   - file: The file.
    /// - Returns: Whether it has bytes that belong to the download.
    func note(_ head: HTTPResponseHead, from url: HTTPURL, of file: URL) -> Bool {
        let name = file.lastPathComponent
        return self.state.withLock { state in
            guard !state.isClosed else { return false }
            let found = RangeRequest.verdict(on: head, from: url, askedFor: state.asked)
            let verdict = self.note(found, head, name, &state)
            state.verdicts[name] = verdict
            switch verdict {
            case .whole(nil, _), .contradiction, .other: return false
            case .whole, .part: break
            }
            // Behind what was given to the queue before, and before what comes when the exchange has ended.
            self.queue.async { self.writeRecord() }
            return true
        }
    }

    /// Names a piece in the record, if it belongs to what is there.
    private func note(
        _ found: RangeRequest.Verdict, _ head: HTTPResponseHead, _ name: String, _ state: inout State
    ) -> RangeRequest.Verdict {
        switch found {
        case .part(let range):
            // Another exchange may have brought another representation meanwhile.
            guard let asked = state.asked, state.record?.representation == asked.representation else {
                return .contradiction
            }
            state.record?.total = range.total
            state.record?.pieces.append(Record.Piece(name: name, first: range.first, end: range.last + 1))
            return found
        case .whole(let representation?, let total):
            guard var record = state.record, record.representation == representation else {
                state.record = Record(
                    url: self.url, representation: representation, total: total,
                    pieces: [Record.Piece(name: name, first: 0, end: total)], fields: head.fieldsOfWhole)
                return found
            }
            // The same once more, from its beginning: what is there may be more of it.
            guard total == record.total || total == nil || record.total == nil else { return .contradiction }
            record.total = record.total ?? total
            record.pieces.append(Record.Piece(name: name, first: 0, end: record.total))
            state.record = record
            return .whole(representation, total: record.total)
        case .whole(nil, _), .contradiction, .other: return found
        }
    }

    private func writeRecord() {
        if let record = self.state.withLock({ $0.record }) { self.folder.write(record) }
    }

    /// How many bytes of the body come before those of a piece.
    func offset(of file: URL) -> Int64 {
        self.state.withLock { state in
            guard case .part(let range) = state.verdicts[file.lastPathComponent] else { return 0 }
            return range.first
        }
    }

    // MARK: - After an exchange

    /// Takes a response.
    ///
    /// One whose body is not in a file of this download was made by somebody else: it is taken for what it says, but a
    /// part of the body is none that can be placed.
    func take(_ response: HTTPResponse) async throws(ErrandError) -> Progress {
        try await self.perform { () throws(ErrandError) in
            var verdict: RangeRequest.Verdict?
            if case .file(let file) = response.body {
                verdict = self.state.withLock { $0.verdicts[file.lastPathComponent] }
            }
            switch (verdict, response.body) {
            case (.whole(_, let total), .file(let file)): return self.take(file, total)
            case (.part(let range), .file(let file)): return try self.take(file, range)
            case (.contradiction, _): return self.contradiction()
            default: return response.status == .partialContent ? self.contradiction() : .other
            }
        }
    }

    private func contradiction() -> Progress {
        self.clear()
        return .contradiction
    }

    private func take(_ file: URL, _ total: Int64?) -> Progress {
        guard let total, self.folder.size(of: file.lastPathComponent) != total else { return .whole(file) }
        return self.contradiction()
    }

    private func take(_ file: URL, _ range: ContentRange) throws(ErrandError) -> Progress {
        guard let first = self.state.withLock({ $0.record?.pieces.first }),
            let size = self.folder.size(of: file.lastPathComponent), size <= range.count
        else { return self.contradiction() }
        guard try self.join() != nil, let total = range.total, self.folder.size(of: first.name) == total else {
            return .incomplete
        }
        return .whole(self.folder.file(first.name))
    }

    /// The fields of the whole response that a partial one need not repeat.
    var fields: [String: String] { self.state.withLock { $0.record?.fields ?? [:] } }

    /// Removes all that is there: the file has its place, or will never have one.
    func remove() async {
        await self.perform { () throws(Never) in
            self.state.withLock { ($0.record, $0.isClosed) = (nil, true) }
            self.folder.remove()
        }
    }

    /// Lets others have what is there, once all is written; removes the folder if that is nothing.
    func close() async {
        await self.perform { () throws(Never) in
            let hasPart = self.state.withLock { state in
                state.isClosed = true
                return state.record != nil
            }
            if hasPart { self.folder.unlock() } else { self.folder.remove() }
        }
    }

    /// Uses the disk; cancellation ends what takes long, and is waited for.
    private func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskCancellationHandler { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await self.queue.perform(work))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            self.state.withLock { $0.isCancelled = true }
        }.get()
    }
}
