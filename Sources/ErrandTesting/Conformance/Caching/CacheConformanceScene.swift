package import Errand
internal import Foundation

/// A cache, and the operations of a case on it.
struct CacheConformanceScene: Sendable {
    let cache: any ResponseCache
    let caseID: String
    /// The origin of all dates: recent, since a cache may refuse old entries.
    private let date = Date()

    init(cache: any ResponseCache, caseID: String) {
        self.cache = cache
        self.caseID = caseID
    }

    func key(_ name: String) throws(ConformanceFailure) -> CacheKey {
        guard let url = try? HTTPURL("https://cache.test/\(name)"), let key = CacheKey(HTTPRequest(url: url)) else {
            throw self.failure("a key", "none")
        }
        return key
    }

    func entry(
        _ body: Data, status: HTTPStatus = .ok, headers: HTTPFields = [:], storedAt seconds: Double = 0,
        receivedAt received: Double? = nil, version: Int = 0, scope: String? = nil, appVersion: String? = nil,
        tag: String? = nil, url: HTTPURL? = nil, redirects: Int = 0, http: CacheEntry.HTTPRecord? = nil
    ) -> CacheEntry {
        CacheEntry(
            response: HTTPResponse(status: status, headers: headers, body: body), storedAt: self.date + seconds,
            receivedAt: received.map { self.date + $0 }, version: version, scope: scope.map { CacheEntry.Scope($0) },
            appVersion: appVersion, tag: tag, url: url, redirects: redirects, http: http)
    }

    /// Returns the date the given number of seconds after the origin.
    func date(after seconds: Double) -> Date { self.date + seconds }

    func entry(_ body: String) -> CacheEntry { self.entry(Data(body.utf8)) }

    /// Stores an entry, and requires that a lookup returns the same one.
    func check(_ entry: CacheEntry, _ name: String = "a") async throws(ConformanceFailure) {
        await self.cache.store(entry, for: try self.key(name))
        try await self.expect(entry, name)
    }

    func expect(_ entry: CacheEntry, _ name: String) async throws(ConformanceFailure) {
        let key = try self.key(name)
        let found: CacheEntry
        do {
            found = try await self.cache.entry(for: key)
        } catch {
            throw self.failure(entry.words, "that \(error)")
        }
        // An entry available without suspending is the same, or there is none.
        for found in [found, self.cache.entryWithoutSuspending(for: key) ?? found] where !found.isSame(as: entry) {
            throw self.failure(entry.words, found.words)
        }
    }

    func expectNothing(_ name: String) async throws(ConformanceFailure) {
        let key = try self.key(name)
        let found = try? await self.cache.entry(for: key)
        if let found = found ?? self.cache.entryWithoutSuspending(for: key) {
            throw self.failure("nothing", found.words)
        }
    }

    func remove(_ name: String) async throws(ConformanceFailure) {
        let key = try self.key(name)
        do throws(ErrandError) {
            try await self.cache.remove(key)
        } catch {
            throw self.failure("a removal", "\(error)")
        }
    }

    /// Removes the entries that a predicate selects, and requires the given number of removals.
    func expectRemoval(
        of count: Int, where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ConformanceFailure) {
        let actual: Int
        do throws(ErrandError) {
            actual = try await self.cache.remove(where: isChosen)
        } catch {
            throw self.failure("a removal", "\(error)")
        }
        guard count == actual else { throw self.failure("\(count) removed", "\(actual)") }
    }

    func failure(_ expected: String, _ actual: String) -> ConformanceFailure {
        ConformanceFailure(caseID: self.caseID, expected: expected, actual: actual)
    }
}

extension CacheEntry {
    /// Returns whether two entries are equal, byte for byte.
    package func isSame(as other: CacheEntry) -> Bool {
        self.response.status == other.response.status && self.response.headers.isWritten(like: other.response.headers)
            && self.response.data == other.response.data && self.storedAt == other.storedAt
            && self.version == other.version && self.scope == other.scope && self.appVersion == other.appVersion
            && self.tag == other.tag && self.url == other.url && self.redirects == other.redirects
            && self.http == other.http
    }

    fileprivate var words: String {
        let fields = self.response.headers.map { "\($0.name): \($0.value.prefix(40))" }.joined(separator: ", ")
        return "\(self.response.status.code) with \(self.response.data.excerpt) and [\(fields)], stored at "
            + "\(self.storedAt.timeIntervalSinceReferenceDate), version \(self.version), "
            + "app version \(self.appVersion ?? "none"), tag \(self.tag ?? "none"), "
            + "\(self.redirects) redirects to \(self.url?.string ?? "no other URL")"
            + (self.scope == nil ? "" : ", for a scope")
    }
}
