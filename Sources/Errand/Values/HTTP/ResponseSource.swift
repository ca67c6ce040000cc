/// The source of a response.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ResponseSource: Sendable, Hashable {
    /// The network.
    case network
    /// The network, through an equal request in flight; see ``RequestOptions/coalescing(_:)-swift.type.method``.
    case coalesced
    /// The cache, with the age of the response; under the rules of HTTP, it includes the time in other caches.
    case cache(age: Duration)
    /// The cache, after validation by the server (RFC 9111 §4.3).
    case revalidated
    /// The cache, with a stale response (RFC 9111 §4.2.4).
    case stale(age: Duration)

    /// A Boolean value that indicates whether the response came from the cache without the network.
    public var isCache: Bool {
        switch self {
        case .cache, .stale: true
        case .network, .coalesced, .revalidated: false
        }
    }
}

extension ResponseSource: CustomStringConvertible {
    /// The source as text, such as `from the cache, 3.0 seconds old`.
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
