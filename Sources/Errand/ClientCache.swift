public import Foundation

/// The cache of a client, for those who look after it by hand.
///
/// Nothing here starts a request, and nothing runs on the caller's thread.
///
/// ```swift
/// let news = try await client.cache.response(for: GetNews()).value
/// try await client.cache.remove(tag: "account")
/// ```
public struct ClientCache: Sendable {
    private let environment: RequestEnvironment

    init(_ environment: RequestEnvironment) {
        self.environment = environment
    }

    // MARK: - One endpoint

    /// Loads the stored response of an endpoint: what a request with ``CacheUse/only`` would answer.
    ///
    /// No accessory hears of it.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - options: The options of the call that the response was stored for; see ``Client/send(_:options:)``.
    /// - Returns: The response.
    /// - Throws: ``ErrandError``, with the code ``ErrandError/Code/notInCache`` when there is none that could be used;
    ///   see ``ErrandError/cacheMiss``.
    public func response<E: Endpoint>(
        for endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> TypedResponse<E.Response> {
        let asked = try await self.ask(endpoint, options)
        let lookup = await asked.transaction.lookUp(for: .only)
        guard let stored = lookup.response else {
            // A stored response may be there that no caller waited for.
            throw Task.isCancelled ? .cancelled() : lookup.decision.error
        }
        do throws(ErrandError) {
            let response = try await endpoint.processing?.received(stored, with: self.environment.json) ?? stored
            if let refusal = await endpoint.refusalOffActor(of: response) { throw refusal }
            let answer = ResponseSummary(
                response, source: stored.origin?.source ?? .network, timings: ExchangeMetrics.Timings(), attempts: 0,
                url: stored.origin?.url, redirects: stored.origin?.redirects ?? 0)
            return TypedResponse(
                value: try await endpoint.valueOffActor(from: response, with: self.environment.json), answer: answer,
                request: asked.request, requestID: .next())
        } catch {
            throw ErrandError(.notInCache, "\(CacheMiss.notAccepted): \(error.message)", cause: CacheMiss.notAccepted)
        }
    }

    /// Tells whether a response is stored that the endpoint's ``CachePolicy`` allows to use.
    ///
    /// Whether the endpoint accepts it, and can decode it, is not looked at.
    public func contains(_ endpoint: some Endpoint, options: RequestOptions = RequestOptions()) async -> Bool {
        guard let asked = try? await self.ask(endpoint, options) else { return false }
        return await asked.transaction.lookUp(for: .only).response != nil
    }

    /// Stores a response as the response of an endpoint, as if the network had answered it just now.
    ///
    /// The response is not looked into; whoever uses it does that. The entry has the tag of the options. By the rules of HTTP it has
    /// to say itself that it may be stored; see ``CachePolicy/http``.
    ///
    /// - Throws: ``ErrandError`` when there is no request for the endpoint, or its responses cannot be stored.
    public func store(
        _ response: HTTPResponse, for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) {
        try await self.ask(endpoint, options).transaction.store(response)
    }

    /// Stores bytes as the response of an endpoint: with the status 200, and the first content type of its decoder.
    ///
    /// - Throws: ``ErrandError`` when there is no request for the endpoint, or its responses cannot be stored.
    public func store(
        _ body: Data, for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) {
        var headers: HTTPFields = [:]
        if let type = endpoint.decoder.contentTypes.first, type.type != "*", type.subtype != "*" {
            headers[HTTPField.Name.contentType] = type.description
        }
        try await self.store(HTTPResponse(status: 200, headers: headers, body: body), for: endpoint, options: options)
    }

    /// Removes the stored response of an endpoint, if there is one.
    ///
    /// - Throws: ``ErrandError`` when there is no request for the endpoint, its responses cannot be stored, or the
    ///   system refuses to remove the stored one.
    public func remove(
        _ endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) {
        try await self.ask(endpoint, options).transaction.clear()
    }

    // MARK: - Many

    /// Removes all responses to requests with a tag; returns how many those were.
    ///
    /// A response that is on its way to the cache is not stored, whatever its tag.
    ///
    /// - Throws: ``ErrandError`` when the system refuses to remove one of them, after all others were.
    @discardableResult
    public func remove(tag: String) async throws(ErrandError) -> Int {
        try await self.remove { $0.tag == tag }
    }

    /// Removes all responses of a host, whatever its port; returns how many those were.
    ///
    /// A response that is on its way to the cache is not stored, whatever its host.
    ///
    /// - Throws: ``ErrandError`` when the system refuses to remove one of them, after all others were.
    @discardableResult
    public func remove(host: String) async throws(ErrandError) -> Int {
        let name = host.asciiLowercased()
        let host = (try? HostAddress.canonical(name)) ?? name
        return try await self.remove { $0.host.asciiLowercased() == host }
    }

    /// Removes all responses that have been stored for longer than this; returns how many those were.
    ///
    /// A response that is on its way to the cache is not stored, though it is newer.
    ///
    /// - Throws: ``ErrandError`` when the system refuses to remove one of them, after all others were.
    @discardableResult
    public func remove(olderThan age: Duration) async throws(ErrandError) -> Int {
        let limit = self.environment.date().addingTimeInterval(-(age / .seconds(1)))
        return try await self.remove { $0.storedAt < limit }
    }

    /// Removes all responses that a function chooses; returns how many those were.
    ///
    /// A response that is on its way to the cache is not stored, whatever the function would choose.
    ///
    /// - Throws: ``ErrandError`` when the system refuses to remove one of them, after all others were.
    @discardableResult
    public func remove(
        where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ErrandError) -> Int {
        self.environment.cacheCounts.removals.noteAll()
        return try await self.environment.cache?.remove(where: isChosen) ?? 0
    }

    /// Removes everything.
    ///
    /// - Throws: ``ErrandError`` when the system refuses to remove one of them, after all others were.
    public func removeAll() async throws(ErrandError) {
        try await self.remove { _ in true }
    }

    // MARK: - Looking

    /// Explains what a request for an endpoint would do by the rules of HTTP now, line by line with the sections of
    /// RFC 9111 that say so; see ``CachePolicy/http``.
    ///
    /// Nothing is sent. The last line says what is done.
    ///
    /// - Throws: ``ErrandError`` when there is no request for the endpoint, or it does not go by those rules.
    public func explanation(
        for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> [String] {
        guard let transaction = try await self.ask(endpoint, options).transaction as? HTTPCacheTransaction else {
            throw ErrandError(.unsupported, "the endpoint does not go by the rules of HTTP, or there is no cache")
        }
        let decision = await transaction.lookUp(for: .use).decision
        return decision.reasons.map(\.description) + [decision.summary]
    }

    /// The number of requests of this client that used a stored response, and the size of what is stored.
    public var statistics: ClientCache.Statistics {
        get async {
            ClientCache.Statistics(
                hits: self.environment.cacheCounts.hits, misses: self.environment.cacheCounts.misses,
                usage: await self.environment.cache?.usage)
        }
    }

    // MARK: -

    /// Begins what a request for an endpoint would begin now.
    private func ask(
        _ endpoint: some Endpoint, _ options: RequestOptions
    ) async throws(ErrandError) -> (request: HTTPRequest, transaction: any CacheTransaction) {
        let terms = self.environment.terms(saying: endpoint.options.merging(options))
        let resolved = try endpoint.resolve(under: terms)
        var request = resolved.request
        if let processing = endpoint.processing { request = try await processing.prepared(request, under: terms) }
        let counted = resolved.keyRequest ?? request
        // What cannot be loaded now is nobody's.
        try? await self.environment.unloadedKeeper(for: counted, under: terms)?.load()
        let presented = await self.environment.identified(counted, under: terms)
        let transaction = self.environment.cacheTransaction(
            for: request, presentedAs: presented, of: endpoint, with: terms.options)
        return (request, transaction)
    }
}

extension ClientCache {
    /// The hits and misses of a client's requests in a cache, and its size.
    public struct Statistics: Sendable, Hashable {
        /// The number of requests that used a stored response.
        public var hits: Int
        /// The number of requests that asked for a stored response, and found none that could be used.
        public var misses: Int
        /// The size of what is stored; `nil` when the cache does not know.
        public var usage: CacheEntry.Totals?
    }
}

extension Client {
    /// The stored responses.
    public var cache: ClientCache { ClientCache(self.environment) }

    /// Sends a request, and returns what is stored, if it is fresh, before what the network says.
    ///
    /// The request starts at once. Cancelling the task that iterates, or giving the stream up, cancels it; the stream
    /// ends without an error then, as streams do.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - options: The options of this call; its cache use is ``CacheUse/thenRefresh`` here.
    /// - Returns: One answer or two; throws the ``ErrandError`` of the request behind them.
    public func responses<E: Endpoint>(
        for endpoint: E, options: RequestOptions = RequestOptions()
    ) -> AsyncThrowingStream<TypedResponse<E.Response>, any Error> {
        let request = self.request(endpoint, options: options.cacheUse(.thenRefresh))
        return AsyncThrowingStream { continuation in
            // Unstructured: whoever iterates may do so in any task. Ends with the request.
            let task = spawn {
                do {
                    let responses = await request.responses
                    await request.start()
                    for try await response in responses { continuation.yield(response) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                task.cancel()
                request.cancel()
            }
        }
    }
}
