internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

/// The parts that the senders of an outbox share.
final class OutboxCore: Sendable {
    let client: Client
    let options: OutboxOptions
    let onEnd: @Sendable (OutboxItem, OutboxEnd) async -> Void
    private let folder: OutboxFolder
    private let disk = DispatchQueue(label: "errand.outbox", qos: .utility)
    private let readers = Locked<[UUID: AsyncStream<OutboxEvent>.Continuation]>([:])

    init(
        _ folder: OutboxFolder, _ client: Client, _ options: OutboxOptions,
        _ onEnd: @escaping @Sendable (OutboxItem, OutboxEnd) async -> Void
    ) {
        self.folder = folder
        self.client = client
        self.options = options
        self.onEnd = onEnd
    }

    deinit {
        for reader in self.readers.withLock({ $0.values }) { reader.finish() }
    }

    // MARK: - Events

    /// The events from now on; a slow reader misses the oldest.
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

    /// Reads a request; `nil` where it is gone, or was none and was moved aside.
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

    /// Reads what is known of all requests of a queue, without those that are damaged.
    func items(of queue: String) async throws(ErrandError) -> [(name: StoredName, item: OutboxItem)] {
        try await self.disk.perform { [folder] () throws(ErrandError) in
            try folder.requests(of: queue).compactMap { name in
                (try? folder.request(name, of: queue)).flatMap { $0 }.map { (name, $0.item(in: queue)) }
            }
        }
    }

    /// A mark of a task in which an outbox reports an end.
    private final class Reporting: Sendable {
        let core: ObjectIdentifier
        let isOver = Locked(false)

        init(_ core: OutboxCore) { self.core = ObjectIdentifier(core) }
    }

    @TaskLocal private static var reporting: Reporting?

    /// Whether the task belongs to one that this outbox tells of an end.
    var isReporting: Bool {
        Self.reporting.map { $0.core == ObjectIdentifier(self) && !$0.isOver.withLock { $0 } } ?? false
    }

    /// Tells of an end; whoever cancels the sender meanwhile has it told to the end.
    func end(_ item: OutboxItem, _ end: OutboxEnd) async {
        // Unstructured: closing the outbox must not cancel code of the app half way. It is awaited right here.
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
            // What became of another one, which an interceptor has sent, says nothing about this one.
            guard let id = error.context.requestID, id != sent.id else { return .failure(error) }
            return .failure(ErrandError(.interceptorFailed, "another request failed: \(error)", cause: error))
        }
    }
}
