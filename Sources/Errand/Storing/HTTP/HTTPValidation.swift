internal import struct Foundation.Date

/// The validation of a stored response, and what the response to that says about it (RFC 9111 §4.3).
enum HTTPValidation {
    /// The fields of a request that asks whether stored responses may still be used (RFC 9111 §4.3.1).
    ///
    /// - Parameters:
    ///   - stored: The response that would be used.
    ///   - tags: The entity tags of all responses that are stored for the URL.
    /// - Returns: The fields; none where there is nothing to ask by. Servers take lines of some kilobytes.
    static func fields(for stored: HTTPFields?, tags: [String]) -> HTTPFields {
        let own = stored.flatMap { EntityTag.tag(of: $0) }
        // With a tag the server would not look at the date (RFC 9110 §13.2.2).
        if let stored, own == nil {
            return stored[HTTPField.Name.lastModified].map { [HTTPField.Name.ifModifiedSince: $0] } ?? [:]
        }
        var room = 4 << 10
        let all =
            [own].compactMap { $0 }
            + tags.filter { $0 != own }.filter {
                room -= $0.utf8.count
                return room >= 0
            }
        guard !all.isEmpty else { return [:] }
        var fields: HTTPFields = [HTTPField.Name.ifNoneMatch: all.joined(separator: ", ")]
        if let date = stored?[HTTPField.Name.lastModified] { fields[HTTPField.Name.ifModifiedSince] = date }
        return fields
    }

    /// Finds the stored response that a 304 is about (RFC 9111 §4.3.4).
    ///
    /// Where the cache has asked by one tag, a 304 with the weak or strong twin of that is about it: servers compare weakly
    /// (RFC 9110 §13.1.2), and some name the tag of the content before it was coded.
    ///
    /// - Parameters:
    ///   - head: The 304.
    ///   - stored: What the request was about: of each response its tag and its date, the one that would be used first.
    ///   - isAsked: Whether the condition was made of them, and is not the caller's.
    /// - Returns: Its position; `nil` when it is about none of them.
    static func position(
        selectedBy head: HTTPResponse.Head, among stored: [(tag: String?, modified: String?)], isAsked: Bool
    ) -> Int? {
        if let tag = EntityTag.tag(of: head.headers) {
            let isTwin = isAsked && stored.count == 1
            return stored.firstIndex {
                $0.tag.map { EntityTag.match($0, tag, strongly: !isTwin && !EntityTag.isWeak(tag)) } ?? false
            }
        }
        // It need not say which, where there is one. To the caller it is about what the caller has.
        let only = stored.count == 1 && (isAsked || stored[0].tag == nil && stored[0].modified == nil) ? 0 : nil
        guard let date = head.headers[HTTPField.Name.lastModified] else { return only }
        return stored.firstIndex { $0.modified == date } ?? (stored.first?.modified == nil ? only : nil)
    }

    /// What a condition of the caller's says of a fresh response (RFC 9111 §4.3.2); `nil` where there is none.
    ///
    /// - Returns: Whether it has not changed.
    static func isNotModified(_ head: HTTPResponse.Head, for request: HTTPFields, respondedAt: Date) -> Bool? {
        if let asked = request[HTTPField.Name.ifNoneMatch] {
            let tag = EntityTag.tag(of: head.headers)
            return EntityTag.list(asked).contains { one in
                one == "*" || tag.map { EntityTag.match(one, $0, strongly: false) } ?? false
            }
        }
        guard let text = request[HTTPField.Name.ifModifiedSince],
            let asked = HTTPDate.parse(text, now: respondedAt)
        else { return nil }
        let changed = head.headers[HTTPField.Name.lastModified] ?? head.headers[HTTPField.Name.date]
        return (changed.flatMap { HTTPDate.parse($0, now: respondedAt) } ?? respondedAt) <= asked
    }

    /// Fields of a 304 (RFC 9110 §15.4.5); of the others a caller knows already what they say.
    static func notModified(_ head: HTTPResponse.Head) -> HTTPResponse.Head {
        let kept: Set<String> = [
            "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
        ]
        return HTTPResponse.Head(
            status: .notModified, headers: HTTPFields(head.headers.filter { kept.contains($0.name.asciiLowercased()) }))
    }

    /// Tells whether the response to a HEAD is about the response that is stored (RFC 9111 §4.3.5).
    static func agrees(_ stored: HTTPResponse, withHead head: HTTPResponse.Head) -> Bool {
        for name in [HTTPField.Name.etag, HTTPField.Name.lastModified] {
            guard let value = head.headers[name], stored.headers[name]?.isExactly(value) != true else { continue }
            guard name == HTTPField.Name.etag, EntityTag.areTwins(stored.headers[name], value) else { return false }
        }
        guard let length = head.headers[HTTPField.Name.contentLength] else { return true }
        return length == stored.headers[HTTPField.Name.contentLength] ?? "\(stored.data.count)"
    }

    /// The URLs whose stored responses are no longer to be used after a response (RFC 9111 §4.4).
    ///
    /// A redirection that was followed was a response that did not fail, whatever became of the request then.
    static func invalidated(
        by head: HTTPResponse.Head, to request: HTTPRequest, _ origin: HTTPResponse.Origin? = nil
    ) -> [HTTPURL] {
        let target = origin.flatMap { $0.redirects > 0 ? $0.url : nil }
        guard !request.method.isSafe, target != nil || (200..<400).contains(head.status.code) else {
            return []
        }
        return [request.url, target].compactMap(\.self).flatMap { url in
            // Each has one line; what goes beyond that is removed for nothing.
            let others = [HTTPField.Name.location, "Content-Location"].flatMap {
                head.headers.values(for: $0).prefix(4)
            }
            .compactMap { try? url.resolving(received: $0) }.filter { $0.hasSameOrigin(as: url) }
            return [url] + others
        }
    }
}
