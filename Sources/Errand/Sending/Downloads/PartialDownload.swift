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
        var ledger: DownloadLedger
        /// The request was told to stop: what takes long ends.
        var isCancelled = false
        /// Others may have the folder now.
        var isClosed = false
    }

    /// The meaning of a response for a download.
    enum Progress: Sendable, Equatable {
        /// The body is whole: in this file.
        case whole(URL)
        /// A part that was asked for, or the beginning of it; or word that nothing is missing.
        case part
        /// It contradicts what was asked for: nothing is kept, and all of the body is to be asked for.
        case contradiction
        /// It is none with the body.
        case other
    }

    /// The pieces of a body that are there.
    struct Pieces: Sendable, Equatable {
        /// The file that has all that there is from the first byte on.
        let file: URL
        /// What is missing.
        let missing: MissingBytes
    }

    private let folder: PartialFolder
    private let state: Locked<State>
    private let queue: DispatchQueue

    private init(_ folder: PartialFolder, _ url: String, _ queue: DispatchQueue, from data: ResumeData?) {
        self.folder = folder
        self.queue = queue
        let record: Record? = folder.record()
        let isOther = data.map { $0.representation != record?.representation.digest } ?? false
        let isOfUse = record?.isUsable(for: url) == true && !isOther
        self.state = Locked(State(ledger: DownloadLedger(url: url, record: isOfUse ? record : nil)))
    }

    /// Opens what there is of a download; `nil` while another download has it.
    ///
    /// - Parameters:
    ///   - url: What is downloaded; see ``HTTPRequest/target``.
    ///   - place: Where the file goes.
    ///   - folder: Where pieces are kept; `nil` for the folder of the place.
    ///   - isNamed: Whether the place is the caller's choice; otherwise others may have the same.
    ///   - data: What an earlier download of the same URL has ended with, if that is known.
    /// - Returns: The download.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func open(
        _ url: HTTPURL, for place: URL, in folder: URL?, isNamed: Bool, from data: ResumeData? = nil
    ) async throws(ErrandError) -> PartialDownload? {
        let digest = SHA256(of: url.string).description
        // What is of another URL is left alone.
        let data = data?.url == digest ? data : nil
        let path = Self.folder(for: place, in: folder, of: isNamed ? nil : digest, named: data?.folder)
        let isChosen = folder != nil
        let queue = DispatchQueue(label: "errand.downloads", qos: .userInitiated)
        return try await queue.perform { () throws(ErrandError) in
            guard let folder = try PartialFolder(path, makesParents: isChosen) else { return nil }
            guard folder.isOnVolume(of: place) else {
                folder.remove()
                throw ErrandError(.fileFailed, "a partial download must be kept on the volume of its file")
            }
            return PartialDownload(folder, digest, queue, from: data)
        }
    }

    /// Removes what an interrupted download has left, unless it is under way.
    static func discard(for place: URL, in folder: URL?, named name: String? = nil) throws(ErrandError) {
        let place = Self.folder(for: place, in: folder, named: name)
        guard (try? place.checkResourceIsReachable()) == true else { return }
        guard let folder = try PartialFolder(place) else {
            throw ErrandError(.fileFailed, "the download is under way: what there is of it cannot be discarded")
        }
        folder.remove()
    }

    /// The folder for the pieces of a download: hidden, with a name that no other place has, or no other URL.
    private static func folder(
        for place: URL, in folder: URL?, of url: String? = nil, named given: String? = nil
    ) -> URL {
        let place = place.standardizedFileURL
        if let given { return (folder ?? place.deletingLastPathComponent()).appending(path: given) }
        // File systems count bytes, most of them up to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let name = url ?? (folder == nil ? place.lastPathComponent : place.path)
        return (folder ?? place.deletingLastPathComponent())
            .appending(path: ".\(beginning).\(SHA256(of: name).description.prefix(16))\(ResumeData.folderSuffix)")
    }

    // MARK: - Before an exchange

    /// Joins the pieces that are there, as far as they follow each other, and returns what is missing; `nil` if that is
    /// all of the body.
    func prepare() async throws(ErrandError) -> Pieces? {
        try await self.perform { () throws(ErrandError) in try self.join() }
    }

    private func join() throws(ErrandError) -> Pieces? {
        guard var record = self.state.withLock({ $0.ledger.record }), let first = record.pieces.first,
            self.size(of: first, in: record) != nil
        else {
            self.clear()
            return nil
        }
        let joined = Record.Piece(name: first.name, first: 0, end: record.total)
        var apart: [Record.Piece] = []
        for piece in record.pieces.dropFirst().sorted(by: { $0.first < $1.first }) {
            let isAppended = try self.folder.append(piece, to: first.name) {
                self.state.withLock { $0.isCancelled }
            }
            if !isAppended, self.size(of: piece, in: record) != nil { apart.append(piece) }
        }
        record.pieces = [joined] + apart
        self.state.withLock { $0.ledger.record = record }
        self.folder.write(record)
        self.folder.keepOnly(record.pieces.map(\.name))
        guard self.size(of: joined, in: record) != nil else {
            self.clear()
            return nil
        }
        return Pieces(file: self.folder.file(first.name), missing: self.missing(of: record))
    }

    private func missing(of record: Record) -> MissingBytes {
        let ranges = record.pieces.compactMap { piece in
            self.size(of: piece, in: record).map { piece.first..<piece.first + $0 }
        }
        return MissingBytes(
            between: ranges.sorted { $0.lowerBound < $1.lowerBound }, of: record.total, record.representation)
    }

    /// The number of bytes a piece has; `nil` unless it has something, and no more than it may have.
    private func size(of piece: Record.Piece, in record: Record) -> Int64? {
        guard let size = self.folder.size(of: piece.name), size > 0,
            size <= min(piece.end ?? .max, record.total ?? .max) - piece.first
        else { return nil }
        return size
    }

    private func clear(isContradicted: Bool = false) {
        self.state.withLock { $0.ledger.clear(isContradicted: isContradicted) }
        self.folder.clear()
    }

    /// Notes what the next exchanges ask for.
    ///
    /// - Parameters:
    ///   - asked: What they ask for; nothing where that is all of the body.
    ///   - held: How many bytes are there.
    func begin(_ asked: [RangeRequest], holding held: Int64) {
        self.state.withLock { $0.ledger.begin(asked, holding: held) }
    }

    /// The file that the next exchange writes its body into.
    func nextFile() -> URL {
        self.folder.file(UUID().uuidString)
    }

    // MARK: - While exchanges are under way

    /// Notes the head of a response whose body goes into a file.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - request: The request that it answers.
    ///   - file: The file.
    /// - Returns: What becomes of the exchange and its file.
    func note(_ head: HTTPResponse.Head, to request: HTTPRequest, of file: URL) -> DownloadLedger.Note {
        self.state.withLock { state in
            guard !state.isClosed else { return .useless }
            let note = state.ledger.note(
                head, from: request.target, of: file.lastPathComponent,
                askedFor: request.headers[HTTPField.Name.range])
            // Behind what was given to the queue before, and before what comes when the exchange has ended.
            if note == .piece { self.queue.async { self.writeRecord() } }
            return note
        }
    }

    /// Whether something of the response to a request may be there, so that the same must not be asked for again.
    func hasPiece(for request: HTTPRequest) -> Bool {
        self.state.withLock { $0.ledger.isAnswered(request.headers[HTTPField.Name.range]) }
    }

    private func writeRecord() {
        if let record = self.state.withLock({ $0.ledger.record }) { self.folder.write(record) }
    }

    /// How far the download is when so much of a body has come into a file.
    func progress(_ progress: TransferProgress, of file: URL) -> TransferProgress {
        self.state.withLock { $0.ledger.progress(progress, of: file.lastPathComponent) }
    }

    /// Whether the server has contradicted what the exchanges under way ask for.
    var isContradicted: Bool { self.state.withLock { $0.ledger.isContradicted } }

    /// Whether one of the exchanges under way has brought a part that was asked for.
    var hasPart: Bool { self.state.withLock { $0.ledger.hasPart } }

    // MARK: - After an exchange

    /// Takes a response.
    ///
    /// One whose body is not in a file of this download was made by somebody else: it is taken for what it says, but a
    /// part of the body is none that can be placed.
    func take(_ response: HTTPResponse) async -> Progress {
        await self.perform { () throws(Never) in
            var verdict: RangeRequest.Verdict?
            if case .file(let file) = response.body {
                verdict = self.state.withLock { $0.ledger.verdict(on: file.lastPathComponent) }
            }
            switch (verdict, response.body) {
            case (.whole(_, let total), .file(let file)):
                guard let total, self.folder.size(of: file.lastPathComponent) != total else { return .whole(file) }
                return self.contradiction()
            case (.part(let range), .file(let file)), (.beginning(_, let range), .file(let file)):
                guard let size = self.folder.size(of: file.lastPathComponent), size <= range.count else {
                    return self.contradiction()
                }
                return .part
            case (.complete, .file): return .part
            case (.contradiction, _): return self.contradiction()
            default: return response.status == .partialContent ? self.contradiction() : .other
            }
        }
    }

    /// Removes the pieces that are there: the server has contradicted what it said of them.
    func discardPieces() async {
        await self.perform { () throws(Never) in self.clear(isContradicted: true) }
    }

    private func contradiction() -> Progress {
        self.clear(isContradicted: true)
        return .contradiction
    }

    /// The fields of the whole response that a partial one need not repeat.
    var fields: [String: String] { self.state.withLock { $0.ledger.record?.fieldsOfWhole ?? [:] } }

    /// Removes all that is there: the file has its place, or will never have one.
    func remove() async {
        await self.perform { () throws(Never) in
            self.state.withLock { ($0.ledger.record, $0.isClosed) = (nil, true) }
            self.folder.remove()
        }
    }

    /// Lets others have what is there, once all is written; removes the folder if that is nothing.
    ///
    /// - Returns: What there is; `nil` for nothing.
    func close() async -> ResumeData? {
        await self.perform { () throws(Never) in
            let record = self.state.withLock { state in
                state.isClosed = true
                return state.ledger.record
            }
            // Without the first piece nothing can be gone on from: such as where the file has got its place.
            guard let record, let first = record.pieces.first, self.size(of: first, in: record) != nil else {
                self.folder.remove()
                return nil
            }
            let received = self.missing(of: record).there
            self.folder.unlock()
            return ResumeData(
                receivedBytes: received, totalBytes: record.total, folder: self.folder.url.lastPathComponent,
                url: record.url, representation: record.representation.digest)
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
