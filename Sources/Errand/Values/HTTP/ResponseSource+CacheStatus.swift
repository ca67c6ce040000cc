extension ResponseSource {
    /// The decision of the HTTP cache about a request, as the field `Cache-Status` has it (RFC 9211).
    public struct CacheStatus: Sendable, Hashable {
        /// Why a request went to the network (RFC 9211 §2.2).
        public enum Forward: String, Sendable, Hashable, CaseIterable {
            /// The cache was not to be used.
            case bypass
            /// The method is none that a stored response answers.
            case method
            /// Nothing is stored for the URL.
            case uriMiss = "uri-miss"
            /// What is stored for the URL is for requests with other fields.
            case varyMiss = "vary-miss"
            /// The request wants a response that is newer.
            case request
            /// What is stored is stale.
            case stale
            /// The request asks for ranges that what is stored does not answer.
            case partial
        }

        /// Why the request went to the network; `nil` for a hit.
        public var forward: Forward?
        /// The status of the response that the network gave, where it was asked and answered.
        public var forwardStatus: HTTPStatus?
        /// For how long the response is fresh yet; below zero for how long it has been stale, `nil` if it is not stored.
        public var timeToLive: Duration?
        /// Whether the response of the network was stored.
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

        /// Whether the server said that the stored response has not changed, and it was used (RFC 9111 §4.3).
        public var isRevalidated: Bool { self.forwardStatus == .notModified && self.detail == "revalidated" }

        /// Whether the network was not asked.
        public var isHit: Bool { self.forward == nil }
    }
}

extension ResponseSource.CacheStatus: CustomStringConvertible {
    /// A member of the field `Cache-Status`, such as `Errand; hit; ttl=60`; without a detail that is not in ASCII.
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
