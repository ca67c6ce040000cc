/// Requests whose content is a query, as a cache tells them apart (RFC 10008 §2.7).
extension HTTPRequest {
    /// The digest of the content of a `QUERY` and of the fields that say what it is; `nil` for other methods, and where the
    /// content is not in memory.
    var queryDigest: SHA256? {
        guard self.method == .query else { return nil }
        var text: [UInt8] = []
        switch self.body {
        case .none: break
        case .bytes(let data): text += SHA256(of: data).description.utf8
        case .file, .stream: return nil
        }
        for field in self.headers.byName(where: { HTTPFields.describingQueries.contains($0) }) {
            // With the lengths: nobody has checked yet that there is no line break in them.
            text += "\n\(field.name.utf8.count):\(field.name):\(field.value.utf8.count):\(field.value)".utf8
        }
        return SHA256(of: text)
    }

    /// `true` for a request whose response may be stored by the rules of HTTP, or be about a stored one.
    var mayBeStored: Bool {
        self.method == .get || self.method == .head || self.method == .query && self.uncachedContent == nil
    }

    /// The reason why no cache can use or store a response because of the content of the request, if that is so.
    var uncachedContent: CacheReason? {
        switch (self.method, self.body) {
        case (_, .none), (.query, .bytes): nil
        case (.query, .file), (.query, .stream):
            CacheReason("the content of the query is not in memory, and cannot be compared", "RFC 10008 §2.7")
        case (_, .bytes), (_, .file), (_, .stream): CacheReason("the request has content", "RFC 9110 §9.3.1")
        }
    }
}

extension HTTPFields {
    /// The fields that say how the content of a query is coded (RFC 9110 §8), in lower case.
    static let describingQueries: Set<String> = ["content-encoding", "content-language", "content-type"]
}
