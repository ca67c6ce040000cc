package import struct Foundation.Date

/// The cookie policy of a client.
public enum CookiePolicy: Sendable {
    /// No cookies are stored, and none are sent except those in the `Cookie` field of a request.
    case off
    /// Cookies are stored in memory, for this client only and as long as it exists.
    ///
    /// For a single user, because the cookies cannot be removed. If users can log out, use a ``CookieJar`` with
    /// ``store(_:)``.
    case perClient
    /// Cookies are stored in the given store, which can be shared by clients or outlive the process.
    case store(any CookieStore)

    /// Creates or returns the store of a client with this policy, if any; a new one for each call with ``perClient``.
    package func makeStore(date: @escaping @Sendable () -> Date) -> (any CookieStore)? {
        switch self {
        case .off: nil
        case .perClient: CookieJar(date: date)
        case .store(let store): store
        }
    }
}
