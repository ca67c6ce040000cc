public import Errand
public import Foundation

/// Keeps requests on disk until they were sent: what a user did is not lost, whatever becomes of the network or the
/// process.
///
/// ```swift
/// let outbox = try await Outbox.open(folder, client: client) { item, end in
///     await orders.mark(item.idempotencyKey, end)
/// }
/// try await outbox.add(PlaceOrder(order), to: "orders")
/// ```
///
/// When ``add(_:to:options:userData:)`` returns, the request is on disk. The requests of a queue are sent one after
/// another, in the order in which they were added; one that fails for the time being holds up those behind it. Queues
/// do not wait for one another. A request is removed only after its end was reported: to `onEnd`, which may therefore
/// hear of one a second time, if the process dies in between.
///
/// Each is sent at least once, and each time with the same `Idempotency-Key`: a server that honours it acts on each once.
/// What is secret among the things that the client adds to all requests, such as a credential, is added when a request is
/// sent, and not written; its other header fields are what they were when the request was added.
///
/// Several outboxes and processes may use one folder: each queue is sent by one of them at a time, and the end of a
/// request is reported where it was sent.
public actor Outbox {
    private let core: OutboxCore
    private var senders: [String: (sender: QueueSender, task: Task<Void, Never>)] = [:]
    private var connectivity: Task<Void, Never>?
    private var lookout: Task<Void, Never>?
    private var isClosed = false

    private init(_ core: OutboxCore) {
        self.core = core
    }

    deinit {
        self.connectivity?.cancel()
        self.lookout?.cancel()
        for sender in self.senders.values { sender.task.cancel() }
    }

    /// Opens an outbox, and begins to send what is in it.
    ///
    /// - Parameters:
    ///   - folder: Its folder, which is made for this user only.
    ///   - client: Sends the requests.
    ///   - options: How it behaves.
    ///   - onEnd: Hears of the end of each request, one at a time for each queue; the request is removed when it returns.
    /// - Returns: The outbox. It sends for as long as somebody holds it.
    /// - Throws: `ErrandError`: with the code `invalidConfiguration` for options that are not possible, for a folder that
    ///   belongs to something else or was written by another version, with `fileFailed` where the system refuses.
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
        // Ends when the outbox is closed or goes away. What other processes have added, and did not live to send.
        self.lookout = Task { [weak self, timebase = self.core.client.environment.timebase] in
            while (try? await timebase.sleep(until: timebase.now + QueueSender.patience)) != nil {
                guard let self else { return }
                try? await self.look()
            }
        }
        // Ends when the outbox is closed or goes away.
        self.connectivity = Task { [weak self] in
            var known = first
            for await path in changes {
                // The network that is there from the start is no news.
                if path.isSatisfied, path != known { await self?.sendNow() }
                known = path
            }
        }
    }

    /// Has what is in the folder sent, also in queues that are new to this outbox.
    private func look() async throws(ErrandError) {
        for queue in try await self.core.queues() {
            // What is wrong with one that cannot be read is told by its sender.
            let isEmpty = try? await self.core.requests(of: queue).isEmpty
            guard !self.isClosed else { return }
            guard isEmpty != true else { continue }
            self.sender(of: queue).wakeup.signal(.added)
        }
    }

    // MARK: - Requests

    /// Writes a request to disk, to be sent after those that its queue has already.
    ///
    /// The endpoint is resolved now: its URL, its header fields, its parameters and its body are what they are at
    /// this moment, and a body that is a file is copied. Of its options those are kept that say how it is sent: its
    /// tag, its timeouts, the networks it may not use, the fields it goes without. What it says about its response
    /// does not count: a status from 200 to 299 is success, unless it is that of another request to which a
    /// redirection has led; nor do its retries, for the outbox has its own.
    ///
    /// Cancelling the task does not undo it.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - queue: The queue: letters, digits, `-` and `_`, up to 64.
    ///   - options: The options of this request beside those of its endpoint; a tag is a name to find it by: in
    ///     ``OutboxItem/tag``, and as the tag of the request each time it is sent.
    ///   - userData: What the app wants to know at its end, see ``OutboxItem/userData(as:)``; it stands on disk as JSON.
    /// - Returns: What was added.
    /// - Throws: `ErrandError`: with the code `outboxFull` where a limit of the options is reached, with
    ///   `invalidRequest` for a request that has a secret in its own fields or URL
    ///   (``OutboxOptions/writesSecretsInTheClear``) or a queue that cannot be named so, with `unsupported` for an
    ///   endpoint with hooks, interceptors or accessories of its own, which are code and cannot be kept, and for one
    ///   that sends secrets elsewhere (`RequestOptions.sendingSecretsToAllOrigins()`), with `encodingFailed` for user
    ///   data that cannot be encoded, with `fileFailed` where the disk refuses it. Nothing is kept then.
    @discardableResult
    public func add(
        _ endpoint: some Endpoint, to queue: String = "default", options: RequestOptions = RequestOptions(),
        userData: (any Encodable & Sendable)? = nil
    ) async throws(ErrandError) -> OutboxItem {
        guard !self.isClosed else { throw ErrandError(.cancelled, "the outbox was closed") }
        guard OutboxFolder.isQueue(queue) else {
            throw ErrandError(
                .invalidRequest, "\"\(queue)\" cannot be the name of a queue: letters, digits, - and _, up to 64")
        }
        let options = endpoint.options.merging(options)
        let said = EffectiveOptions(options)
        guard endpoint.processing == nil, said.interceptors.isEmpty, said.accessories.isEmpty else {
            throw ErrandError(
                .unsupported,
                "hooks, interceptors and accessories of an endpoint cannot be kept: give them to the client")
        }
        guard !said.sendsSecretsToAllOrigins else {
            throw ErrandError(
                .unsupported,
                "that an endpoint sends secrets to other origins is not kept, for a file must not say so: make its origin "
                    + "one of the client's (ClientConfiguration.baseURLs)")
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
        // Closed meanwhile it is sent by the next one who opens the folder.
        if !self.isClosed { self.sender(of: queue).wakeup.signal(.added) }
        return item
    }

    /// The requests that wait or are being sent, queue by queue and in order; those of other processes too.
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

    /// Files that were no requests and were moved aside, by this process or another; they count for the limits until
    /// somebody removes them.
    ///
    /// - Throws: `ErrandError` with the code `fileFailed`.
    public func damagedFiles() async throws(ErrandError) -> [URL] {
        try await self.core.damagedFiles()
    }

    /// Removes a request that is not wanted any more; its end is not reported.
    ///
    /// One that is being sent at this moment may still reach the server. Those behind it go on at once.
    ///
    /// - Returns: Whether it was there.
    /// - Throws: `ErrandError` with the code `fileFailed`.
    @discardableResult
    public func remove(_ item: OutboxItem) async throws(ErrandError) -> Bool {
        let names = try await self.core.requests(of: item.queue)
        guard let name = names.first(where: { $0.id == item.id }) else { return false }
        let isRemoved = try await self.core.remove(name, of: item.queue)
        if isRemoved, name == names.first { self.senders[item.queue]?.sender.wakeup.signal(.retry) }
        return isRemoved
    }

    /// Sends at once what waits because it failed, and what other processes have left.
    ///
    /// A network that comes back does the same by itself, and what others have left is looked for twice a minute.
    public func sendNow() async {
        try? await self.look()
        for sender in self.senders.values { sender.sender.wakeup.signal(.retry) }
    }

    /// Events from now on, for any number of readers; one that is slower than that misses the oldest.
    ///
    /// Not what was reported before it is called. It ends when the outbox goes away.
    public nonisolated func events() -> AsyncStream<OutboxEvent> {
        self.core.events()
    }

    /// Stops sending: what is under way is cancelled, and stays in the outbox.
    ///
    /// When this returns, another process may send; from `onEnd`, that is so when that has returned.
    public func close() async {
        self.isClosed = true
        self.connectivity?.cancel()
        self.lookout?.cancel()
        for sender in self.senders.values { sender.task.cancel() }
        // Who is told of an end would wait for itself.
        guard !self.core.isReporting else { return }
        for sender in self.senders.values { await sender.task.value }
    }

    // MARK: - Inside

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

    /// Refuses what would stand on disk in the clear, and what could not be sent without it.
    private func checkSecrets(
        of resolved: ResolvedRequest, _ endpoint: some Endpoint, _ secrets: Redaction
    ) throws(ErrandError) {
        let request = resolved.request
        // What the client adds to all requests it adds again.
        let own = resolved.isCustom ? request.headers : endpoint.headers
        if let field = own.first(where: { secrets.hides($0.name) && !$0.isKey }) { throw Self.secret(field.name) }
        // User and password of its URL have become an `Authorization`.
        guard !resolved.hasCredential, request.url.redacted == request.url.string else { throw Self.secret("its URL") }
    }

    private static func secret(_ place: String) -> ErrandError {
        ErrandError(
            .invalidRequest,
            "a request with a secret of its own (\(place)) would stand on disk in the clear: let the client add it, or set "
                + "OutboxOptions.writesSecretsInTheClear")
    }
}
