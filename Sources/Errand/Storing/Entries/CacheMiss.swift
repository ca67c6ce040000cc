/// The reason why a cached response is not used.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum CacheMiss: Error, Sendable, Hashable {
    /// No response is stored.
    case noEntry
    /// The response is older than the policy allows, or its date is in the future because the clock was set back.
    ///
    /// Its age is negative in the latter case.
    case expired(age: Duration)
    /// The response was stored under another ``CachePolicy/version``.
    case versionMismatch
    /// The response was stored for another ``CachePolicy/scope``.
    case scopeMismatch
    /// The response was stored by another version of the app.
    case appVersionMismatch
    /// The policy of the endpoint is ``CachePolicy/never``, or its lifetime is zero or negative.
    case invalidLifetime
    /// The status, header fields, or metadata of the response are damaged.
    ///
    /// The entry has been removed.
    case corruptHead
    /// The body of the response is damaged.
    ///
    /// The entry has been removed.
    case corruptBody
    /// The response was stored by another version of this library, in an unknown format.
    case otherFormat
    /// The system refuses to read the response.
    case unreadable
    /// The endpoint does not accept the response, or cannot decode it.
    case notAccepted
    /// No response to the request can be stored.
    ///
    /// It is a HEAD or range request, its body is a file or a stream, or the body of its response is not kept in
    /// memory.
    case notCacheable
    /// The client has no cache.
    case noCache
}

extension CacheMiss: CustomStringConvertible {
    /// A description of the reason.
    public var description: String {
        switch self {
        case .noEntry: "no response is cached"
        case .expired(let age) where age < .zero: "the date of the cached response is in the future"
        case .expired(let age): "the cached response is \(age.bounded.components.seconds) s old"
        case .versionMismatch: "the cached response has another version"
        case .scopeMismatch: "the cached response is for another scope"
        case .appVersionMismatch: "the cached response is from another version of the app"
        case .invalidLifetime: "the endpoint does not allow caching"
        case .corruptHead: "the head of the cached response is damaged"
        case .corruptBody: "the body of the cached response is damaged"
        case .otherFormat: "the cached response has another format"
        case .unreadable: "the cached response cannot be read"
        case .notAccepted: "the endpoint does not accept the cached response"
        case .notCacheable: "responses to this request cannot be cached"
        case .noCache: "the client has no cache"
        }
    }
}
