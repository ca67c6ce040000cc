internal import ErrandLocks

public import struct Foundation.Date

/// A cache of responses for later requests.
///
/// Errand decides itself which responses are stored, and whether a cached response is fresh enough and meant for the
/// requester. Any number of tasks may call the cache concurrently. A custom cache has four methods to implement; the
/// test library has a suite that checks conformance.
public protocol ResponseCache: Sendable {
    /// Returns the entry stored for a key, whatever its age, up to a maximum age that the cache may have.
    ///
    /// A cancelled task stops waiting, and the returned entry is then discarded.
    ///
    /// - Throws: ``CacheMiss`` if there is no entry, or if it is damaged.
    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry
    /// Stores an entry, replacing the existing one.
    ///
    /// From then on, lookups must return this entry or none. An existing entry that was requested later stays; see
    /// ``CacheEntry/replaces(entryStoredAt:)``. The new entry may have the same body with other metadata, for example
    /// after a validation.
    func store(_ entry: CacheEntry, for key: CacheKey) async
    /// Removes the entry of a key, if there is one.
    ///
    /// - Throws: ``ErrandError`` if it could not be removed. It may then still be returned.
    func remove(_ key: CacheKey) async throws(ErrandError)
    /// Removes all entries that satisfy a predicate.
    ///
    /// - Returns: The number of removed entries.
    /// - Throws: ``ErrandError`` if one of them could not be removed, after all others have been.
    @discardableResult
    func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async throws(ErrandError) -> Int

    /// A Boolean value that indicates whether a cancelled task never waits for this cache.
    ///
    /// If it does, requests need no task of their own for a call. Defaults to `false`.
    var respondsToCancellation: Bool { get }
    /// Returns the entry stored for a key if it is available without suspending, such as in memory.
    ///
    /// Returns `nil` if ``entry(for:)`` must be called. Always returns `nil` by default.
    func entryWithoutSuspending(for key: CacheKey) -> CacheEntry?
    /// Returns the number of times the entry of a key was removed explicitly from this cache, or may have been.
    ///
    /// Each removal must be counted before it begins. A response that was requested before the number increased is not
    /// stored afterwards, whichever client removed the entry. Returns 0 by default.
    func removals(of key: CacheKey) -> Int
    /// Returns summaries of all entries, in no particular order.
    ///
    /// Implemented by default with a ``remove(where:)`` that removes no entries.
    func summaries() async -> [CacheEntry.Summary]
    /// The number and size of the cached entries; `nil` if the cache does not know.
    var usage: CacheEntry.Totals? { get async }
    /// Returns a description of a problem with the storage, each problem once, or `nil` if there is no new one.
    ///
    /// Requests proceed without the cache then, and one of them reports the notice to its accessories.
    func takeNotice() async -> String?
}

extension ResponseCache {
    /// Defaults to `nil`.
    public var usage: CacheEntry.Totals? { nil }

    /// Returns `nil`.
    public func takeNotice() -> String? { nil }

    /// Defaults to `false`.
    public var respondsToCancellation: Bool { false }

    /// Returns `nil`.
    public func entryWithoutSuspending(for key: CacheKey) -> CacheEntry? { nil }

    /// Returns 0.
    public func removals(of key: CacheKey) -> Int { 0 }

    /// Returns summaries of all entries, in no particular order, using a predicate that collects them and removes none.
    public func summaries() async -> [CacheEntry.Summary] {
        let items = Locked<[CacheEntry.Summary]>([])
        _ = try? await self.remove { item in
            items.withLock { $0.append(item) }
            return false
        }
        return items.withLock { $0 }
    }

    /// Removes all entries.
    ///
    /// - Throws: ``ErrandError`` if one of them could not be removed.
    public func removeAll() async throws(ErrandError) {
        try await self.remove { _ in true }
    }
}

/// A cached response with its metadata.
public final class CacheEntry: Sendable {
    /// The response, with its body in memory.
    public let response: HTTPResponse
    /// The time at which the response was stored.
    ///
    /// For entries stored by requests, the time of the request.
    public let storedAt: Date
    /// The time at which the response arrived, for entries stored by requests.
    ///
    /// Not stored persistently.
    public let receivedAt: Date?
    /// The ``CachePolicy/version`` it was stored under.
    public let version: Int
    /// The scope it was stored for.
    public let scope: CacheEntry.Scope?
    /// The version of the app that stored it, if known.
    public let appVersion: String?
    /// The tag of the request.
    public let tag: String?
    /// The redacted URL of the response, if redirections or interceptors led to another URL than the request's own.
    public let url: HTTPURL?
    /// The number of redirections followed.
    public let redirects: Int
    /// The HTTP caching metadata, if the response was stored by the rules of HTTP.
    public let http: CacheEntry.HTTPRecord?

