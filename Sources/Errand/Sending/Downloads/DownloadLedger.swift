/// The state of a download and of its exchanges in flight.
struct DownloadLedger: Sendable {
    /// The decision about an exchange after its head.
    enum Note: Sendable, Hashable {
        /// The file of the exchange has no bytes to keep.
        case useless
        /// The file of the exchange has bytes of the download.
        case piece
        /// Cancel the exchange.
        case end
    }

    /// The digest of the download's URL.
    let url: String
    var record: PartialDownload.Record?
    /// True if the server contradicted the requests in flight.
    private(set) var isContradicted = false
    /// True if a requested part has been received.
    private(set) var hasPart = false
    /// The requests in flight; empty if the whole body was requested.
    private var asked: [RangeRequest] = []
    /// The `Range` values of requests whose responses are kept; `nil` stands for the whole body.
    private var answered: Set<String?> = []
    /// The verdicts on the responses, by the piece that their body is written to.
    private var verdicts: [String: RangeRequest.Verdict] = [:]
    /// The number of bytes that were present before these requests.
    private var held: Int64 = 0
    /// The number of bytes received, by the position of the first.
    private var counts: [Int64: Int64] = [:]

    init(url: String, record: PartialDownload.Record?) {
        self.url = url
        self.record = record
    }

    /// Records the next requests.
    mutating func begin(_ asked: [RangeRequest], holding held: Int64) {
        self = DownloadLedger(url: self.url, record: self.record)
        (self.asked, self.held) = (asked, held)
    }

    /// Discards all pieces.
    mutating func clear(isContradicted: Bool = false) {
        self.record = nil
        if isContradicted { self.isContradicted = true }
    }

    // MARK: - Heads

    /// Adds a piece to the record, if it belongs to the body.
    ///
    /// - Parameters:
    ///   - head: The head of the response whose body is written to the piece.
    ///   - url: The URL of the response.
    ///   - name: The name of the piece.
    ///   - range: The `Range` of its request.
    /// - Returns: The decision about the exchange.
    mutating func note(_ head: HTTPResponse.Head, from url: HTTPURL, of name: String, askedFor range: String?) -> Note {
        let asked = self.asked.first { $0.value == range }
        var verdict = RangeRequest.verdict(on: head, from: url, askedFor: asked)
        // With several requests, each expects its own part only.
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
            // Another exchange may have received another representation meanwhile.
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

    /// Adds a piece that starts with the first byte: of the current body, or of another one that replaces it.
    ///
    /// - Returns: The size of the body, as far as it is known; `nil` if it contradicts the record.
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
        // The same body from its start: the existing pieces may have more of it.
        guard total == record.total || total == nil || record.total == nil else { return nil }
        record.total = record.total ?? total
        record.pieces.append(.init(name: name, first: 0, end: end ?? record.total))
        self.record = record
        return .some(record.total)
    }

    /// Returns true if the response to a request with this `Range`, or to one without, is kept.
    func isAnswered(_ range: String?) -> Bool { self.answered.contains(range) }

    // MARK: - Bodies

    /// Returns the verdict on the response whose body was written to a piece.
    func verdict(on name: String) -> RangeRequest.Verdict? { self.verdicts[name] }

    /// Returns the progress of the download, with the earlier bytes and all pieces, given that of one piece.
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
