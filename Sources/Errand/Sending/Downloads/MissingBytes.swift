/// The missing parts of a partial body.
struct MissingBytes: Sendable, Hashable {
    /// A range of missing bytes.
    struct Gap: Sendable, Hashable {
        /// The position of the first byte.
        let first: Int64
        /// The position after the last byte; `nil` if the size of the body is unknown.
        let end: Int64?

        /// The number of bytes; `nil` if it is unknown.
        var count: Int64? { self.end.map { $0 - self.first } }
    }

    /// The representation.
    let representation: BodyRepresentation
    /// The size of the body, if known.
    let total: Int64?
    /// The gaps in order; empty if the body is complete.
    let gaps: [Gap]
    /// The number of bytes that are present.
    let there: Int64

    /// Finds the gaps between pieces.
    ///
    /// - Parameters:
    ///   - pieces: The ranges of the present bytes, in order.
    ///   - total: The size of the body, if known.
    ///   - representation: The representation.
    init(between pieces: [Range<Int64>], of total: Int64?, _ representation: BodyRepresentation) {
        (self.representation, self.total) = (representation, total)
        var (gaps, position, there): ([Gap], Int64, Int64) = ([], 0, 0)
        for piece in pieces {
            if piece.lowerBound > position { gaps.append(Gap(first: position, end: piece.lowerBound)) }
            there += max(0, piece.upperBound - max(position, piece.lowerBound))
            position = max(position, piece.upperBound)
        }
        if position < total ?? .max { gaps.append(Gap(first: position, end: total)) }
        (self.gaps, self.there) = (gaps, there)
    }

    /// The number of missing bytes, if the size of the body is known.
    private var count: Int64? {
        guard self.total != nil else { return nil }
        return self.gaps.reduce(0) { $0 + ($1.count ?? 0) }
    }

    /// The number of bytes that are present; less one if none is missing, because the last byte is then requested
    /// again.
    var held: Int64 { self.gaps.isEmpty ? self.there - 1 : self.there }

    /// Returns the range of one request: the first gap, or its beginning up to a limit.
    ///
    /// If all bytes are present, the last one is requested again: the response shows whether the body is still the
    /// same.
    func request(upTo limit: Int64? = nil) -> RangeRequest {
        let gap = self.gaps.first ?? Gap(first: self.held, end: self.total)
        return self.request(for: gap.beginning(limit))
    }

    /// Returns the ranges of several requests at once: parts of about equal size.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of requests.
    ///   - smallest: The minimum size of a part, except for the last one of a gap.
    /// - Returns: The requests.
    func requests(upTo limit: Int, ofAtLeast smallest: Int64) -> [RangeRequest] {
        guard let count = self.count, count > 0 else { return [self.request()] }
        let size = max(smallest, (count - 1) / Int64(limit) + 1)
        var requests: [RangeRequest] = []
        for var gap in self.gaps {
            while requests.count < limit, gap.count.map({ $0 > 0 }) ?? false {
                let part = gap.beginning(size)
                requests.append(self.request(for: part))
                gap = Gap(first: part.end ?? gap.first, end: gap.end)
            }
        }
        return requests
    }

    private func request(for gap: Gap) -> RangeRequest {
        RangeRequest(first: gap.first, end: gap.end, representation: self.representation, total: self.total)
    }
}

extension MissingBytes.Gap {
    /// Returns the first bytes of the gap, up to a limit.
    fileprivate func beginning(_ limit: Int64?) -> Self {
        guard let limit, limit < self.count ?? .max else { return self }
        return Self(first: self.first, end: self.first.adding(limit))
    }
}
