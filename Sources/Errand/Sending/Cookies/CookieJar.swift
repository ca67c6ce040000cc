internal import ErrandLocks

public import struct Foundation.Date

/// A cookie store in memory, with a limited number of cookies.
///
/// When a limit is exceeded, expired cookies are evicted first, then those of a domain with too many, and then the
/// least recently used (RFC 6265 §5.3). A cookie received over `http` does not replace or hide one that is for `https`
/// only (RFC 6265bis §5.7).
///
/// To keep cookies after the process ends, store ``cookies``, which are `Codable`, and pass them to ``restore(_:)``
/// later. Cookies without an expiry date are meant for one session; the app decides whether to keep them.
public actor CookieJar: CookieStore {
    /// Behind a lock, so that a preview of a request reads cookies without suspending.
    private let table: Locked<CookieTable>
    private let date: @Sendable () -> Date

    /// Creates an empty jar.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of cookies.
    ///   - domainLimit: The maximum number of cookies of one domain.
    ///   - date: The wall clock.
    public init(
        limit: Int = 3000, domainLimit: Int = 50, date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.table = Locked(CookieTable(limit: limit, domainLimit: domainLimit))
        self.date = date
    }

    // MARK: - What requests and responses do

    /// Returns the cookies for a request to a URL, in the order in which they are sent.
    ///
    /// - Complexity: O(*n* log *n*) in the number of cookies of the host and its parent domains.
    public func cookies(for url: HTTPURL) -> [StoredCookie] {
        let date = self.date()
        return self.table.withLock { $0.cookies(for: url, at: date) }
    }

    /// Stores the cookies that a response has set.
    ///
    /// - Complexity: For each cookie, O(*n*) in the number of all stored cookies if it was received over `http` or the
    ///   jar is full; otherwise in the number of cookies of its domain.
    public func store(_ cookies: [StoredCookie], from url: HTTPURL) {
        let date = self.date()
        self.table.withLock { table in
            for cookie in cookies { table.store(cookie, from: url, at: date) }
        }
    }

    // MARK: - What apps do

    /// All cookies that have not expired, oldest first.
    public var cookies: [StoredCookie] {
        self.removeExpired()
        return self.table.withLock { $0.cookies }
    }

    /// Stores a cookie, replacing an existing one.
    public func insert(_ cookie: StoredCookie) {
        let date = self.date()
        self.table.withLock { $0.insert(cookie, at: date) }
    }

    /// Replaces all cookies with saved ones, in the order of ``cookies``.
    public func restore(_ cookies: [StoredCookie]) {
        let date = self.date()
        self.table.withLock { table in
            table.removeAll()
            for cookie in cookies { table.insert(cookie, at: date) }
        }
    }

    /// Removes expired cookies, to free memory; they are never sent.
    public func removeExpired() {
        let date = self.date()
        self.table.withLock { $0.removeExpired(at: date) }
    }

    /// Removes all cookies.
    public func removeAll() {
        self.table.withLock { $0.removeAll() }
    }

    /// Returns the cookies for a request to a URL, without counting them as used.
    nonisolated func preview(for url: HTTPURL) -> [StoredCookie] {
        let date = self.date()
        var table = self.table.withLock { $0 }
        return table.cookies(for: url, at: date)
    }
}

extension CookieJar: CustomReflectable {
    /// A mirror without children.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
