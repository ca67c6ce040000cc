internal import ErrandLocks

public import struct Foundation.Date

/// Keeps responses for later requests.
///
/// Errand stores only responses that were accepted, and judges itself whether a stored one is fresh enough and meant
/// for the one who asks. Any number of tasks may call at the same time. A cache of your own has four things to do; the
/// test library has a suite that checks it.
public protocol ResponseCache: Sendable {
    /// Returns the entry stored for a key, however old it is, but for a bound to that which the cache itself may have.
    ///
    /// Whoever is told to stop does not wait for the response any longer, and it comes to nothing then.
    ///
    /// - Throws: ``CacheMiss``: that there is none, or that it is damaged.
    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry
    /// Stores an entry in place of the one that was there; from now on whoever asks gets this one, or none.
    ///
    /// An entry that was asked for later stays there; see ``CacheEntry/replaces(entryStoredAt:)``. It may have the body of
    /// the one that is there and other metadata, as when a server has validated it.
    func store(_ entry: CacheEntry, for key: CacheKey) async
    /// Removes the entry of a key, if there is one.
    ///
    /// - Throws: ``ErrandError`` when it could not be removed: then it may still be returned.
    func remove(_ key: CacheKey) async throws(ErrandError)
    /// Removes all entries that a function chooses.
    ///
    /// - Returns: How many that were.
    /// - Throws: ``ErrandError`` when one of them could not be removed, after all others were.
    @discardableResult
    func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async throws(ErrandError) -> Int

    /// Whether a cancelled task never waits for this cache, which saves requests a task of their own; `false` without a
    /// property of your own.
    var respondsToCancellation: Bool { get }
    /// Returns the entry stored for a key where it is at hand, such as in memory, so that nobody has to wait for it;
    /// `nil` without a method of your own, and whenever ``entry(for:)`` is to be asked.
    func entryAtHand(for key: CacheKey) -> CacheEntry?
    /// Returns how often the entry of a key was removed by hand from this cache, or may have been, counted before each
    /// removal begins; without a method of your own, 0.
    ///
    /// A response that was requested before the number went up is not stored after it, whoever removed the entry.
    func removals(of key: CacheKey) -> Int
    /// Returns what is known of all entries, in no order; without a method of your own, by ``remove(where:)`` of none.
    func summaries() async -> [CacheEntry.Summary]
    /// How much is kept; `nil` when the cache does not know.
    var usage: CacheEntry.Totals? { get async }
    /// What is wrong with the place where entries are kept, in words, each thing once; `nil` when there is nothing
    /// new.
    ///
    /// Requests go on without the cache then, and one of them tells its accessories.
    func takeNotice() async -> String?
}

extension ResponseCache {
    /// Nothing.
    public var usage: CacheEntry.Totals? { nil }

    /// Nothing.
    public func takeNotice() -> String? { nil }

    /// No.
    public var respondsToCancellation: Bool { false }

    /// None is.
    public func entryAtHand(for key: CacheKey) -> CacheEntry? { nil }

    /// None is counted.
    public func removals(of key: CacheKey) -> Int { 0 }

    /// What is known of all entries, in no order: asks to remove each, and removes none.
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
    /// - Throws: ``ErrandError`` when one of them could not be removed.
    public func removeAll() async throws(ErrandError) {
        try await self.remove { _ in true }
    }
}

/// A stored response, and the circumstances under which it was stored.
public final class CacheEntry: Sendable {
    /// The response; its body is in memory.
    public let response: HTTPResponse
    /// When it was stored; for what a request stores that is when it was asked for.
    public let storedAt: Date
    /// When it came, if a request stores it, which may be after another that was asked for later; is not kept.
    public let receivedAt: Date?
    /// The ``CachePolicy/version`` it was stored under.
    public let version: Int
    /// Whom it is for.
    public let scope: CacheEntry.Scope?
    /// The version of the app that stored it, where that is known.
    public let appVersion: String?
    /// The tag of the request that it answered.
    public let tag: String?
    /// The URL that answered, where redirections or interceptors led to another than the request's own; without what is
    /// secret in it.
    public let url: HTTPURL?
    /// How many redirections were followed to it.
    public let redirects: Int
    /// What is known of it by the rules of HTTP, if it was stored by those.
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

    /// The same with other parts.
    func with(
        _ response: HTTPResponse? = nil, receivedAt: Date?, scope: CacheEntry.Scope?, http: CacheEntry.HTTPRecord?
    ) -> CacheEntry {
        CacheEntry(
            response: response ?? self.response, storedAt: self.storedAt, receivedAt: receivedAt, version: self.version,
            scope: scope, appVersion: self.appVersion, tag: self.tag, url: self.url, redirects: self.redirects,
            http: http)
    }

    /// Tells whether it is to take the place of another entry of its key: not if that was asked for later.
    ///
    /// Of two requests on their way at once the one that was sent first may be answered last. An entry without
    /// ``receivedAt`` replaces any other, and each replaces one from the future: a clock was moved back.
    ///
    /// - Parameter date: The ``storedAt`` of the one that is there.
    /// - Returns: Whether it is.
    public func replaces(entryStoredAt date: Date) -> Bool {
        guard let receivedAt else { return true }
        return !(date > self.storedAt && date <= receivedAt)
    }
}

extension CacheEntry: CustomStringConvertible {
    /// The response, and when it was stored.
    public var description: String { "\(self.response), stored at \(self.storedAt)" }
}

extension CacheEntry {
    /// What is known of a stored response without its content.
    public struct Summary: Sendable, Hashable {
        /// The method of the request it answered.
        public let method: HTTPMethod
        /// The URL, without what is secret in it; see ``HTTPURL/redacted``.
        public let url: String
        /// The host, without a port.
        public let host: String
        /// The tag of the request.
        public let tag: String?
        /// The status of the response.
        public let status: HTTPStatus
        /// When it was stored.
        public let storedAt: Date
        /// How many bytes it takes, head and all.
        public let size: Int
        /// What it is by the rules of HTTP, if it was stored by those.
        public let http: HTTPSummary?

        /// Creates an item.
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

        /// Creates the item of an entry.
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
    /// How much a cache keeps, and what it had to do to keep it.
    public struct Totals: Sendable, Hashable {
        /// How many entries there are.
        public var entries: Int
        /// How many bytes they take.
        public var bytes: Int
        /// How many entries were removed to make room, or because they had become too old.
        public var evictions: Int
        /// How many damaged entries were found and removed.
        public var corruptions: Int

        /// Creates a usage.
        public init(entries: Int = 0, bytes: Int = 0, evictions: Int = 0, corruptions: Int = 0) {
            self.entries = entries
            self.bytes = bytes
            self.evictions = evictions
            self.corruptions = corruptions
        }
    }
}
