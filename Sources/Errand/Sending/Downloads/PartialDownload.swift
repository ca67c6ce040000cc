internal import Dispatch
internal import ErrandLocks
internal import Foundation

/// A download that can be resumed after an error, a cancellation or the end of its process.
///
/// Each exchange writes to its own file, a piece. When the head of its response shows the position of its bytes, the
/// piece is added to a record, and is kept from then on even if the exchange is interrupted. Before the next exchange,
/// the pieces are joined and the rest is requested. Pieces of two responses are joined only on the basis of a strong
/// validator.
///
/// The disk is accessed on a separate queue. Heads are recorded on the thread on which a transport reports them.
final class PartialDownload: Sendable {
    private struct State {
        var ledger: DownloadLedger
        /// Set once the request is stopped: long operations end.
        var isCancelled = false
        /// Set once other requests may use the folder.
        var isClosed = false
    }

    /// The meaning of a response for a download.
    enum Progress: Sendable, Equatable {
        /// The body is complete, in this file.
        case whole(URL)
        /// A requested part, or its beginning; or a confirmation that no byte is missing.
        case part
        /// The response contradicts the request: no pieces are kept, and the whole body has to be requested.
        case contradiction
        /// Not a response with the body.
        case other
    }

    /// The pieces of a body that are present.
    struct Pieces: Sendable, Equatable {
        /// The file with the contiguous bytes from the first on.
        let file: URL
        /// The missing bytes.
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

    /// Opens the partial download at a destination; `nil` while another request uses it.
    ///
    /// - Parameters:
    ///   - url: The URL of the download; see ``HTTPRequest/target``.
    ///   - place: The destination.
    ///   - folder: The folder for pieces; `nil` for the folder of the destination.
    ///   - isNamed: True if the caller chose the destination; otherwise it may be shared by other URLs.
    ///   - data: The resume data of an earlier download of the same URL, if any.
    /// - Returns: The download.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    static func open(
        _ url: HTTPURL, for place: URL, in folder: URL?, isNamed: Bool, from data: ResumeData? = nil
    ) async throws(ErrandError) -> PartialDownload? {
        let digest = SHA256(of: url.string).description
        // Resume data of another URL is ignored.
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

    /// Removes the pieces of an interrupted download, unless it is in flight.
    static func discard(for place: URL, in folder: URL?, named name: String? = nil) throws(ErrandError) {
        let place = Self.folder(for: place, in: folder, named: name)
        guard (try? place.checkResourceIsReachable()) == true else { return }
        guard let folder = try PartialFolder(place) else {
            throw ErrandError(.fileFailed, "the download is in flight: its partial body cannot be discarded")
        }
        folder.remove()
    }

    /// Returns the folder for the pieces of a download: hidden, with a name unique to its destination or URL.
    private static func folder(
        for place: URL, in folder: URL?, of url: String? = nil, named given: String? = nil
    ) -> URL {
        let place = place.standardizedFileURL
        if let given { return (folder ?? place.deletingLastPathComponent()).appending(path: given) }
        // File systems limit names in bytes, usually to 255.
        let beginning = String(decoding: place.lastPathComponent.utf8.prefix(100), as: UTF8.self)
        let name = url ?? (folder == nil ? place.lastPathComponent : place.path)
        return (folder ?? place.deletingLastPathComponent())
            .appending(path: ".\(beginning).\(SHA256(of: name).description.prefix(16))\(ResumeData.folderSuffix)")
    }

    // MARK: - Before an exchange

    /// Joins contiguous pieces and returns the missing bytes; `nil` if no bytes are present.
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

    /// Returns the size of a piece; `nil` if it is empty or larger than allowed.
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

    /// Records the next requests.
    ///
    /// - Parameters:
    ///   - asked: The requests; empty if the whole body is requested.
    ///   - held: The number of bytes that are present.
    func begin(_ asked: [RangeRequest], holding held: Int64) {
        self.state.withLock { $0.ledger.begin(asked, holding: held) }
    }

    /// Returns the file for the body of the next exchange.
    func nextFile() -> URL {
        self.folder.file(UUID().uuidString)
    }

    // MARK: - While exchanges are under way

    /// Records the head of a response whose body is written to a file.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - request: Its request.
    ///   - file: The file.
    /// - Returns: The decision about the exchange and its file.
    func note(_ head: HTTPResponse.Head, to request: HTTPRequest, of file: URL) -> DownloadLedger.Note {
        self.state.withLock { state in
            guard !state.isClosed else { return .useless }
            let note = state.ledger.note(
                head, from: request.target, of: file.lastPathComponent,
                askedFor: request.headers[HTTPField.Name.range])
            // The queue is serial: after earlier operations, and before those that follow the exchange.
            if note == .piece { self.queue.async { self.writeRecord() } }
            return note
        }
    }

    /// Returns true if bytes of the response to a request may be present, so that the request must not be repeated.
    func hasPiece(for request: HTTPRequest) -> Bool {
        self.state.withLock { $0.ledger.isAnswered(request.headers[HTTPField.Name.range]) }
    }

    private func writeRecord() {
        if let record = self.state.withLock({ $0.ledger.record }) { self.folder.write(record) }
    }

    /// Returns the progress of the download, given that of one file.
    func progress(_ progress: TransferProgress, of file: URL) -> TransferProgress {
        self.state.withLock { $0.ledger.progress(progress, of: file.lastPathComponent) }
    }

    /// True if the server contradicted the requests in flight.
    var isContradicted: Bool { self.state.withLock { $0.ledger.isContradicted } }

    /// True if an exchange in flight has received a requested part.
    var hasPart: Bool { self.state.withLock { $0.ledger.hasPart } }

    // MARK: - After an exchange

    /// Processes a response.
    ///
    /// A response whose body is not in a file of this download was made by other code: it is used as it is, but a
    /// partial body cannot be added.
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

    /// Removes the pieces after the server contradicted itself.
    func discardPieces() async {
        await self.perform { () throws(Never) in self.clear(isContradicted: true) }
    }

    private func contradiction() -> Progress {
        self.clear(isContradicted: true)
        return .contradiction
    }

    /// The fields of the whole response that a partial one need not repeat.
    var fields: [String: String] { self.state.withLock { $0.ledger.record?.fieldsOfWhole ?? [:] } }

    /// Removes everything: the file is in place, or will never be.
    func remove() async {
        await self.perform { () throws(Never) in
            self.state.withLock { ($0.ledger.record, $0.isClosed) = (nil, true) }
            self.folder.remove()
        }
    }

    /// Releases the folder to other requests after all writes; removes it if there is nothing to resume.
    ///
    /// - Returns: The resume data; `nil` if there is nothing to resume.
    func close() async -> ResumeData? {
        await self.perform { () throws(Never) in
            let record = self.state.withLock { state in
                state.isClosed = true
                return state.ledger.record
            }
            // Without the first piece, for example after the file was moved into place, the download cannot be resumed.
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

    /// Performs an operation on the disk queue; cancellation ends long operations, and is waited for.
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
