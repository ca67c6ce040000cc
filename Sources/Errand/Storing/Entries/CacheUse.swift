/// The use that a request makes of the cache, within the endpoint's ``CachePolicy``.
public enum CacheUse: Sendable, Hashable, CaseIterable {
    /// Uses a fresh cached response; otherwise uses the network and stores the response.
    case use
    /// Ignores cached responses; uses the network and stores the response.
    case ignore
    /// Like ``ignore``, and asks caches on the path to do the same with `Cache-Control: no-cache` (RFC 9111 §5.2.1.4).
    case reload
    /// Uses only a fresh cached response.
    ///
    /// Without one, the request fails with the code ``ErrandError/Code/notInCache``.
    case only
    /// Shows a fresh cached response, then uses the network; the response from the network is the result.
    ///
    /// The request goes from ``RequestState/running`` to ``RequestState/cached`` and back, and ends as it would have
    /// without the cached response. ``Request/responses`` delivers both.
    case thenRefresh

    /// True if cached responses are looked up.
    var reads: Bool {
        switch self {
        case .use, .only, .thenRefresh: true
        case .ignore, .reload: false
        }
    }
}
