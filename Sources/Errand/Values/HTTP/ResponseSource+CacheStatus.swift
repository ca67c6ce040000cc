extension ResponseSource {
    /// The decision of the HTTP cache about a request, as in the field `Cache-Status` (RFC 9211).
    public struct CacheStatus: Sendable, Hashable {
        /// The reason for which a request was forwarded to the network (RFC 9211 §2.2).
        public enum Forward: String, Sendable, Hashable, CaseIterable {
            /// The cache was bypassed.
            case bypass
            /// The method cannot be answered with a cached response.
            case method
            /// There is no cached response for the URL.
            case uriMiss = "uri-miss"
            /// The cached responses for the URL are for requests with other fields.
            case varyMiss = "vary-miss"
            /// The request requires a newer response.
            case request
            /// The cached response is stale.
            case stale
            /// The cached response does not cover the requested ranges.
            case partial
        }

        /// The reason for which the request was forwarded to the network; `nil` for a hit.
        public var forward: Forward?
        /// The status of the network's response, if there was one.
        public var forwardStatus: HTTPStatus?
        /// The remaining freshness lifetime; negative for a stale response, and `nil` if it is not stored.
        public var timeToLive: Duration?
        /// A Boolean value that indicates whether the network's response was stored.
        public var isStored: Bool
        /// A detail, such as `revalidated`.
        public var detail: String?

        /// Creates a status.
        public init(
            forward: Forward? = nil, forwardStatus: HTTPStatus? = nil, timeToLive: Duration? = nil,
            isStored: Bool = false,
            detail: String? = nil
        ) {
            self.forward = forward
            self.forwardStatus = forwardStatus
            self.timeToLive = timeToLive
            self.isStored = isStored
            self.detail = detail
        }

        /// A Boolean value that indicates whether the cached response was validated by the server and used (RFC 9111
        /// §4.3).
        public var isRevalidated: Bool { self.forwardStatus == .notModified && self.detail == "revalidated" }

        /// A Boolean value that indicates whether the network was not used.
        public var isHit: Bool { self.forward == nil }
    }
}

extension ResponseSource.CacheStatus: CustomStringConvertible {
    /// A member of the field `Cache-Status`, such as `Errand; hit; ttl=60`; a detail that is not ASCII is omitted.
    public var description: String {
        var text = "Errand"
        if let forward { text += "; fwd=\(forward.rawValue)" } else { text += "; hit" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus.code)" }
        if let timeToLive { text += "; ttl=\(Int((timeToLive.bounded / .seconds(1)).rounded(.down)))" }
        if self.isStored { text += "; stored" }
        if let detail = self.detail.flatMap(StructuredField.text) { text += "; detail=\(detail)" }
        return text
    }
}
