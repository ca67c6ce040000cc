internal import Dispatch
internal import ErrandLocks
internal import Foundation

/// An upload that resumes after an interruption, and with a record also where an earlier call was interrupted.
///
/// Server messages during an exchange are recorded on the thread on which a transport reports them. The disk is
/// accessed on a separate queue.
final class ResumableUpload: Sendable {
    let requests: UploadRequests
    private let record: Recording?
    private let state: Locked<UploadMachine>
    /// Set once other requests may use the record.
    private let isClosed = Locked(false)

    /// The folder with the record of the upload, and the identity of the upload.
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

    /// Opens an upload, with its record if there is one.
    ///
    /// While another upload uses the record, this one goes without.
    ///
    /// - Parameters:
    ///   - requests: The requests of the upload.
    ///   - dialect: The protocol.
    ///   - chunkSize: The maximum number of bytes of one request.
    ///   - folder: The folder for records; `nil` keeps none.
    /// - Returns: The upload.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` if the folder cannot be used, or
    ///   ``ErrandError/Code/unsupported`` for content that cannot be recognized later.
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
                    "a later call can resume an upload only if its content is a file or bytes, not a stream")
            }
            let target = SHA256(of: "\(requests.original.method) \(requests.original.target.string)").description
            let name = SHA256(of: "\(target) \(UploadSource.name(of: source)) \(dialect == .tus)").description
            let place = folder.appending(path: ".upload.\(name.prefix(16)).partial")
            guard let folder = try PartialFolder(place, makesParents: true) else { return (nil, nil) }
            return (folder.record(), Recording(folder: folder, target: target, source: source, queue: queue))
        }
    }

    // MARK: - What to do

    /// The first step.
    var first: UploadMachine.Step { self.state.withLock { $0.first } }

    /// The protocol.
    var dialect: UploadDialect { self.state.withLock { $0.dialect } }

    /// The version of the draft that the initial request offers; `nil` for none.
    var offer: UploadDialect? { self.state.withLock { $0.isOffered ? $0.dialect : nil } }

    /// True if the server has sent an upload URL: then the server is asked for its offset, instead of starting again.
    var hasBegun: Bool { self.state.withLock { $0.location != nil } }

    /// Returns the next step after an event.
    func next(_ event: (inout UploadMachine) -> UploadMachine.Step) -> UploadMachine.Step {
        let (step, hasMoved) = self.state.withLock { machine in
            let before = machine.location
            return (event(&machine), machine.location != before)
        }
        if hasMoved { self.write() }
        return step
    }

    // MARK: - While an exchange is under way

    /// Records an event of an exchange with a URL, by its number; returns the event relative to the whole upload.
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
        // The queue is serial, so this comes after earlier writes. If a transport reports a response after the request
        // has ended, it is too late: the folder may belong to another upload.
        recording.queue.async {
            if !self.isClosed.withLock({ $0 }) { recording.folder.write(record) }
        }
    }

    /// Releases the record after it is written; removes it if the upload is over, or has not started.
    func close(isOver: Bool) async {
        guard let recording = self.record else { return }
        let isKept = !isOver && self.state.withLock { $0.location != nil }
        await recording.queue.perform { () throws(Never) in
            self.isClosed.withLock { $0 = true }
            if isKept { recording.folder.unlock() } else { recording.folder.remove() }
        }
    }
}
