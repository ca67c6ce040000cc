/// The part of a body that a request asks for, if the representation has not changed.
struct RangeRequest: Sendable, Hashable {
    /// The position of the first byte.
    let first: Int64
    /// The position after the last byte; `nil` for the end of the body.
    let end: Int64?
    /// The representation of the part; `nil` if no bytes are present and any is acceptable.
    let representation: BodyRepresentation?
    /// The size of the representation, if known.
    let total: Int64?

    /// The meaning of a response for a partial download.
    enum Verdict: Sendable, Hashable {
        /// The whole body from its first byte.
        ///
        /// Without a representation, no part of it can be kept.
        case whole(BodyRepresentation?, total: Int64?)
        /// The beginning of a body of which no bytes are present.
        case beginning(BodyRepresentation, ContentRange)
        /// The requested bytes, or the first of them.
        case part(ContentRange)
        /// No bytes, because the body of this size is complete (RFC 9110 §15.5.17).
        case complete(Int64)
        /// Other bytes than requested, which must not be joined with the present ones.
        case contradiction
        /// Not a response with the body, for example an error or a redirect.
        case other
    }

    /// The value of `Range` (RFC 9110 §14.2).
    var value: String {
        guard let end, end != self.total else { return "bytes=\(self.first)-" }
        return "bytes=\(self.first)-\(end - 1)"
    }

    /// Adds `Range` and `If-Range` to a request (RFC 9110 §14.2, §13.1.5).
    func add(to request: inout HTTPRequest) {
        request.headers[HTTPField.Name.range] = self.value
        if let representation { request.headers[HTTPField.Name.ifRange] = representation.validator.ifRange }
    }

    /// Returns the meaning of a response, from its head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - url: The URL of the response; see ``HTTPRequest/target``.
    ///   - asked: The requested part; `nil` for the whole body.
    /// - Returns: The verdict.
    static func verdict(
        on head: HTTPResponse.Head, from url: HTTPURL, askedFor asked: RangeRequest?
    ) -> Verdict {
        switch head.status.code {
        case 200:
            return .whole(head.representation(from: url), total: head.isCoded ? nil : head.contentLength)
        case 206: return asked?.verdict(onPart: head, from: url) ?? .contradiction
        case 416: return asked.map { $0.verdict(onUnsatisfied: head, from: url) } ?? .other
        case 412 where asked != nil: return .contradiction
        default: return .other
        }
    }

    private func verdict(onPart head: HTTPResponse.Head, from url: HTTPURL) -> Verdict {
        guard let range = self.range(in: head) else { return .contradiction }
        if let representation {
            return representation.agrees(with: head, from: url) ? .part(range) : .contradiction
        }
        let found = head.representation(from: url)
        if range.count == range.total { return .whole(found, total: range.total) }
        return found.map { .beginning($0, range) } ?? .contradiction
    }

    /// Returns the verdict on a 416: if the size of the body equals the present bytes, the body is complete.
    private func verdict(onUnsatisfied head: HTTPResponse.Head, from url: HTTPURL) -> Verdict {
        let total = head.headers[HTTPField.Name.contentRange].flatMap(ContentRange.total(ofUnsatisfied:))
        guard let total, total == self.first, self.total ?? total == total, let representation,
            representation.mayBe(of: head, from: url)
        else { return .contradiction }
        return .complete(total)
    }

    /// Returns the range of a partial response; `nil` unless it is the requested part, or its beginning.
    private func range(in head: HTTPResponse.Head) -> ContentRange? {
        guard !head.isCoded, let range = head.headers[HTTPField.Name.contentRange].flatMap(ContentRange.init),
            range.first == self.first, range.last < self.end ?? .max,
            range.last < self.total ?? .max, range.total == nil || self.total == nil || range.total == self.total,
            head.contentLength.map({ $0 == range.count }) ?? true
        else { return nil }
        return range
    }
}

extension HTTPResponse.Head {
    /// Returns the representation of the body; `nil` if no part of it can be kept.
    fileprivate func representation(from url: HTTPURL) -> BodyRepresentation? {
        // A range is one of the coded content, but the file is written decoded.
        self.isCoded || !self.servesRanges ? nil : BodyRepresentation(self, from: url)
    }

    /// True unless the server declares that it serves no ranges (RFC 9110 §14.3).
    fileprivate var servesRanges: Bool {
        self.headers[HTTPField.Name.acceptRanges].map { $0.asciiLowercased() != "none" } ?? true
    }

    fileprivate var contentLength: Int64? {
        self.headers[HTTPField.Name.contentLength].flatMap { Int64($0) }
    }
}
