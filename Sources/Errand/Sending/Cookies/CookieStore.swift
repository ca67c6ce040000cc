/// Stores the cookies of one user: those that servers set, for later requests.
///
/// Errand parses the `Set-Cookie` fields, and passes on only cookies that the responding host may set (RFC 6265 §5.3).
/// It also writes the `Cookie` field. A store only keeps the cookies: in memory, as ``CookieJar`` does, or in the app's
/// storage for secrets.
///
/// ## Requirements for implementations
///
/// - Any number of tasks may call at the same time. A request for cookies after ``store(_:from:)`` has returned
///   includes what was stored.
/// - A cookie replaces an existing one (``StoredCookie/replaces(_:)``), and takes over its
///   ``StoredCookie/creationDate`` if that one had not expired. An expired cookie removes the one that it replaces and
///   is not stored itself: servers delete cookies that way.
/// - ``cookies(for:)`` returns only cookies that match the request (``StoredCookie/matches(_:at:)``): longer paths
///   first, and for paths of equal length older cookies first (RFC 6265 §5.4).
/// - The number of cookies is limited. A store may remove a cookie at any time: first expired ones, then those of
///   domains with too many, and then the least recently used.
/// - Values are secrets, and must not be logged.
///
/// A store should return soon, since the request waits for it. It cannot fail: if it cannot read its cookies, it
/// returns none.
public protocol CookieStore: Sendable {
    /// Returns the cookies for a request to a URL, in the order in which they are sent.
    func cookies(for url: HTTPURL) async -> [StoredCookie]

    /// Stores the cookies that a response has set, in their order.
    ///
    /// - Parameters:
    ///   - cookies: The cookies; at least one. Later ones replace earlier ones.
    ///   - url: The URL of the response, which after a redirect differs from that of the first request.
    func store(_ cookies: [StoredCookie], from url: HTTPURL) async

    /// Removes all cookies.
    func removeAll() async
}
