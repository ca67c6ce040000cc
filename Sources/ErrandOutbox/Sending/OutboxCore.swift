internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

/// The state that the senders of an outbox share.
final class OutboxCore: Sendable {
    let client: Client
    let options: OutboxOptions
    let onEnd: @Sendable (OutboxItem, OutboxEnd) async -> Void
    private let folder: OutboxFolder
    private let disk: any BlockingWork
    private let readers = Locked<[UUID: AsyncStream<OutboxEvent>.Continuation]>([:])

    init(
        _ folder: OutboxFolder, _ client: Client, _ options: OutboxOptions,
        disk: any BlockingWork = DispatchQueue(label: "errand.outbox", qos: .utility),
        _ onEnd: @escaping @Sendable (OutboxItem, OutboxEnd) async -> Void
    ) {
        self.folder = folder
        self.client = client
        self.options = options
        self.disk = disk
        self.onEnd = onEnd
    }

    deinit {
        for reader in self.readers.withLock({ $0.values }) { reader.finish() }
    }

    // MARK: - Events

    /// Returns a stream of future events; a slow reader misses the oldest.
    func events() -> AsyncStream<OutboxEvent> {
        let (stream, continuation) = AsyncStream<OutboxEvent>.makeStream(bufferingPolicy: .bufferingNewest(1024))
        let id = UUID()
        self.readers.withLock { $0[id] = continuation }
        continuation.onTermination = { [weak self] _ in self?.readers.withLock { $0[id] = nil } }
        return stream
    }

    func report(_ event: OutboxEvent) {
        for reader in self.readers.withLock({ Array($0.values) }) { reader.yield(event) }
    }

    // MARK: - The folder

    func queues() async throws(ErrandError) -> [String] {
        try await self.disk.perform { [folder] () throws(ErrandError) in try folder.queues() }
    }

    func requests(of queue: String) async throws(ErrandError) -> [StoredName] {
        try await self.disk.perform { [folder] () throws(ErrandError) in try folder.requests(of: queue) }
    }

    func lockSending(_ queue: String) async throws(ErrandError) -> FileLock? {
        try await self.disk.perform { [folder] () throws(ErrandError) in try folder.lockSending(queue) }
    }

    func add(
        _ request: StoredRequest, _ body: HTTPRequest.Body, to queue: String
    ) async throws(ErrandError) -> StoredRequest {
        try await self.disk.perform { [folder, options] () throws(ErrandError) in
            try folder.add(request, body, to: queue, within: options)
        }
    }

    @discardableResult
    func remove(_ name: StoredName, of queue: String) async throws(ErrandError) -> Bool {
        try await self.disk.perform { [folder] () throws(ErrandError) in try folder.remove(name, of: queue) }
    }

    /// Reads a request; returns `nil` if it is gone, or if it was damaged and has been moved aside.
    func request(_ name: StoredName, of queue: String) async throws(ErrandError) -> StoredRequest? {
        let (request, place) = try await self.disk.perform { [folder] () throws(ErrandError) in
            do {
                return (try folder.request(name, of: queue), URL?.none)
            } catch is OutboxFolder.Damage {
                return (nil, try folder.moveAside(name, of: queue))
            } catch {
                throw ErrandError(.fileFailed, "a request of an outbox cannot be read: \(error)", cause: error)
            }
        }
        if let place { self.report(.damaged(place)) }
        return request
    }

    /// Returns all requests of a queue but the damaged ones.
    func items(of queue: String) async throws(ErrandError) -> [(name: StoredName, item: OutboxItem)] {
        try await self.disk.perform { [folder] () throws(ErrandError) in
            try folder.requests(of: queue).compactMap { name in
                (try? folder.request(name, of: queue)).flatMap { $0 }.map { (name, $0.item(in: queue)) }
            }
        }
    }

    /// Marks a task in which an outbox calls `onEnd`.
    private final class Reporting: Sendable {
        let core: ObjectIdentifier
        let isOver = Locked(false)

        init(_ core: OutboxCore) { self.core = ObjectIdentifier(core) }
    }

    @TaskLocal private static var reporting: Reporting?

    /// True in a task in which this outbox is calling `onEnd`.
    var isReporting: Bool {
        Self.reporting.map { $0.core == ObjectIdentifier(self) && !$0.isOver.withLock { $0 } } ?? false
    }

    /// Calls `onEnd`; cancelling the sender does not cancel the call.
    func end(_ item: OutboxItem, _ end: OutboxEnd) async {
        // Unstructured: closing the outbox must not cancel user code half way. It is awaited right here.
        let reporting = Reporting(self)
        await Task { await Self.$reporting.withValue(reporting) { await self.onEnd(item, end) } }.value
        reporting.isOver.withLock { $0 = true }
        self.report(.ended(item, end))
    }

    func damagedFiles() async throws(ErrandError) -> [URL] {
        try await self.disk.perform { [folder] () throws(ErrandError) in try folder.damagedFiles() }
    }

    // MARK: - Sending

    func send(
        _ request: StoredRequest, _ name: StoredName, of queue: String
    ) async -> Result<HTTPResponse, ErrandError> {
        let call = StoredCall(
            request: request, bodyFile: self.folder.body(name, of: queue),
            client: self.client.environment.currentOptions.value)
        var options = RequestOptions().name(request.endpointName)
        if let tag = request.notes?.tag { options = options.tag(tag) }
        let sent = self.client.request(call, options: options)
        do throws(ErrandError) {
            return .success(try await sent.sendForValue())
        } catch {
            // The error belongs to another request, which an interceptor has sent.
            guard let id = error.context.requestID, id != sent.id else { return .failure(error) }
            return .failure(ErrandError(.interceptorFailed, "another request failed: \(error)", cause: error))
        }
    }
}
