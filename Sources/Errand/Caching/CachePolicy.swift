/// Whether and for how long the answer of an endpoint may come from the cache.
public struct CachePolicy: Sendable, Hashable {
    /// How long a stored answer counts as fresh; nothing when none is stored or used.
    package let lifetime: Duration?
    /// Whom stored answers are for.
    package let scope: String

    /// Always ask the network, store nothing.
    public static let never = CachePolicy(lifetime: nil, scope: "")

    /// Answer from the cache while the stored answer is not older than this; store what the network answers.
    ///
    /// Answers are told apart by what the endpoint declares: method, URL, header fields and body. What interceptors add
    /// later does not count; an answer that depends on it, such as on the credentials of a user, needs a scope.
    ///
    /// - Parameters:
    ///   - lifetime: How old an answer may be; zero or less is the same as ``never``.
    ///   - scope: Whom the answer is for, such as the id of the user; only requests with the same scope get it.
    /// - Returns: The policy.
    public static func fresh(for lifetime: Duration, scope: String = "") -> CachePolicy {
        CachePolicy(lifetime: lifetime > .zero ? lifetime : nil, scope: scope)
    }
}
