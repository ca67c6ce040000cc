/// The missing part of a body of which something is there.
struct MissingBytes: Sendable, Hashable {
    /// Bytes that follow each other.
    struct Gap: Sendable, Hashable {
        /// The position of the first one.
        let first: Int64
        /// The position behind the last one; `nil` where the length of the body is not known.
        let end: Int64?

        /// The number of bytes it has; `nil` where that is not known.
        var count: Int64? { self.end.map { $0 - self.first } }
    }

    /// The representation.
    let representation: BodyRepresentation
    /// The number of bytes it has, where that is known.
    let total: Int64?
    /// The gaps in order; none where all of the body is there.
    let gaps: [Gap]
    /// The number of bytes that are there.
    let there: Int64

    /// Finds the gaps between pieces.
    ///
    /// - Parameters:
    ///   - pieces: Where the bytes are that are there; in order.
    ///   - total: How many bytes the body has, where that is known.
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

    /// The number of bytes that are missing, where the length of the body is known.
    private var count: Int64? {
        guard self.total != nil else { return nil }
        return self.gaps.reduce(0) { $0 + ($1.count ?? 0) }
    }

    /// The number of bytes that are there; without the last one where none is missing, because that is asked for again.
    var held: Int64 { self.gaps.isEmpty ? self.there - 1 : self.there }

    /// What one request asks for: the first gap, or no more than the beginning of it.
    ///
    /// When all bytes are there, the last one is asked for again: the response shows whether they are still the body.
    func request(upTo limit: Int64? = nil) -> RangeRequest {
        let gap = self.gaps.first ?? Gap(first: self.held, end: self.total)
        return self.request(for: gap.beginning(limit))
    }

    /// What several requests ask for that are sent at once: parts of about the same size, none of them small.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - smallest: How many bytes a part has at least, but for the last one of a gap.
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
    /// So many bytes of it, from its first.
    fileprivate func beginning(_ limit: Int64?) -> Self {
        guard let limit, limit < self.count ?? .max else { return self }
        return Self(first: self.first, end: self.first.adding(limit))
    }
}
