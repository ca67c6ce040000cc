/// Why a stored response is not used.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum CacheMiss: Error, Sendable, Hashable {
    /// There is none.
    case noEntry
    /// It is older than the policy allows, or comes from the future: a clock was moved back; its age is below zero
    /// then.
    case expired(age: Duration)
    /// It was stored under another ``CachePolicy/version``.
    case versionMismatch
    /// It was stored for another ``CachePolicy/scope``.
    case scopeMismatch
    /// It was stored by another version of the app.
    case appVersionMismatch
    /// The policy of the endpoint allows none: it is ``CachePolicy/never``, or its lifetime is zero or less.
    case invalidLifetime
    /// What is stored of its status, header fields and circumstances is damaged; it has been removed.
    case corruptHead
    /// Its body is damaged; it has been removed.
    case corruptBody
    /// Another version of this library stored it, in a way that this one does not know.
    case otherFormat
    /// It cannot be read: the system refused it.
    case unreadable
    /// The endpoint does not accept it, or cannot decode it.
    case notAccepted
    /// No answer to this request can be stored: it is a HEAD or range request, its body is a file or a stream, or the
    /// body of its response does not go into memory.
    case notCacheable
    /// The client has no cache.
    case noCache
}

extension CacheMiss: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .noEntry: "no answer is stored"
        case .expired(let age) where age < .zero: "the stored answer comes from the future"
        case .expired(let age): "the stored answer is \(age.bounded.components.seconds) s old"
        case .versionMismatch: "the stored answer has another version"
        case .scopeMismatch: "the stored answer is for another scope"
        case .appVersionMismatch: "the stored answer is from another version of the app"
        case .invalidLifetime: "the endpoint allows no stored answer"
        case .corruptHead: "the head of the stored answer is damaged"
        case .corruptBody: "the body of the stored answer is damaged"
        case .otherFormat: "the stored answer has another format"
        case .unreadable: "the stored answer cannot be read"
        case .notAccepted: "the stored answer is not one that the endpoint accepts"
        case .notCacheable: "an answer to such a request cannot be stored"
        case .noCache: "the client has no cache"
        }
    }
}
