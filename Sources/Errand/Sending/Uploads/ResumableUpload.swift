internal import Dispatch
internal import ErrandLocks
internal import Foundation

/// An upload that goes on where it was interrupted, and, if it is recorded, where an earlier one was.
///
/// What a server says while an exchange is under way is noted from wherever a transport tells about it. The disk is used
/// on a queue of its own.
final class ResumableUpload: Sendable {
    let requests: UploadRequests
    private let record: Recording?
    private let state: Locked<UploadMachine>
    /// Others may have the record now.
    private let isClosed = Locked(false)

    /// The folder with the record of the upload, and its name there.
    private struct Recording {
        let folder: PartialFolder
        let target: String
        let source: UploadSource.Identity
        let queue: DispatchQueue
    }

    private init(_ requests: UploadRequests, _ machine: UploadMachine, _ record: Recording?) {
        self.requests = requests
        self.record = record
        self.state = Locked(machine)
    }

    /// Opens what there is of an upload.
    ///
    /// While another upload has the record this one goes without.
    ///
    /// - Parameters:
    ///   - requests: What is sent.
    ///   - dialect: How the server is talked to.
    ///   - chunkSize: The most bytes of one request.
    ///   - folder: Where records are kept; `nil` for none.
    /// - Returns: The upload.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` where the folder cannot be used, or
    ///   ``ErrandError/Code/unsupported`` for content that cannot be recognised later.
    static func open(
        _ requests: UploadRequests, _ dialect: UploadDialect, chunkSize: Int64?, in folder: URL?
    ) async throws(ErrandError) -> ResumableUpload {
        var (found, recording): (UploadRecord?, Recording?) = (nil, nil)
        if let folder { (found, recording) = try await Self.recording(of: requests, dialect, in: folder) }
        let location = recording.flatMap {
            found?.location(for: $0.target, $0.source, dialect, isSecure: requests.original.url.isSecure)
        }
        let isIdempotent = dialect != .tus && requests.original.method.isIdempotent
        let machine = UploadMachine(
            location == nil ? dialect : found?.dialect ?? dialect, length: requests.source.length,
            isIdempotent: isIdempotent, headers: requests.original.headers, chunkSize: chunkSize, location: location)
        return ResumableUpload(requests, machine, recording)
    }

    private static func recording(
        of requests: UploadRequests, _ dialect: UploadDialect, in folder: URL
    ) async throws(ErrandError) -> (UploadRecord?, Recording?) {
        let queue = DispatchQueue(label: "errand.uploads", qos: .userInitiated)
        return try await queue.perform { () throws(ErrandError) in
            guard let source = requests.source.identity() else {
                throw ErrandError(
                    .unsupported,
                    "an upload can be resumed later only if it is of a file or of bytes, and not of a stream")
            }
            let target = SHA256(of: "\(requests.original.method) \(requests.original.target.string)").description
            let name = SHA256(of: "\(target) \(UploadSource.name(of: source)) \(dialect == .tus)").description
            let place = folder.appending(path: ".upload.\(name.prefix(16)).partial")
            guard let folder = try PartialFolder(place, makesParents: true) else { return (nil, nil) }
            return (folder.record(), Recording(folder: folder, target: target, source: source, queue: queue))
        }
    }

    // MARK: - What to do

    /// What to do first.
    var first: UploadMachine.Step { self.state.withLock { $0.first } }

    /// How the server is talked to.
    var dialect: UploadDialect { self.state.withLock { $0.dialect } }

    /// The version of the draft that the request which begins the upload offers; `nil` for none.
    var offer: UploadDialect? { self.state.withLock { $0.isOffered ? $0.dialect : nil } }

    /// Whether the server has said where the upload is: then that is asked, and it does not begin again.
    var hasBegun: Bool { self.state.withLock { $0.location != nil } }

    /// What to do once a step has ended.
    func next(_ event: (inout UploadMachine) -> UploadMachine.Step) -> UploadMachine.Step {
        let (step, hasMoved) = self.state.withLock { machine in
            let before = machine.location
            return (event(&machine), machine.location != before)
        }
        if hasMoved { self.write() }
        return step
    }

    // MARK: - While an exchange is under way

    /// Notes what happens in an exchange with a URL, by its number; returns the event as it is for the whole of the upload.
    func note(_ event: ExchangeEvent, from url: HTTPURL, in exchange: Int) -> ExchangeEvent {
        switch event {
        case .interimResponse(let head):
            if self.state.withLock({ $0.announced(head, from: url, in: exchange) }) { self.write() }
            return event
        case .sent(let progress): return .sent(self.state.withLock { $0.sent(progress.bytes) })
        case .connected, .responseHead, .received, .finished, .notice: return event
        }
    }

    // MARK: - The record

    private func write() {
        guard let recording = self.record else { return }
        let (location, dialect) = self.state.withLock { ($0.location, $0.dialect) }
        guard let location else { return }
        let record = UploadRecord(
            target: recording.target, location: location.string, dialect: dialect, length: self.requests.source.length,
            source: recording.source)
        // Behind what was given to the queue before. A transport that tells of a response when the request has ended is
        // too late: the folder may be that of another upload.
        recording.queue.async {
            if !self.isClosed.withLock({ $0 }) { recording.folder.write(record) }
        }
    }

    /// Lets others have the record, once it is written; removes it if the upload is over, or has not begun.
    func close(isOver: Bool) async {
        guard let recording = self.record else { return }
        let isKept = !isOver && self.state.withLock { $0.location != nil }
        await recording.queue.perform { () throws(Never) in
            self.isClosed.withLock { $0 = true }
            if isKept { recording.folder.unlock() } else { recording.folder.remove() }
        }
    }
}
