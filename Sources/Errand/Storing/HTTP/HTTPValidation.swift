internal import struct Foundation.Date

/// The validation of a stored response, and the meaning of the response to it (RFC 9111 §4.3).
enum HTTPValidation {
    /// The conditional fields for validating stored responses (RFC 9111 §4.3.1).
    ///
    /// Servers accept lines of a few kilobytes.
    ///
    /// - Parameters:
    ///   - stored: The response that would be used.
    ///   - tags: The entity tags of all responses stored for the URL.
    /// - Returns: The fields; empty if there are no validators.
    static func fields(for stored: HTTPFields?, tags: [String]) -> HTTPFields {
        let own = stored.flatMap { EntityTag.tag(of: $0) }
        // With an entity tag, the server would ignore the date (RFC 9110 §13.2.2).
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

    /// Finds the stored response that a 304 refers to (RFC 9111 §4.3.4).
    ///
    /// If the cache sent a single tag, a 304 with its weak or strong twin refers to it: servers compare weakly (RFC
    /// 9110 §13.1.2), and some send the tag of the content before content coding.
    ///
    /// - Parameters:
    ///   - head: The 304.
    ///   - stored: The tags and dates of the responses in question, beginning with the one that would be used.
    ///   - isAsked: True if the cache made the condition from them, false if it is the caller's.
    /// - Returns: The index of the response; `nil` if the 304 refers to none of them.
    static func position(
        selectedBy head: HTTPResponse.Head, among stored: [(tag: String?, modified: String?)], isAsked: Bool
    ) -> Int? {
        if let tag = EntityTag.tag(of: head.headers) {
            let isTwin = isAsked && stored.count == 1
            return stored.firstIndex {
                $0.tag.map { EntityTag.match($0, tag, strongly: !isTwin && !EntityTag.isWeak(tag)) } ?? false
            }
        }
        // Without validators a 304 refers to the only response, unless the condition was the caller's: it then refers
        // to the caller's copy.
        let only = stored.count == 1 && (isAsked || stored[0].tag == nil && stored[0].modified == nil) ? 0 : nil
        guard let date = head.headers[HTTPField.Name.lastModified] else { return only }
        return stored.firstIndex { $0.modified == date } ?? (stored.first?.modified == nil ? only : nil)
    }

    /// Evaluates the caller's condition for a fresh response (RFC 9111 §4.3.2).
    ///
    /// - Returns: True if the response has not been modified; `nil` if there is no condition.
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

    /// Keeps the fields of a 304 (RFC 9110 §15.4.5).
    ///
    /// The caller already knows the others.
    static func notModified(_ head: HTTPResponse.Head) -> HTTPResponse.Head {
        let kept: Set<String> = [
            "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
        ]
        return HTTPResponse.Head(
            status: .notModified, headers: HTTPFields(head.headers.filter { kept.contains($0.name.asciiLowercased()) }))
    }

    /// Returns true if the response to a HEAD request matches the stored response (RFC 9111 §4.3.5).
    static func agrees(_ stored: HTTPResponse, withHead head: HTTPResponse.Head) -> Bool {
        for name in [HTTPField.Name.etag, HTTPField.Name.lastModified] {
            guard let value = head.headers[name], stored.headers[name]?.isExactly(value) != true else { continue }
            guard name == HTTPField.Name.etag, EntityTag.areTwins(stored.headers[name], value) else { return false }
        }
        guard let length = head.headers[HTTPField.Name.contentLength] else { return true }
        return length == stored.headers[HTTPField.Name.contentLength] ?? "\(stored.data.count)"
    }

    /// The URLs whose stored responses are invalidated by a response (RFC 9111 §4.4).
    ///
    /// A redirection that was followed counts as a non-error response, whatever became of the request afterwards.
    static func invalidated(
        by head: HTTPResponse.Head, to request: HTTPRequest, _ origin: HTTPResponse.Origin? = nil
    ) -> [HTTPURL] {
        let target = origin.flatMap { $0.redirects > 0 ? $0.url : nil }
        guard !request.method.isSafe, target != nil || (200..<400).contains(head.status.code) else {
            return []
        }
        return [request.url, target].compactMap(\.self).flatMap { url in
            // Each of these fields has one line; the limit bounds useless removals.
            let others = [HTTPField.Name.location, "Content-Location"].flatMap {
                head.headers.values(for: $0).prefix(4)
            }
            .compactMap { try? url.resolving(received: $0) }.filter { $0.hasSameOrigin(as: url) }
            return [url] + others
        }
    }
}