    /// Creates an entry.
    public init(
        response: HTTPResponse, storedAt: Date, receivedAt: Date? = nil, version: Int = 0,
        scope: CacheEntry.Scope? = nil,
        appVersion: String? = nil, tag: String? = nil, url: HTTPURL? = nil, redirects: Int = 0,
        http: CacheEntry.HTTPRecord? = nil
    ) {
        self.response = response
        self.storedAt = storedAt
        self.receivedAt = receivedAt
        self.version = version
        self.scope = scope
        self.appVersion = appVersion
        self.tag = tag
        self.url = url
        self.redirects = redirects
        self.http = http
    }

    /// Returns a copy with other parts.
    func with(
        _ response: HTTPResponse? = nil, receivedAt: Date?, scope: CacheEntry.Scope?, http: CacheEntry.HTTPRecord?
    ) -> CacheEntry {
        CacheEntry(
            response: response ?? self.response, storedAt: self.storedAt, receivedAt: receivedAt, version: self.version,
            scope: scope, appVersion: self.appVersion, tag: self.tag, url: self.url, redirects: self.redirects,
            http: http)
    }

    /// Returns a Boolean value that indicates whether this entry replaces another entry of its key.
    ///
    /// An entry does not replace one that was requested later: of two concurrent requests, the one sent first may be
    /// answered last. An entry without ``receivedAt`` replaces any other, and every entry replaces one with a date in
    /// the future, which results from a clock that was set back.
    ///
    /// - Parameter date: The ``storedAt`` of the existing entry.
    /// - Returns: `true` if this entry replaces it.
    public func replaces(entryStoredAt date: Date) -> Bool {
        guard let receivedAt else { return true }
        return !(date > self.storedAt && date <= receivedAt)
    }
}

extension CacheEntry: CustomStringConvertible {
    /// The response, and the time at which it was stored.
    public var description: String { "\(self.response), stored at \(self.storedAt)" }
}

extension CacheEntry {
    /// A summary of a cached response without its content.
    public struct Summary: Sendable, Hashable {
        /// The method of the request.
        public let method: HTTPMethod
        /// The URL without secrets; see ``HTTPURL/redacted``.
        public let url: String
        /// The host, without a port.
        public let host: String
        /// The tag of the request.
        public let tag: String?
        /// The status of the response.
        public let status: HTTPStatus
        /// The time at which the response was stored.
        public let storedAt: Date
        /// The size of the entry in bytes, including its metadata.
        public let size: Int
        /// The HTTP caching metadata, if the response was stored by the rules of HTTP.
        public let http: HTTPSummary?

        /// Creates a summary.
        public init(
            method: HTTPMethod, url: String, host: String, tag: String?, status: HTTPStatus, storedAt: Date, size: Int,
            http: HTTPSummary? = nil
        ) {
            self.http = http
            self.method = method
            self.url = url
            self.host = host
            self.tag = tag
            self.status = status
            self.storedAt = storedAt
            self.size = size
        }

        /// Creates the summary of an entry.
        public init(_ entry: CacheEntry, for key: CacheKey, size: Int) {
            self.init(entry, key.method, url: key.url.redacted, host: key.url.host, size: size)
        }

        init(_ entry: CacheEntry, _ method: HTTPMethod, url: String, host: String, size: Int) {
            self.init(
                method: method, url: url, host: host, tag: entry.tag, status: entry.response.status,
                storedAt: entry.storedAt, size: size,
                http: entry.http.map { HTTPSummary(entry.response.head, storedAt: entry.storedAt, $0) })
        }
    }
}

extension CacheEntry {
    /// The totals of a cache: contents, evictions, and corruptions.
    public struct Totals: Sendable, Hashable {
        /// The number of entries.
        public var entries: Int
        /// The size of the entries in bytes.
        public var bytes: Int
        /// The number of entries that were removed to make room or because of their age.
        public var evictions: Int
        /// The number of damaged entries that were found and removed.
        public var corruptions: Int

        /// Creates totals.
        public init(entries: Int = 0, bytes: Int = 0, evictions: Int = 0, corruptions: Int = 0) {
            self.entries = entries
            self.bytes = bytes
            self.evictions = evictions
            self.corruptions = corruptions
        }
    }
}
