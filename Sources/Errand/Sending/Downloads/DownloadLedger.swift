/// The state of a download, and of the exchanges that are under way for it.
struct DownloadLedger: Sendable {
    /// The decision about an exchange whose head has come.
    enum Note: Sendable, Hashable {
        /// Its file has nothing that is to outlive it.
        case useless
        /// Its file has bytes that belong to the download.
        case piece
        /// It is of no use, and is to end.
        case end
    }

    /// The digest of what is downloaded.
    let url: String
    var record: PartialDownload.Record?
    /// The server has contradicted what the exchanges under way ask for.
    private(set) var isContradicted = false
    /// One of them has brought a part that was asked for.
    private(set) var hasPart = false
    /// What they ask for; nothing where that is all of the body.
    private var asked: [RangeRequest] = []
    /// The `Range` of those whose responses bring bytes that are kept; `nil` for that of all of the body.
    private var answered: Set<String?> = []
    /// What their responses are, by the piece that their body goes into.
    private var verdicts: [String: RangeRequest.Verdict] = [:]
    /// The number of bytes that were there before them.
    private var held: Int64 = 0
    /// The number of bytes each has brought, by the position of the first.
    private var counts: [Int64: Int64] = [:]

    init(url: String, record: PartialDownload.Record?) {
        self.url = url
        self.record = record
    }

    /// Notes what is asked for next.
    mutating func begin(_ asked: [RangeRequest], holding held: Int64) {
        self = DownloadLedger(url: self.url, record: self.record)
        (self.asked, self.held) = (asked, held)
    }

    /// Nothing is there any more.
    mutating func clear(isContradicted: Bool = false) {
        self.record = nil
        if isContradicted { self.isContradicted = true }
    }

    // MARK: - Heads

    /// Names a piece in the record, if it belongs to what is there.
    ///
    /// - Parameters:
    ///   - head: The head of the response whose body goes into the piece.
    ///   - url: Where it came from.
    ///   - name: The name of the piece.
    ///   - range: The `Range` of its request.
    /// - Returns: What becomes of it.
    mutating func note(_ head: HTTPResponse.Head, from url: HTTPURL, of name: String, askedFor range: String?) -> Note {
        let asked = self.asked.first { $0.value == range }
        var verdict = RangeRequest.verdict(on: head, from: url, askedFor: asked)
        // Of several requests each wants its part, and nothing else.
        if self.asked.count > 1, case .whole = verdict { verdict = .contradiction }
        verdict = self.place(name, verdict, head, askedFor: asked)
        self.verdicts[name] = verdict
        switch verdict {
        case .complete: return .useless
        case .part, .beginning:
            self.hasPart = true
            self.answered.insert(range)
            return .piece
        case .whole(_?, _):
            self.answered.insert(range)
            return .piece
        case .whole(nil, _), .other: return .useless
        case .contradiction:
            guard self.asked.count > 1 else { return .useless }
            self.isContradicted = true
            return .end
        }
    }

    private mutating func place(
        _ name: String, _ found: RangeRequest.Verdict, _ head: HTTPResponse.Head, askedFor asked: RangeRequest?
    ) -> RangeRequest.Verdict {
        switch found {
        case .part(let range):
            // Another exchange may have brought another representation meanwhile.
            guard self.record?.representation == asked?.representation else { return .contradiction }
            if let total = range.total { self.record?.total = total }
            self.record?.pieces.append(.init(name: name, first: range.first, end: range.last + 1))
            return found
        case .beginning(let representation, let range):
            return self.place(name, endingAt: range.last + 1, of: range.total, representation, head) == nil
                ? .contradiction : found
        case .whole(let representation?, let total):
            guard let total = self.place(name, endingAt: total, of: total, representation, head) else {
                return .contradiction
            }
            return .whole(representation, total: total)
        case .complete(let total):
            guard self.record?.representation == asked?.representation else { return .contradiction }
            self.record?.total = total
            return found
        case .whole(nil, _), .contradiction, .other: return found
        }
    }

    /// Names a piece that begins with the first byte: of what is there, or of another body that takes its place.
    ///
    /// - Returns: How many bytes the body has, as far as that is known; `nil` where that contradicts what is there.
    private mutating func place(
        _ name: String, endingAt end: Int64?, of total: Int64?, _ representation: BodyRepresentation,
        _ head: HTTPResponse.Head
    ) -> Int64?? {
        guard var record = self.record, record.representation == representation else {
            self.record = PartialDownload.Record(
                url: self.url, representation: representation, total: total,
                pieces: [.init(name: name, first: 0, end: end)], fields: head.fieldsOfWhole)
            return .some(total)
        }
        // The same once more, from its beginning: what is there may be more of it.
        guard total == record.total || total == nil || record.total == nil else { return nil }
        record.total = record.total ?? total
        record.pieces.append(.init(name: name, first: 0, end: end ?? record.total))
        self.record = record
        return .some(record.total)
    }

    /// Tells whether the response to a request with this `Range`, or to one without, brings bytes that are kept.
    func isAnswered(_ range: String?) -> Bool { self.answered.contains(range) }

    // MARK: - Bodies

    /// What the response is whose body went into a piece.
    func verdict(on name: String) -> RangeRequest.Verdict? { self.verdicts[name] }

    /// How far the download is when so much of a piece has come: with what was there before, and with all pieces.
    mutating func progress(_ progress: TransferProgress, of name: String) -> TransferProgress {
        let range: ContentRange
        switch self.verdicts[name] {
        case .part(let part), .beginning(_, let part): range = part
        case .whole, .complete, .contradiction, .other, nil: return progress
        }
        self.counts[range.first] = progress.bytes
        let count = self.counts.values.reduce(self.held, +)
        let total = range.total ?? self.record?.total
        return TransferProgress(bytes: min(count, total ?? .max), total: total)
    }
}
