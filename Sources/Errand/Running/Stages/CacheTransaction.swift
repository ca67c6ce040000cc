/// One request and its cached responses, by the rules of its policy: by age, or by RFC 9111.
protocol CacheTransaction: AnyObject, Sendable {
    /// The check that requests are sent with the identity in the key; `nil` if no response can be stored.
    var identity: SentIdentity? { get }

    /// Looks up a cached response without suspending, and decides; `nil` if the lookup must suspend.
    func lookUpWithoutSuspending(for use: CacheUse) -> CacheLookup?

    /// Looks up a cached response, and decides.
    func lookUp(for use: CacheUse) async -> CacheLookup

    /// Processes the response from the network, and stores it at once or when the endpoint has accepted it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - lookup: The preceding lookup.
    ///   - isConditional: True if the request carried the conditions of the decision.
    ///   - run: The run.
    /// - Returns: The response to deliver; `nil` if it is a 304 that refers to no stored response.
    func receive(
        _ response: HTTPResponse, after lookup: CacheLookup, isConditional: Bool, _ run: RequestRun
    ) async -> Received?

    /// Returns a cached response to replace an error, if one may be used.
    func recover(from error: ErrandError, after lookup: CacheLookup, _ run: RequestRun) -> Received?

    /// Stores a response supplied by the app.
    ///
    /// - Throws: ``ErrandError`` if the response cannot be stored.
    func store(_ response: HTTPResponse) async throws(ErrandError)

    /// Removes the stored responses, including those being stored.
    ///
    /// - Throws: ``ErrandError`` if no response can be stored, or if the cache refuses.
    func clear() async throws(ErrandError)
}

extension RequestEnvironment {
    /// Begins the transaction of a request by the rules of its policy.
    ///
    /// `presented` is the request with its identity.
    func cacheTransaction(
        for request: HTTPRequest, presentedAs presented: HTTPRequest, of endpoint: any Endpoint,
        with options: SharedOptions
    ) -> any CacheTransaction {
        if options.value.cachePolicy.authority == .http, let cache = self.cacheAccess {
            return HTTPCacheTransaction(request, presentedAs: presented, of: endpoint, with: options, in: cache, self)
        }
        return TimedCacheTransaction(request, presentedAs: presented, of: endpoint, with: options, self)
    }
}
