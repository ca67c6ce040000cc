/// What one use of an endpoint asks of the cache, within what the endpoint's ``CachePolicy`` allows.
public enum CacheUse: Sendable, Hashable, CaseIterable {
    /// A response that is stored and fresh is used; without one the network is asked, and its response stored.
    case use
    /// What is stored is not looked at; the network is asked, and its response stored.
    case ignore
    /// Like ``ignore``, and caches on the way are asked to do the same, by `Cache-Control: no-cache` (RFC 9111
    /// §5.2.1.4).
    case reload
    /// Only a response that is stored and fresh is used; without one the request fails with the code
    /// ``ErrandError/Code/notInCache``.
    case only
    /// An answer that is stored and fresh is shown, then the network is asked, and its answer is the one that counts.
    ///
    /// The request goes from ``RequestState/running`` to ``RequestState/cached`` and back, and ends as it would have
    /// without the stored response. ``Request/responses`` has both.
    case thenRefresh

    /// Tells whether stored responses are looked at.
    var reads: Bool {
        switch self {
        case .use, .only, .thenRefresh: true
        case .ignore, .reload: false
        }
    }
}
