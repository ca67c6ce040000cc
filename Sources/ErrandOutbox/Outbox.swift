public import Errand
public import Foundation

/// Keeps requests on disk until they have been sent, so that they survive lost connections and the end of the process.
///
/// ```swift
/// let outbox = try await Outbox.open(folder, client: client) { item, end in
///     await orders.mark(item.idempotencyKey, end)
/// }
/// try await outbox.add(PlaceOrder(order), to: "orders")
/// ```
///
/// When ``add(_:to:options:userData:)`` returns, the request is on disk. The requests of a queue are sent one after
/// another, in the order in which they were added; a request that fails temporarily holds up those behind it. Queues
/// are independent of one another. A request is removed only after its end was reported to `onEnd`. If the process dies
/// in between, the end is reported a second time.
///
/// Each request is sent at least once, and each time with the same `Idempotency-Key`: a server that honors the key
/// processes the request once. Secrets that the client adds to all requests, such as a credential, are added when a
/// request is sent and are never written to disk; all other header fields keep the values that they had when the
/// request was added.
///
/// Several outboxes and processes can share one folder. Each queue is sent by one of them at a time, and the end of a
/// request is reported by the outbox that sent it.
public actor Outbox {
    private let core: OutboxCore
    private var senders: [String: (sender: QueueSender, task: Task<Void, Never>)] = [:]
    private var connectivity: Task<Void, Never>?
    private var lookout: Task<Void, Never>?
    private var isClosed = false

    init(_ core: OutboxCore) {
        self.core = core
    }

    deinit {
        self.connectivity?.cancel()
        self.lookout?.cancel()
        for sender in self.senders.values { sender.task.cancel() }
    }

    /// Opens an outbox, and begins to send the requests in it.
    ///
    /// - Parameters:
    ///   - folder: The folder. If it does not exist, it is created, accessible to the current user only.
    ///   - client: The client that sends the requests.
    ///   - options: The options of the outbox.
    ///   - onEnd: Called with the end of each request, one at a time per queue. The request is removed when the call
    ///     returns.
    /// - Returns: The outbox, which sends until it is released.
    /// - Throws: `ErrandError`: with the code `invalidConfiguration` for invalid options, or for a folder that has
    ///   unrelated files or was written by another version; with `fileFailed` where the system refuses.
    public static func open(
        _ folder: URL, client: Client, options: OutboxOptions = OutboxOptions(),
        onEnd: @escaping @Sendable (OutboxItem, OutboxEnd) async -> Void
    ) async throws(ErrandError) -> Outbox {
        if let problem = options.problem { throw problem }
        let place = try await DispatchQueue.global(qos: .utility).perform { () throws(ErrandError) in
            try OutboxFolder(folder)
        }
        let outbox = Outbox(OutboxCore(place, client, options, onEnd))
        try await outbox.start()
        return outbox
    }

    private func start() async throws(ErrandError) {
        let monitor = self.core.client.environment.pathMonitor
        let (changes, first) = (monitor.changes, monitor.path)
        try await self.look()
        // Finds requests of processes that died before they sent them. Ends when the outbox is closed or released.
        self.lookout = Task { [weak self, timebase = self.core.client.environment.timebase] in
            while (try? await timebase.sleep(until: timebase.now + QueueSender.patience)) != nil {
                guard let self else { return }
                try? await self.look()
            }
        }
        // Ends when the outbox is closed or released.
        self.connectivity = Task { [weak self] in
            var known = first
            for await path in changes {
                // The network path that was known from the start is not a change.
                if path.isSatisfied, path != known { await self?.sendNow() }
                known = path
            }
        }
    }

    /// Starts sending all queues in the folder, including those that this outbox does not know yet.
    private func look() async throws(ErrandError) {
        for queue in try await self.core.queues() {
            // The sender of the queue reports the error.
            let isEmpty = try? await self.core.requests(of: queue).isEmpty
            guard !self.isClosed else { return }
            guard isEmpty != true else { continue }
            self.sender(of: queue).wakeup.signal(.added)
        }
    }

    // MARK: - Requests

    /// Writes a request to disk, to be sent after those that are already in its queue.
    ///
    /// The endpoint is resolved now: its URL, header fields, parameters and body are recorded as they are at this
    /// moment, and a body that is a file is copied. Only the options that affect sending are kept: the tag, the
    /// timeouts, the forbidden networks, and the header fields to omit. Options that concern the response are ignored:
    /// a status from 200 to 299 is success, unless it is that of another request to which a redirect has led. Retries
    /// of the endpoint are ignored too, since the outbox has its own.
    ///
    /// Cancelling the task does not remove the request.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - queue: The name of the queue: up to 64 letters, digits, `-` and `_`.
    ///   - options: Options of this request in addition to those of its endpoint. A tag identifies the request, in
    ///     ``OutboxItem/tag`` and each time it is sent.
    ///   - userData: Data of the app that is available when the request ends, see ``OutboxItem/userData(as:)``. It is
    ///     stored on disk as JSON.
    /// - Returns: The stored request.
    /// - Throws: `ErrandError`: with the code `outboxFull` where a limit of the options is reached; with
    ///   `invalidRequest` for an invalid queue name, or for a request that has a secret in its own fields or URL
    ///   (``OutboxOptions/writesSecretsInTheClear``); with `unsupported` for an endpoint with hooks, interceptors or
    ///   accessories of its own, which are code and cannot be stored, and for one that sends secrets to other origins
    ///   (`RequestOptions.sendingSecretsToAllOrigins()`); with `encodingFailed` for user data that cannot be encoded;
    ///   with `fileFailed` if writing fails. The request is not kept then.
    @discardableResult
    public func add(
        _ endpoint: some Endpoint, to queue: String = "default", options: RequestOptions = RequestOptions(),
        userData: (any Encodable & Sendable)? = nil
    ) async throws(ErrandError) -> OutboxItem {
        guard !self.isClosed else { throw ErrandError(.cancelled, "the outbox was closed") }
        guard OutboxFolder.isQueue(queue) else {
            throw ErrandError(
                .invalidRequest, "\"\(queue)\" is not a queue name: use up to 64 letters, digits, - and _")
        }
        let options = endpoint.options.merging(options)
        let said = EffectiveOptions(options)
        guard endpoint.processing == nil, said.interceptors.isEmpty, said.accessories.isEmpty else {
            throw ErrandError(
                .unsupported,
                "hooks, interceptors and accessories of an endpoint cannot be stored: set them on the client")
        }
        guard !said.sendsSecretsToAllOrigins else {
            throw ErrandError(
                .unsupported,
                "an outbox does not store sendingSecretsToAllOrigins(), since a file must not grant it: make the "
                    + "origin one of the client's (ClientConfiguration.baseURLs)")
        }
        let notes = StoredRequest.Notes(
            endpoint: type(of: endpoint).declaredName, tag: said.tag, userData: try Self.encoded(userData))
        let resolved = try self.core.client.resolvedRequest(for: endpoint, saying: options)
        let request = resolved.request
        let secrets = self.core.options.writesSecretsInTheClear ? nil : self.redaction
        guard secrets == nil || said.credential == nil else { throw Self.secret("its credential") }
        if let secrets { try self.checkSecrets(of: resolved, endpoint, secrets) }
        let body = try await SpooledBody(request.body, atMost: self.core.options.byteLimit)
        defer { body.discard() }
        let stored = StoredRequest(
            request, without: secrets, bodySize: body.size, usesCredentials: said.usesCredentials,
            rules: StoredRequest.Rules(options, isCustom: resolved.isCustom), notes: notes,
            at: self.core.client.environment.date())
        let item = try await self.core.add(stored, body.content, to: queue).item(in: queue)
        self.core.report(.added(item))
        // If the outbox was closed meanwhile, the next one that opens the folder sends it.
        if !self.isClosed { self.sender(of: queue).wakeup.signal(.added) }
        return item
    }

    /// Returns the requests that wait or are being sent, queue by queue and in order, including those of other
    /// processes.
    ///
    /// - Throws: `ErrandError` with the code `fileFailed`.
    /// - Complexity: Linear in the number of requests, each of which is read.
    public func items() async throws(ErrandError) -> [OutboxItem] {
        var items: [OutboxItem] = []
        for queue in try await self.core.queues().sorted() {
            items += try await self.core.items(of: queue).map(\.item)
        }
        return items
    }

    /// Returns the damaged files that this process or another one moved aside; they count toward the limits until they
    /// are removed.
    ///
    /// - Throws: `ErrandError` with the code `fileFailed`.
    public func damagedFiles() async throws(ErrandError) -> [URL] {
        try await self.core.damagedFiles()
    }

    /// Removes a request without reporting its end.
    ///
    /// A request that is being sent at this moment may still reach the server. Those behind it proceed at once.
    ///
    /// - Returns: `true` if the request was in the outbox.
    /// - Throws: `ErrandError` with the code `fileFailed`.
    @discardableResult
    public func remove(_ item: OutboxItem) async throws(ErrandError) -> Bool {
        let names = try await self.core.requests(of: item.queue)
        guard let name = names.first(where: { $0.id == item.id }) else { return false }
        let isRemoved = try await self.core.remove(name, of: item.queue)
        if isRemoved, name == names.first { self.senders[item.queue]?.sender.wakeup.signal(.retry) }
        return isRemoved
    }

    /// Retries failed requests now, and sends those that other processes have left.
    ///
    /// This happens automatically when a network becomes available; the folder is checked for requests of other
    /// processes twice a minute.
    public func sendNow() async {
        try? await self.look()
        for sender in self.senders.values { sender.sender.wakeup.signal(.retry) }
    }

    /// Returns a stream of future events, for any number of readers; a reader that falls behind misses the oldest
    /// events.
    ///
    /// The stream ends when the outbox is released.
    public nonisolated func events() -> AsyncStream<OutboxEvent> {
        self.core.events()
    }

    /// Stops sending: requests in flight are cancelled, and stay in the outbox.
    ///
    /// When this returns, another process can send the queues. If it is called from `onEnd`, they are free once `onEnd`
    /// has returned.
    public func close() async {
        self.isClosed = true
        self.connectivity?.cancel()
        self.lookout?.cancel()
        for sender in self.senders.values { sender.task.cancel() }
        // Called from `onEnd`: waiting for the sender would wait for this very call.
        guard !self.core.isReporting else { return }
        for sender in self.senders.values { await sender.task.value }
    }

    // MARK: - Senders

    private func sender(of queue: String) -> QueueSender {
        if let known = self.senders[queue] { return known.sender }
        let sender = QueueSender(queue, self.core)
        // Ends when the outbox is closed or goes away, or the client was shut down.
        self.senders[queue] = (sender, Task { await sender.run() })
        return sender
    }

    private static func encoded(_ userData: (any Encodable & Sendable)?) throws(ErrandError) -> Data? {
        do {
            return try userData.map { try JSONEncoder().encode($0) }
        } catch {
            throw ErrandError(.encodingFailed, "the user data of a request cannot be encoded: \(error)", cause: error)
        }
    }

    private var redaction: Redaction { Redaction(secretHeaders: self.core.client.environment.secretHeaders) }

    /// Throws for secrets that would be stored in the clear, and without which the request could not be sent.
    private func checkSecrets(
        of resolved: ResolvedRequest, _ endpoint: some Endpoint, _ secrets: Redaction
    ) throws(ErrandError) {
        let request = resolved.request
        // Fields that the client adds to all requests are added again when it is sent.
        let own = resolved.isCustom ? request.headers : endpoint.headers
        if let field = own.first(where: { secrets.hides($0.name) && !$0.isKey }) { throw Self.secret(field.name) }
        // A user and password in the URL have been turned into an `Authorization` field.
        guard !resolved.hasCredential, request.url.redacted == request.url.string else { throw Self.secret("its URL") }
    }

    private static func secret(_ place: String) -> ErrandError {
        ErrandError(
            .invalidRequest,
            "a request with a secret of its own (\(place)) would be stored in the clear: let the client add it, or set "
                + "OutboxOptions.writesSecretsInTheClear")
    }
}
