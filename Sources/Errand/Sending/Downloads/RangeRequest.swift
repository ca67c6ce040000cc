/// The part of a body that a request asks for, if the representation is still the same one.
struct RangeRequest: Sendable, Hashable {
    /// The position of the first byte.
    let first: Int64
    /// The representation that the part is of.
    let representation: BodyRepresentation
    /// How many bytes the representation has, where that is known.
    let total: Int64?

    /// What a response is to a download of which a part may be there.
    enum Verdict: Sendable, Hashable {
        /// All of the body, from its first byte. Without a representation no part of it can be kept.
        case whole(BodyRepresentation?, total: Int64?)
        /// The bytes that were asked for, or the first of them.
        case part(ContentRange)
        /// Something else than what was asked for: what is there must not be joined with it.
        case contradiction
        /// Nothing of the body, such as an error or a redirection.
        case other
    }

    /// Asks for the rest: adds `Range` and `If-Range` to a request (RFC 9110 §14.2, §13.1.5).
    func add(to request: inout HTTPRequest) {
        request.headers[HTTPFieldName.range] = "bytes=\(self.first)-"
        request.headers[HTTPFieldName.ifRange] = self.representation.validator.ifRange
    }

    /// Finds out what a response is to a request, by its head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - url: Where it came from.
    ///   - asked: What was asked for; `nil` where that was all of the body.
    /// - Returns: The verdict.
    static func verdict(
        on head: HTTPResponseHead, from url: HTTPURL, askedFor asked: RangeRequest?
    ) -> Verdict {
        switch head.status.code {
        case 200:
            // A range is one of the coded content, and a file is written decoded.
            let representation = head.isCoded || !head.servesRanges ? nil : BodyRepresentation(head, from: url)
            return .whole(representation, total: head.isCoded ? nil : head.contentLength)
        case 206:
            guard let asked, let range = asked.range(in: head, from: url) else { return .contradiction }
            return .part(range)
        case 412 where asked != nil, 416 where asked != nil: return .contradiction
        default: return .other
        }
    }

    /// The range of a partial response; `nil` unless it is what was asked for, or its beginning.
    private func range(in head: HTTPResponseHead, from url: HTTPURL) -> ContentRange? {
        guard !head.isCoded, self.representation.agrees(with: head, from: url),
            let range = head.headers[HTTPFieldName.contentRange].flatMap(ContentRange.init), range.first == self.first,
            let total = range.total, self.total.map({ $0 == total }) ?? true,
            head.contentLength.map({ $0 == range.count }) ?? true
        else { return nil }
        return range
    }
}

extension HTTPResponseHead {
    /// Whether the server does not say that it serves no ranges (RFC 9110 §14.3).
    fileprivate var servesRanges: Bool {
        self.headers[HTTPFieldName.acceptRanges].map { $0.lowercased() != "none" } ?? true
    }

    fileprivate var contentLength: Int64? {
        self.headers[HTTPFieldName.contentLength].flatMap { Int64($0) }
    }
}
