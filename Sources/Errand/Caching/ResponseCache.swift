public import struct Foundation.Date

/// Keeps responses for later requests.
///
/// Errand stores only responses that passed validation, and judges itself whether a stored one is fresh enough. Any
/// number of tasks may call at the same time.
public protocol ResponseCache: Sendable {
    /// Answers the entry stored for a key, however old it is.
    func entry(for key: CacheKey) async -> CacheEntry?
    /// Stores an entry in place of the one that was there.
    func store(_ entry: CacheEntry, for key: CacheKey) async
    /// Removes the entry of a key, if there is one.
    func remove(_ key: CacheKey) async
    /// Removes all entries.
    func removeAll() async
}

/// A stored response and the moment it was stored.
public struct CacheEntry: Sendable {
    /// The response; its body is in memory.
    public var response: HTTPResponse
    /// When it was stored.
    public var storedAt: Date

    /// Creates an entry.
    public init(response: HTTPResponse, storedAt: Date) {
        self.response = response
        self.storedAt = storedAt
    }
}
