/// Access to what is stored by the rules of HTTP, for requests and for those who look at the cache by hand.
extension RequestEnvironment {
    /// The place of the responses to a request.
    ///
    /// - Parameters:
    ///   - request: The request, with what identifies who asks.
    ///   - cache: The cache.
    ///   - endpoint: Its endpoint.
    ///   - options: Its options.
    ///   - scope: Whom the responses are for, if the app says so.
    ///   - url: The URL, where it is another than the request's own.
    /// - Returns: The place.
    func httpCachePlace(
        for request: HTTPRequest, in cache: CacheAccess, of endpoint: any Endpoint, with options: SharedOptions,
        scope: String?,
        at url: HTTPURL? = nil
    ) -> HTTPCachePlace {
        let selecting = request.headers.byName { HTTPFields.selectingResources.contains($0) }
        let identity = HTTPFields(
            selecting + (scope == nil ? Array(request.headers.identity(.standard, self.redaction)) : []))
        let target = (url ?? request.url).addressed(by: request.headers)
        let makeKey = { @Sendable [partition = self.cachePartition(for: options)] isForPath in
            CacheKey(
                http: target, identity: identity, endpoint: type(of: endpoint).declaredName,
                partition: partition, isForPath: isForPath)
        }
        // Of another URL than the request's own, all is meant that is stored for it.
        let content = url == nil ? request.queryDigest : nil
        return HTTPCachePlace(
            cache: cache, urlKey: makeKey(false), content: content, pathKey: { makeKey(true) },
            fields: request.headers, scope: scope, redaction: self.redaction, counts: self.cacheCounts)
    }

    /// Decides what is done about a request.
    func decision(
        on request: HTTPRequest, _ found: HTTPCachePlace.Found, _ use: CacheUse, _ policy: CachePolicy
    ) -> HTTPCacheDecision {
        var request = request
        if use == .only { request.headers.append(name: HTTPField.Name.cacheControl, value: "only-if-cached") }
        return HTTPCacheRules.decide(
            request, found.entry?.stored, tags: found.isEmpty ? nil : { found.tags }, now: self.date(),
            staleIfError: policy.staleIfError.map { $0 / .seconds(1) })
    }
}
