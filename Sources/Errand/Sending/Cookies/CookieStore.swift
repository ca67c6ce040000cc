/// Keeps the cookies of one user: those that servers set, for the requests that they go with.
///
/// Errand reads the `Set-Cookie` fields itself, and hands over only cookies that the host that was asked may set
/// (RFC 6265 §5.3). It writes the `Cookie` field itself, too. In between a store keeps them: in memory as ``CookieJar``
/// does, or in whatever an app has for secrets.
///
/// ## What an implementation promises
///
/// - Any number of tasks may call at the same time. A request whose cookies are asked for after ``store(_:from:)`` has
///   returned gets what was stored.
/// - A cookie takes the place of the one that it replaces (``StoredCookie/replaces(_:)``), and the
///   ``StoredCookie/creationDate`` of that one if it had not expired. One that has expired removes the one that it replaces
///   and is not kept itself: that is how servers take cookies back.
/// - ``cookies(for:)`` answers cookies that go with the request (``StoredCookie/matches(_:at:)``) and no others: those with
///   longer paths first, and of those with equally long paths the older first (RFC 6265 §5.4).
/// - What is kept is bounded. A store may forget a cookie at any time; the ones to forget first have expired, then come
///   those of domains that have too many, and then those that went with no request for longest.
/// - Values are secrets: they are written to no log.
///
/// A store answers soon, since the request waits for it. It has no way to fail: if it cannot read what it keeps, there
/// are no cookies.
public protocol CookieStore: Sendable {
    /// Returns the cookies that go with a request for a URL, in the order in which they are sent.
    func cookies(for url: HTTPURL) async -> [StoredCookie]

    /// Takes the cookies that one response has set, in their order.
    ///
    /// - Parameters:
    ///   - cookies: The cookies; at least one. Later ones replace earlier ones.
    ///   - url: The URL that was asked for, which may be another one than that of the first request, after a redirect.
    func store(_ cookies: [StoredCookie], from url: HTTPURL) async

    /// Forgets all cookies.
    func removeAll() async
}
