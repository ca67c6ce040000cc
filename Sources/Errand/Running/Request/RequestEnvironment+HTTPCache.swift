/// Access to what is stored by the rules of HTTP, for requests and for those who look at the cache by hand.
extension RequestEnvironment {
    /// The place of the responses to a request.
    ///
    /// - Parameters:
    ///   - request: The request, with what identifies who asks.
    ///   - cache: The cache.
    ///   - endpoint: Its endpoint.
    ///   - scope: Whom the responses are for, if the app says so.
    ///   - url: The URL, where it is another than the request's own.
    /// - Returns: The place.
    func httpCachePlace(
        for request: HTTPRequest, in cache: CacheAccess, of endpoint: any Endpoint, scope: String?,
        at url: HTTPURL? = nil
    ) -> HTTPCachePlace {
        let selecting = request.headers.byName { HTTPFields.selectingResources.contains($0) }
        let identity = HTTPFields(
            selecting + (scope == nil ? Array(request.headers.identity(.standard, self.redaction)) : []))
        let target = (url ?? request.url).addressed(by: request.headers)
        let makeKey = { @Sendable [partition = self.cachePartition(for: endpoint)] isForPath in
            CacheKey(
                http: target, identity: identity, endpoint: type(of: endpoint).declaredName,
                partition: partition, isForPath: isForPath)
        }
        return HTTPCachePlace(
            cache: cache, key: makeKey(false), pathKey: { makeKey(true) }, fields: request.headers, scope: scope,
            redaction: self.redaction, counts: self.cacheCounts)
    }

    /// Decides what is done about a request.
    func decision(
        on request: HTTPRequest, _ found: HTTPCachePlace.Found, _ use: CacheUse, _ policy: CachePolicy
    ) -> HTTPCacheDecision {
        var request = request
        if use == .only { request.headers.append(name: HTTPFieldName.cacheControl, value: "only-if-cached") }
        return HTTPCacheRules.decide(
            request, found.entry?.stored, tags: found.isEmpty ? nil : { found.tags }, now: self.date(),
            staleIfError: policy.staleIfError.map { $0 / .seconds(1) })
    }
}
