package import struct Foundation.Date

/// Whether a client keeps the cookies that servers set, and sends them back.
public enum CookiePolicy: Sendable {
    /// No cookie is kept, and none is sent but those that a request has in its own `Cookie` field.
    case off
    /// The client keeps cookies in memory for as long as it lives, and shares them with nobody.
    ///
    /// It is for one user, because they cannot be removed. Where users log out, give a ``CookieJar`` as ``store(_:)``.
    case perClient
    /// Cookies are kept in this store, which may be one that other clients use or one that outlives the process.
    case store(any CookieStore)

    /// The store of a client with this policy, if it has one; made anew by each call for ``perClient``.
    package func makeStore(date: @escaping @Sendable () -> Date) -> (any CookieStore)? {
        switch self {
        case .off: nil
        case .perClient: CookieJar(date: date)
        case .store(let store): store
        }
    }
}
