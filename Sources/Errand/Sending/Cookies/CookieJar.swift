internal import ErrandLocks

public import struct Foundation.Date

/// Keeps cookies in memory, up to a number of them.
///
/// When there are too many, those that have expired go first, then the ones of a domain that has too many, and then
/// those that went with no request for longest (RFC 6265 §5.3). What came over `http` does not replace or hide what is
/// for `https` only (RFC 6265bis §5.7).
///
/// To keep cookies beyond the life of the process, store ``cookies``, which are `Codable`, and give them to
/// ``restore(_:)`` later. Those without an end are meant for one session; whether to keep them is for the app to say.
public actor CookieJar: CookieStore {
    /// Behind a lock, so that a preview of a request has its cookies without waiting.
    private let table: Locked<CookieTable>
    private let date: @Sendable () -> Date

    /// Creates an empty jar.
    ///
    /// - Parameters:
    ///   - limit: The most cookies to keep.
    ///   - domainLimit: The most cookies to keep of one domain.
    ///   - date: The wall clock.
    public init(
        limit: Int = 3000, domainLimit: Int = 50, date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.table = Locked(CookieTable(limit: limit, domainLimit: domainLimit))
        self.date = date
    }

    // MARK: - What requests and responses do

    /// Returns the cookies that go with a request for a URL, in the order in which they are sent.
    ///
    /// - Complexity: O(*n* log *n*) in the number of cookies of the host and the domains it is in.
    public func cookies(for url: HTTPURL) -> [StoredCookie] {
        let date = self.date()
        return self.table.withLock { $0.cookies(for: url, at: date) }
    }

    /// Takes the cookies that one response has set.
    ///
    /// - Complexity: O(*n*) for each cookie, in the number of all that are kept, when they came over `http` or the jar
    ///   is full; otherwise in the number of those of its domain.
    public func store(_ cookies: [StoredCookie], from url: HTTPURL) {
        let date = self.date()
        self.table.withLock { table in
            for cookie in cookies { table.store(cookie, from: url, at: date) }
        }
    }

    // MARK: - What apps do

    /// All cookies that have not expired, the oldest first.
    public var cookies: [StoredCookie] {
        self.removeExpired()
        return self.table.withLock { $0.cookies }
    }

    /// Takes a cookie of the app's own in place of the one that it replaces.
    public func insert(_ cookie: StoredCookie) {
        let date = self.date()
        self.table.withLock { $0.insert(cookie, at: date) }
    }

    /// Puts cookies that were kept, in the order that ``cookies`` had, in the place of all that are there.
    public func restore(_ cookies: [StoredCookie]) {
        let date = self.date()
        self.table.withLock { table in
            table.removeAll()
            for cookie in cookies { table.insert(cookie, at: date) }
        }
    }

    /// Removes the cookies that have expired; those are never sent, so this only makes room.
    public func removeExpired() {
        let date = self.date()
        self.table.withLock { $0.removeExpired(at: date) }
    }

    /// Removes all cookies.
    public func removeAll() {
        self.table.withLock { $0.removeAll() }
    }

    /// The cookies that would go with a request for a URL; none of them counts as used by that.
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
