/// Requests whose content is a query, as distinguished by a cache (RFC 10008 §2.7).
extension HTTPRequest {
    /// The digest of the content of a `QUERY` and its describing fields; `nil` for other methods, and if the content is
    /// not in memory.
    var queryDigest: SHA256? {
        guard self.method == .query else { return nil }
        var text: [UInt8] = []
        switch self.body {
        case .none: break
        case .bytes(let data): text += SHA256(of: data).description.utf8
        case .file, .stream: return nil
        }
        for field in self.headers.byName(where: { HTTPFields.describingQueries.contains($0) }) {
            // With lengths, because the values have not been checked for line breaks yet.
            text += "\n\(field.name.utf8.count):\(field.name):\(field.value.utf8.count):\(field.value)".utf8
        }
        return SHA256(of: text)
    }

    /// True if the response may be stored by the rules of HTTP, or may refer to a stored one.
    var mayBeStored: Bool {
        self.method == .get || self.method == .head || self.method == .query && self.uncachedContent == nil
    }

    /// The reason why the content of the request prevents caching, if it does.
    var uncachedContent: CacheReason? {
        switch (self.method, self.body) {
        case (_, .none), (.query, .bytes): nil
        case (.query, .file), (.query, .stream):
            CacheReason("the content of the query is not in memory and cannot be compared", "RFC 10008 §2.7")
        case (_, .bytes), (_, .file), (_, .stream): CacheReason("the request has content", "RFC 9110 §9.3.1")
        }
    }
}

extension HTTPFields {
    /// The fields that describe the content of a query (RFC 9110 §8), in lower case.
    static let describingQueries: Set<String> = ["content-encoding", "content-language", "content-type"]
}
