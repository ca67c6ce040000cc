/// Where a response came from.
public enum ResponseSource: Sendable, Hashable {
    /// The network.
    case network
    /// The network, for an equal request that was under way already; see ``Endpoint/isCoalesced``.
    case coalesced
    /// The cache, where it had been for so long.
    case cache(age: Duration)

    /// Tells whether the cache answered.
    public var isCache: Bool {
        if case .cache = self { true } else { false }
    }
}
