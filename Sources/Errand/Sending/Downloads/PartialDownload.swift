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
    /// - Returns: The download.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func open(
        _ url: HTTPURL, for place: URL, in folder: URL?
    ) async throws(ErrandError) -> PartialDownload? {
        let digest = SHA256(of: url.string).description
        let place = Self.folder(for: place, in: folder)
        let queue = DispatchQueue(label: "errand.downloads", qos: .userInitiated)
        return try await Self.perform(on: queue) { () throws(ErrandError) in
            guard let folder = try PartialFolder(place) else { return nil }
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

    /// The folder for the pieces of a download: hidden, with a name that no other place has.
    private static func folder(for place: URL, in folder: URL?) -> URL {
        let place = place.standardizedFileURL
        // File systems count bytes, most of them up to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let digest = SHA256(of: folder == nil ? place.lastPathComponent : place.path).description.prefix(16)
        return (folder ?? place.deletingLastPathComponent()).appending(path: ".\(beginning).\(digest).partial")
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
            let first = record.pieces.first
        else {
            self.clear()
            return nil
        }
        for piece in record.pieces.dropFirst() { try self.folder.append(piece, to: first.name) }
        record.pieces = [first]
        self.state.withLock { $0.record = record }
        self.folder.write(record)
        self.folder.keepOnly([first.name])
        guard let size = self.folder.size(of: first.name), size > 0, size <= record.total ?? size else {
            self.clear()
            return nil
        }
        return RangeRequest(
            first: size == record.total ? size - 1 : size, validator: record.validator, total: record.total)
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
    func note(_ head: HTTPResponseHead, of file: URL) -> Bool {
        let name = file.lastPathComponent
        return self.state.withLock { state in
            guard !state.isClosed else { return false }
            let verdict = RangeRequest.verdict(on: head, askedFor: state.asked)
            state.verdicts[name] = verdict
            switch verdict {
            case .whole(let validator?, let total):
                state.record = Record(
                    url: self.url, validator: validator, total: total, pieces: [Record.Piece(name: name, first: 0)])
            case .part(let range):
                state.record?.total = range.total
                state.record?.pieces.append(Record.Piece(name: name, first: range.first))
            case .whole(nil, _), .contradiction, .other: return false
            }
            // Behind what was given to the queue before, and before what comes when the exchange has ended.
            self.queue.async { self.writeRecord() }
            return true
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

    /// Takes a response whose body is in a file.
    func take(_ file: URL) async throws(ErrandError) -> Progress {
        try await self.perform { () throws(ErrandError) in
            switch self.state.withLock({ $0.verdicts[file.lastPathComponent] }) {
            case .whole: return .whole(file)
            case .part(let range): return try self.take(file, range)
            case .contradiction:
                self.clear()
                return .contradiction
            case .other, nil: return .other
            }
        }
    }

    private func take(_ file: URL, _ range: ContentRange) throws(ErrandError) -> Progress {
        guard let first = self.state.withLock({ $0.record?.pieces.first }),
            let size = self.folder.size(of: file.lastPathComponent), size <= range.count
        else {
            self.clear()
            return .contradiction
        }
        guard try self.join() != nil, let total = range.total, self.folder.size(of: first.name) == total else {
            return .incomplete
        }
        return .whole(self.folder.file(first.name))
    }

    /// Removes all that is there: the file has its place, or will never have one.
    func remove() async {
        await self.perform { () throws(Never) in
            self.state.withLock { $0.record = nil }
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

    private func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await Self.perform(on: self.queue, work)
    }

    /// Uses the disk, without holding up the thread of a task.
    ///
    /// Cancellation does not end it: what comes next stands on what was done.
    private static func perform<Value: Sendable, Failure: Error>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            queue.async {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
        }.get()
    }
}
