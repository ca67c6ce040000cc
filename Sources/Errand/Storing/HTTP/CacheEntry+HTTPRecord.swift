public import struct Foundation.Date

extension CacheEntry {
    /// HTTP caching metadata of a cached response, stored with its entry.
    ///
    /// If the responses of a URL depend on request fields, the entry of the URL is a list of variants, and each variant
    /// has an entry of its own.
    public struct HTTPRecord: Sendable, Hashable, Codable {
        /// The time at which the response arrived.
        ///
        /// The time of the request is ``CacheEntry/storedAt``.
        public var respondedAt: Date
        /// The request fields that the response depends on.
        public var nominated: [CacheEntry.NominatedField]
        /// The responses stored for the URL, newest first; empty if the entry itself is a response.
        public var variants: [Variant]
        /// The `No-Vary-Search` values of stored responses that belong to several URLs with the same path.
        public var searches: [String]

        /// One of several responses stored for a URL.
        public struct Variant: Sendable, Hashable, Codable {
            /// The request fields that the response depends on.
            public let nominated: [CacheEntry.NominatedField]
            /// The entity tag of the response.
            public let tag: String?
            /// The `Last-Modified` value of the response.
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
    /// A summary of the HTTP caching metadata of a cached response.
    public struct HTTPSummary: Sendable, Hashable {
        /// The time at which the response becomes stale; `nil` for an entry that is a list.
        public let freshUntil: Date?
        /// The entity tag of the response.
        public let tag: String?
        /// The `Last-Modified` value of the response.
        public let modified: String?
        /// The request fields that the response depends on.
        public let nominated: [CacheEntry.NominatedField]
        /// The number of responses that the entry lists.
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
