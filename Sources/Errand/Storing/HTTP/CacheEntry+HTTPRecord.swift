public import struct Foundation.Date

extension CacheEntry {
    /// What is known of a stored response by the rules of HTTP, besides what it says itself; kept with its entry.
    ///
    /// Of a URL whose responses differ by fields of the request, the entry of the URL lists them, and each is an entry of
    /// its own.
    public struct HTTPRecord: Sendable, Hashable, Codable {
        /// When the response came; ``CacheEntry/storedAt`` is when it was asked for.
        public var respondedAt: Date
        /// The fields of the request that the response depends on.
        public var nominated: [CacheEntry.NominatedField]
        /// The responses that are stored for the URL, the newest first; empty where the entry is one itself.
        public var variants: [Variant]
        /// The values of `No-Vary-Search` by which responses are stored that belong to several URLs with the same path.
        public var searches: [String]

        /// One of several responses that are stored for a URL.
        public struct Variant: Sendable, Hashable, Codable {
            /// The fields of the request that the response depends on.
            public let nominated: [CacheEntry.NominatedField]
            /// Its entity tag.
            public let tag: String?
            /// When it was last modified, as it says that itself.
            public let modified: String?

            /// Creates a variant.
            public init(nominated: [CacheEntry.NominatedField], tag: String?, modified: String?) {
                (self.nominated, self.tag, self.modified) = (nominated, tag, modified)
            }
        }

        /// Creates a record.
        public init(
            respondedAt: Date, nominated: [CacheEntry.NominatedField] = [], variants: [Variant] = [],
            searches: [String] = []
        ) {
            self.searches = searches
            self.respondedAt = respondedAt
            self.nominated = nominated
            self.variants = variants
        }
    }
}

extension CacheEntry.Summary {
    /// What a stored response is by the rules of HTTP.
    public struct HTTPSummary: Sendable, Hashable {
        /// When it becomes stale; `nil` of an entry that lists others.
        public let freshUntil: Date?
        /// Its entity tag.
        public let tag: String?
        /// When it was last modified, as it says that itself.
        public let modified: String?
        /// The fields of the request that it depends on.
        public let nominated: [CacheEntry.NominatedField]
        /// How many responses the entry lists.
        public let variants: Int

        init(_ head: HTTPResponse.Head, storedAt: Date, _ record: CacheEntry.HTTPRecord) {
            let isList = !record.variants.isEmpty || !record.searches.isEmpty
            let stored = StoredHead(head: head, requestedAt: storedAt, respondedAt: record.respondedAt)
            let left = stored.freshness(at: record.respondedAt).timeToLive
            self.freshUntil = isList ? nil : record.respondedAt.addingTimeInterval(left)
            self.tag = EntityTag.tag(of: head.headers)
            self.modified = head.headers[HTTPField.Name.lastModified]
            self.nominated = record.nominated
            self.variants = record.variants.count
        }
    }
}
