extension RequestEnvironment {
    /// The place of what is stored for a request by the rules of HTTP.
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
        scope: String?, at url: HTTPURL? = nil
    ) -> HTTPCachePlace {
        let selecting = request.headers.byName { HTTPFields.selectingResources.contains($0) }
        let identity = scope == nil ? Array(request.headers.identity(.standard, self.redaction)) : []
        return HTTPCachePlace(
            in: cache, for: request, at: url, identity: HTTPFields(selecting + identity),
            endpoint: type(of: endpoint).declaredName, partition: self.cachePartition(for: options), scope: scope,
            self.redaction, self.cacheCounts)
    }
}
