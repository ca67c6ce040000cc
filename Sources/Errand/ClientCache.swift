public import Foundation

/// Direct access to the cache of a client.
///
/// No member starts a request, and no work runs on the caller's thread.
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

    /// Loads the cached response of an endpoint, as a request with ``CacheUse/only`` would.
    ///
    /// Accessories are not notified.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - options: The options of the call whose response was stored; see ``Client/send(_:options:)``.
    /// - Returns: The response.
    /// - Throws: ``ErrandError``, with the code ``ErrandError/Code/notInCache`` if there is no usable cached response;
    ///   see ``ErrandError/cacheMiss``.
    public func response<E: Endpoint>(
        for endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> TypedResponse<E.Response> {
        let asked = try await self.ask(endpoint, options)
        let lookup = await asked.transaction.lookUp(for: .only)
        guard let stored = lookup.response else {
            // A cancelled caller does not wait for the lookup, which may miss an existing response.
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

    /// Returns true if the cache holds a response that the endpoint's ``CachePolicy`` allows to use.
    ///
    /// The response is neither validated nor decoded.
    public func contains(_ endpoint: some Endpoint, options: RequestOptions = RequestOptions()) async -> Bool {
        guard let asked = try? await self.ask(endpoint, options) else { return false }
        return await asked.transaction.lookUp(for: .only).response != nil
    }

    /// Stores a response for an endpoint, as if it had just been received.
    ///
    /// The response is not validated until it is used. The entry gets the tag of the options. Under the rules of HTTP,
    /// the response itself has to allow storing; see ``CachePolicy/http``.
    ///
    /// - Throws: ``ErrandError`` if no request can be made for the endpoint, or its responses cannot be stored.
    public func store(
        _ response: HTTPResponse, for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) {
        try await self.ask(endpoint, options).transaction.store(response)
    }

    /// Stores bytes as the response of an endpoint, with the status 200 and the first content type of its decoder.
    ///
    /// - Throws: ``ErrandError`` if no request can be made for the endpoint, or its responses cannot be stored.
    public func store(
        _ body: Data, for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) {
        var headers: HTTPFields = [:]
        if let type = endpoint.decoder.contentTypes.first, type.type != "*", type.subtype != "*" {
            headers[HTTPField.Name.contentType] = type.description
        }
        try await self.store(HTTPResponse(status: 200, headers: headers, body: body), for: endpoint, options: options)
    }

    /// Removes the cached response of an endpoint, if any.
    ///
    /// - Throws: ``ErrandError`` if no request can be made for the endpoint, its responses cannot be stored, or the
    ///   system fails to remove the cached one.
    public func remove(
        _ endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) {
        try await self.ask(endpoint, options).transaction.clear()
    }

    // MARK: - Many

    /// Removes all responses to requests with a tag, and returns their number.
    ///
    /// A response that is being stored meanwhile is dropped, whatever its tag.
    ///
    /// - Throws: ``ErrandError`` if the system fails to remove one of them; the others are removed first.
    @discardableResult
    public func remove(tag: String) async throws(ErrandError) -> Int {
        try await self.remove { $0.tag == tag }
    }

    /// Removes all responses of a host, on any port, and returns their number.
    ///
    /// A response that is being stored meanwhile is dropped, whatever its host.
    ///
    /// - Throws: ``ErrandError`` if the system fails to remove one of them; the others are removed first.
    @discardableResult
    public func remove(host: String) async throws(ErrandError) -> Int {
        let name = host.asciiLowercased()
        let host = (try? HostAddress.canonical(name)) ?? name
        return try await self.remove { $0.host.asciiLowercased() == host }
    }

    /// Removes all responses that have been stored for longer than the given time, and returns their number.
    ///
    /// A response that is being stored meanwhile is dropped, although it is newer.
    ///
    /// - Throws: ``ErrandError`` if the system fails to remove one of them; the others are removed first.
    @discardableResult
    public func remove(olderThan age: Duration) async throws(ErrandError) -> Int {
        let limit = self.environment.date().addingTimeInterval(-(age / .seconds(1)))
        return try await self.remove { $0.storedAt < limit }
    }

    /// Removes all responses that a function selects, and returns their number.
    ///
    /// A response that is being stored meanwhile is dropped, whatever the function would return for it.
    ///
    /// - Throws: ``ErrandError`` if the system fails to remove one of them; the others are removed first.
    @discardableResult
    public func remove(
        where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ErrandError) -> Int {
        self.environment.cacheCounts.removals.noteAll()
        return try await self.environment.cache?.remove(where: isChosen) ?? 0
    }

    /// Removes all responses.
    ///
    /// - Throws: ``ErrandError`` if the system fails to remove one of them; the others are removed first.
    public func removeAll() async throws(ErrandError) {
        try await self.remove { _ in true }
    }

    // MARK: - Looking

    /// Explains how a request for an endpoint would use the cache now, line by line with the sections of RFC 9111.
    ///
    /// No request is sent. The last line is the result. See ``CachePolicy/http``.
    ///
    /// - Throws: ``ErrandError`` if no request can be made for the endpoint, or its cache policy does not follow HTTP.
    public func explanation(
        for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> [String] {
        guard let transaction = try await self.ask(endpoint, options).transaction as? HTTPCacheTransaction else {
            throw ErrandError(.unsupported, "the endpoint's cache policy does not follow HTTP, or there is no cache")
        }
        let decision = await transaction.lookUp(for: .use).decision
        return decision.reasons.map(\.description) + [decision.summary]
    }

    /// The number of cache hits and misses of this client's requests, and the size of the cache.
    public var statistics: ClientCache.Statistics {
        get async {
            ClientCache.Statistics(
                hits: self.environment.cacheCounts.hits, misses: self.environment.cacheCounts.misses,
                usage: await self.environment.cache?.usage)
        }
    }

    // MARK: -

    /// Prepares the cache stage of a request for an endpoint.
    private func ask(
        _ endpoint: some Endpoint, _ options: RequestOptions
    ) async throws(ErrandError) -> (request: HTTPRequest, transaction: any CacheTransaction) {
        let terms = self.environment.terms(saying: endpoint.options.merging(options))
        let resolved = try endpoint.resolve(under: terms)
        var request = resolved.request
        if let processing = endpoint.processing { request = try await processing.prepared(request, under: terms) }
        let counted = resolved.keyRequest ?? request
        // If the credential cannot be loaded now, the request has no identity.
        try? await self.environment.unloadedKeeper(for: counted, under: terms)?.load()
        let presented = await self.environment.identified(counted, under: terms)
        let transaction = self.environment.cacheTransaction(
            for: request, presentedAs: presented, of: endpoint, with: terms.options)
        return (request, transaction)
    }
}

extension ClientCache {
    /// Hits and misses of a client's requests in its cache, and the size of the cache.
    public struct Statistics: Sendable, Hashable {
        /// The number of requests that used a cached response.
        public var hits: Int
        /// The number of requests that looked for a cached response and found no usable one.
        public var misses: Int
        /// The size of the cached responses; `nil` if the cache does not know it.
        public var usage: CacheEntry.Totals?
    }
}

extension Client {
    /// Direct access to the client's cache.
    public var cache: ClientCache { ClientCache(self.environment) }

    /// Sends a request, and returns the cached response, if it is fresh, before the network's response.
    ///
    /// The request starts at once. Cancelling the iterating task, or releasing the stream, cancels it; the stream then
    /// ends without an error, as streams do.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - options: The options of this call; their cache use is replaced by ``CacheUse/thenRefresh``.
    /// - Returns: One or two responses, after which the stream throws the ``ErrandError`` of the request if it fails.
    public func responses<E: Endpoint>(
        for endpoint: E, options: RequestOptions = RequestOptions()
    ) -> AsyncThrowingStream<TypedResponse<E.Response>, any Error> {
        let request = self.request(endpoint, options: options.cacheUse(.thenRefresh))
        return AsyncThrowingStream { continuation in
            // Unstructured, because the stream can be iterated in any task. Ends with the request.
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
