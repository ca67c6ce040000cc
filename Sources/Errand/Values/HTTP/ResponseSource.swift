/// The source of a response.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ResponseSource: Sendable, Hashable {
    /// The network.
    case network
    /// The network, for an equal request that was under way already; see
    /// ``RequestOptions/coalescing(_:)-swift.type.method``.
    case coalesced
    /// The cache, where it had been for so long; by the rules of HTTP its age includes that in other caches.
    case cache(age: Duration)
    /// The cache, after the server said that the response has not changed (RFC 9111 §4.3).
    case revalidated
    /// The cache, though the response was stale (RFC 9111 §4.2.4).
    case stale(age: Duration)

    /// Tells whether the cache answered without the network.
    public var isCache: Bool {
        switch self {
        case .cache, .stale: true
        case .network, .coalesced, .revalidated: false
        }
    }
}

extension ResponseSource: CustomStringConvertible {
    /// The source in words, such as `from the cache, 3.0 seconds old`.
    public var description: String {
        switch self {
        case .network: "from the network"
        case .coalesced: "from an equal request"
        case .cache(let age): "from the cache, \(age) old"
        case .revalidated: "from the cache, validated"
        case .stale(let age): "from the cache, stale, \(age) old"
        }
    }
}
