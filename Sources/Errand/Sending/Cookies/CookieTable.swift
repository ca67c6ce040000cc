internal import struct Foundation.Date

/// The cookies of a jar, with selection and eviction (RFC 6265 §5.3, §5.4).
///
/// A value that reads no clock and never exceeds its limits.
struct CookieTable: Sendable {
    private struct Entry {
        let cookie: StoredCookie
        /// A sequence number in the order of storing; a replacing cookie keeps the number of the replaced one.
        let number: UInt64
        /// The sequence number of the last time it was stored or sent.
        var lastUse: UInt64

        /// Returns true if the cookie is sent before another (RFC 6265 §5.4); equally old cookies are sent in the order
        /// of storing.
        func precedes(_ other: Entry) -> Bool {
            let (length, otherLength) = (self.cookie.path.utf8.count, other.cookie.path.utf8.count)
            return length == otherLength ? self.isOlder(than: other) : length > otherLength
        }

        func isOlder(than other: Entry) -> Bool {
            (self.cookie.creationDate, self.number) < (other.cookie.creationDate, other.number)
        }
    }

    let limit: Int
    let domainLimit: Int
    private(set) var count = 0

    private var domains: [String: [Entry]] = [:]
    private var eventCount: UInt64 = 0

    init(limit: Int, domainLimit: Int) {
        self.limit = max(0, limit)
        self.domainLimit = max(0, domainLimit)
    }

    /// All cookies, oldest first.
    var cookies: [StoredCookie] {
        self.domains.values.joined().sorted { $0.isOlder(than: $1) }.map(\.cookie)
    }

    // MARK: - Sending

    /// Returns the cookies for a request, in the order in which they are sent.
    mutating func cookies(for url: HTTPURL, at date: Date) -> [StoredCookie] {
        guard self.count > 0 else { return [] }
        var found: [Entry] = []
        self.eventCount += 1
        for domain in Self.domains(covering: url.host) {
            self.removeExpired(in: domain, at: date)
            guard let entries = self.domains[domain] else { continue }
            for (index, entry) in entries.enumerated() where entry.cookie.matches(url, at: date) {
                found.append(entry)
                self.domains[domain]?[index].lastUse = self.eventCount
            }
        }
        return found.sorted { $0.precedes($1) }.map(\.cookie)
    }

    /// Returns the host and all its suffixes after a dot; each cookie checks whether it matches the host.
    private static func domains(covering host: String) -> [String] {
        guard StoredCookie.isDomain(host) else { return [] }
        let dots = host.utf8.indices.filter { host.utf8[$0] == UInt8(ascii: ".") }
        return [host] + dots.map { String(host[host.utf8.index(after: $0)...]) }
    }

    // MARK: - Storing

    /// Stores a cookie set by a server, unless it would hide one that only a secure origin may change.
    mutating func store(_ cookie: StoredCookie, from url: HTTPURL, at date: Date) {
        guard cookie.isSecure || url.isSecure || !self.hidesSecureCookie(cookie, at: date) else { return }
        self.insert(cookie, at: date)
    }

    /// Stores a cookie, replacing an existing one; an expired cookie only removes that.
    mutating func insert(_ cookie: StoredCookie, at date: Date) {
        self.removeExpired(in: cookie.domain, at: date)
        let old = self.remove(cookie)
        guard !cookie.isExpired(at: date) else { return }
        self.eventCount += 1
        var cookie = cookie
        if let old { cookie.creationDate = old.cookie.creationDate }
        let entry = Entry(cookie: cookie, number: old?.number ?? self.eventCount, lastUse: self.eventCount)
        self.domains[cookie.domain, default: []].append(entry)
        self.count += 1
        self.makeRoom(in: cookie.domain, at: date)
    }

    /// Returns true if a cookie received without TLS would shadow or replace a secure one (RFC 6265bis §5.7).
    ///
    /// Otherwise, an attacker on the network could choose what is sent over `https`.
    private func hidesSecureCookie(_ cookie: StoredCookie, at date: Date) -> Bool {
        self.domains.contains { domain, entries in
            (StoredCookie.domain(domain, covers: cookie.domain) || StoredCookie.domain(cookie.domain, covers: domain))
                && entries.contains { entry in
                    entry.cookie.isSecure && entry.cookie.name.utf8.elementsEqual(cookie.name.utf8)
                        && StoredCookie.path(entry.cookie.path, covers: cookie.path)
                        && !entry.cookie.isExpired(at: date)
                }
        }
    }

    // MARK: - Letting go

    mutating func removeAll() {
        self.domains = [:]
        self.count = 0
    }

    mutating func removeExpired(at date: Date) {
        for domain in Array(self.domains.keys) { self.removeExpired(in: domain, at: date) }
    }

    private mutating func removeExpired(in domain: String, at date: Date) {
        guard self.domains[domain]?.contains(where: { $0.cookie.isExpired(at: date) }) == true else { return }
        self.remove(in: domain) { $0.removeAll { $0.cookie.isExpired(at: date) } }
    }

    /// Removes the cookie that another replaces.
    @discardableResult
    private mutating func remove(_ cookie: StoredCookie) -> Entry? {
        guard let index = self.domains[cookie.domain]?.firstIndex(where: { cookie.replaces($0.cookie) }) else {
            return nil
        }
        return self.remove(in: cookie.domain) { $0.remove(at: index) }
    }

    /// Evicts cookies down to the limits; the domain has no expired ones.
    private mutating func makeRoom(in domain: String, at date: Date) {
        while let entries = self.domains[domain], entries.count > self.domainLimit {
            self.removeLeastUsed(in: domain)
        }
        guard self.count > self.limit else { return }
        self.removeExpired(at: date)
        while self.count > self.limit, let domain = self.leastUsedDomain { self.removeLeastUsed(in: domain) }
    }

    /// The domain of the least recently used cookie.
    private var leastUsedDomain: String? {
        self.domains.min { Self.lastUse($0.value) < Self.lastUse($1.value) }?.key
    }

    private static func lastUse(_ entries: [Entry]) -> UInt64 {
        entries.reduce(.max) { min($0, $1.lastUse) }
    }

    private mutating func removeLeastUsed(in domain: String) {
        self.remove(in: domain) { entries in
            // Cookies used in the same request are equally recent; older ones are evicted first.
            let index = entries.indices.min {
                (entries[$0].lastUse, entries[$0].number) < (entries[$1].lastUse, entries[$1].number)
            }
            if let index { entries.remove(at: index) }
        }
    }

    /// Removes entries of a domain, and the domain if it has none left.
    @discardableResult
    private mutating func remove<Removed>(in domain: String, _ change: (inout [Entry]) -> Removed) -> Removed? {
        guard var entries = self.domains.removeValue(forKey: domain) else { return nil }
        let oldCount = entries.count
        let removed = change(&entries)
        self.count -= oldCount - entries.count
        if !entries.isEmpty { self.domains[domain] = entries }
        return removed
    }
}
