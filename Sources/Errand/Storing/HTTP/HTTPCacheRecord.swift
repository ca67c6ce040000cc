public import struct Foundation.Date

/// What is known of a stored response by the rules of HTTP, besides what it says itself; kept with its entry.
///
/// Of a URL whose responses differ by fields of the request, the entry of the URL lists them, and each is an entry of
/// its own.
public struct HTTPCacheRecord: Sendable, Hashable, Codable {
    /// When the response came; ``CacheEntry/storedAt`` is when it was asked for.
    public var respondedAt: Date
    /// The fields of the request that the response depends on.
    public var nominated: [NominatedField]
    /// The responses that are stored for the URL, the newest first; empty where the entry is one itself.
    public var variants: [Variant]
    /// The values of `No-Vary-Search` by which responses are stored that belong to several URLs with the same path.
    public var searches: [String]

    /// One of several responses that are stored for a URL.
    public struct Variant: Sendable, Hashable, Codable {
        /// The fields of the request that the response depends on.
        public let nominated: [NominatedField]
        /// Its entity tag.
        public let tag: String?
        /// When it was last modified, as it says that itself.
        public let modified: String?

        /// Creates a variant.
        public init(nominated: [NominatedField], tag: String?, modified: String?) {
            (self.nominated, self.tag, self.modified) = (nominated, tag, modified)
        }
    }

    /// Creates a record.
    public init(
        respondedAt: Date, nominated: [NominatedField] = [], variants: [Variant] = [], searches: [String] = []
    ) {
        self.searches = searches
        self.respondedAt = respondedAt
        self.nominated = nominated
        self.variants = variants
    }
}

extension CacheItem {
    /// What a stored response is by the rules of HTTP.
    public struct HTTPItem: Sendable, Hashable {
        /// When it becomes stale; `nil` of an entry that lists others.
        public let freshUntil: Date?
        /// Its entity tag.
        public let tag: String?
        /// When it was last modified, as it says that itself.
        public let modified: String?
        /// The fields of the request that it depends on.
        public let nominated: [NominatedField]
        /// How many responses the entry lists.
        public let variants: Int

        init(_ head: HTTPResponseHead, storedAt: Date, _ record: HTTPCacheRecord) {
            let isList = !record.variants.isEmpty || !record.searches.isEmpty
            let stored = StoredHead(head: head, requestedAt: storedAt, respondedAt: record.respondedAt)
            let left = stored.freshness(at: record.respondedAt).timeToLive
            self.freshUntil = isList ? nil : record.respondedAt.addingTimeInterval(left)
            self.tag = EntityTag.tag(of: head.headers)
            self.modified = head.headers[HTTPFieldName.lastModified]
            self.nominated = record.nominated
            self.variants = record.variants.count
        }
    }
}

extension CacheKey {
    /// Creates the key of what is stored for a URL by the rules of HTTP, for one who asks.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - identity: The fields that say who asks; see ``HTTPFields/identity(_:_:)``.
    ///   - endpoint: The name of the endpoint's type; makes no difference.
    ///   - partition: What tells responses apart besides the request.
    ///   - isForPath: Whether it is for all URLs with the same path.
    init(http url: HTTPURL, identity: HTTPFields, endpoint: String?, partition: String, isForPath: Bool = false) {
        var text =
            "HTTP \(partition.utf8.count):\(partition)\n\(url.origin)\(isForPath ? "?" + url.path : url.requestTarget)\n"
        for field in identity { text += "\(field.name):\(SHA256(of: field.value))\n" }
        self.init(url, endpoint, text)
    }

    /// The key of the values of `No-Vary-Search` of what is stored for a path.
    func searches() -> CacheKey { self.derived("searches") }

    /// The key of what is stored for URLs with a path whose queries make no difference.
    func search(_ rule: String, _ query: String) -> CacheKey { self.derived("\(rule.utf8.count):\(rule) \(query)") }

    private func derived(_ text: String) -> CacheKey {
        CacheKey(self.url, self.endpoint, "\(self.digest) \(text)")
    }

    /// The key of one of several responses for the same URL.
    func variant(_ nominated: [NominatedField]) -> CacheKey {
        let fields = nominated.map { "\($0.name)\(SHA256(of: $0.value.map { "=\($0)" } ?? ""))" }
        return self.derived("variant \(fields.joined(separator: " "))")
    }
}
