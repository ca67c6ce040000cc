/// Whether and for how long the answer of an endpoint may come from the cache.
public struct CachePolicy: Sendable, Hashable {
    /// How long a stored answer counts as fresh; nothing when none is stored or used.
    package let lifetime: Duration?

    /// Always ask the network, store nothing.
    public static let never = CachePolicy(lifetime: nil)

    /// Answer from the cache while the stored answer is not older than this; store what the network answers.
    ///
    /// A lifetime of zero or less is the same as ``never``.
    public static func fresh(for lifetime: Duration) -> CachePolicy {
        CachePolicy(lifetime: lifetime > .zero ? lifetime : nil)
    }
}
