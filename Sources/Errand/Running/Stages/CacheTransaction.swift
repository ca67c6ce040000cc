/// One request and its stored responses, by the rules of its policy: by time, or by RFC 9111.
protocol CacheTransaction: AnyObject, Sendable {
    /// The check that requests go out as the one whom the key knows; `nil` if nothing can be stored.
    var identity: SentIdentity? { get }

    /// Looks for a stored response without suspending, and decides; `nil` if the cache has to be waited for.
    func lookUpWithoutSuspending(for use: CacheUse) -> CacheLookup?

    /// Looks for a stored response, and decides.
    func lookUp(for use: CacheUse) async -> CacheLookup

    /// Processes the response of the network, and stores it now or once the endpoint has accepted it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - lookup: The lookup before.
    ///   - isConditional: `true` if it was asked for by the conditions of the decision.
    ///   - run: The run.
    /// - Returns: The response to deliver; `nil` when it is a 304 about no stored response.
    func receive(
        _ response: HTTPResponse, after lookup: CacheLookup, isConditional: Bool, _ run: RequestRun
    ) async -> Received?

    /// Returns a stored response in place of an error, if one may be used.
    func recover(from error: ErrandError, after lookup: CacheLookup, _ run: RequestRun) -> Received?

    /// Stores a response by hand.
    ///
    /// - Throws: ``ErrandError`` when it cannot be stored.
    func store(_ response: HTTPResponse) async throws(ErrandError)

    /// Removes what is stored, and what is on its way there.
    ///
    /// - Throws: ``ErrandError`` when nothing can be stored, or the cache refuses.
    func clear() async throws(ErrandError)
}

extension RequestEnvironment {
    /// Begins the transaction of a request, which is presented with what identifies who asks, by the rules of its policy.
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
