/// The part of a body that a request asks for, if the representation is still the same one.
struct RangeRequest: Sendable, Hashable {
    /// The position of the first byte.
    let first: Int64
    /// The position behind the last byte; `nil` for all that there is.
    let end: Int64?
    /// The representation that the part is of; `nil` where there is nothing yet, and whatever comes is right.
    let representation: BodyRepresentation?
    /// The number of bytes the representation has, where that is known.
    let total: Int64?

    /// The meaning of a response for a download of which a part may be there.
    enum Verdict: Sendable, Hashable {
        /// All of the body, from its first byte. Without a representation no part of it can be kept.
        case whole(BodyRepresentation?, total: Int64?)
        /// The beginning of a body of which nothing is there.
        case beginning(BodyRepresentation, ContentRange)
        /// The bytes that were asked for, or the first of them.
        case part(ContentRange)
        /// Nothing, because all of the body is there, of so many bytes (RFC 9110 §15.5.17).
        case complete(Int64)
        /// Something else than what was asked for: what is there must not be joined with it.
        case contradiction
        /// Nothing of the body, such as an error or a redirection.
        case other
    }

    /// The value of `Range` (RFC 9110 §14.2).
    var value: String {
        guard let end, end != self.total else { return "bytes=\(self.first)-" }
        return "bytes=\(self.first)-\(end - 1)"
    }

    /// Asks for the part: adds `Range` and `If-Range` to a request (RFC 9110 §14.2, §13.1.5).
    func add(to request: inout HTTPRequest) {
        request.headers[HTTPField.Name.range] = self.value
        if let representation { request.headers[HTTPField.Name.ifRange] = representation.validator.ifRange }
    }

    /// Finds out what a response is to a request, by its head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - url: Where it came from; see ``HTTPRequest/target``.
    ///   - asked: What was asked for; `nil` where that was all of the body.
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

    /// A server that has no byte at the position asked for, and as many before it as are there, has no others.
    private func verdict(onUnsatisfied head: HTTPResponse.Head, from url: HTTPURL) -> Verdict {
        let total = head.headers[HTTPField.Name.contentRange].flatMap(ContentRange.total(ofUnsatisfied:))
        guard let total, total == self.first, self.total ?? total == total, let representation,
            representation.mayBe(of: head, from: url)
        else { return .contradiction }
        return .complete(total)
    }

    /// The range of a partial response; `nil` unless it is what was asked for, or its beginning.
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
    /// What its body is a representation of; `nil` where no part of that can be kept.
    fileprivate func representation(from url: HTTPURL) -> BodyRepresentation? {
        // A range is one of the coded content, and a file is written decoded.
        self.isCoded || !self.servesRanges ? nil : BodyRepresentation(self, from: url)
    }

    /// Whether the server does not say that it serves no ranges (RFC 9110 §14.3).
    fileprivate var servesRanges: Bool {
        self.headers[HTTPField.Name.acceptRanges].map { $0.asciiLowercased() != "none" } ?? true
    }

    fileprivate var contentLength: Int64? {
        self.headers[HTTPField.Name.contentLength].flatMap { Int64($0) }
    }
}
