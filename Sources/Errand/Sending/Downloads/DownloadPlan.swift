internal import ErrandMachines

/// The requests of a download, round by round, until the body is complete or no progress is made.
///
/// A round is one request, or several at once, each for a segment. Until a response has shown that the server serves
/// ranges of this body, a round is one request for at most the smallest segment: if the response is the whole body, the
/// download is an ordinary one.
struct DownloadPlan: Sendable {
    /// The outcome of a round.
    enum Outcome: Sendable, Hashable {
        /// The server contradicted the requests: all pieces were discarded.
        case contradiction
        /// Bytes may have been received.
        ///
        /// - Parameters:
        ///   - isPart: True if a response was a requested part.
        ///   - refused: The number of responses without any of the body.
        case bytes(isPart: Bool, refused: Int)
    }

    /// The least size of a segment in bytes.
    static let smallestSegment: Int64 = 1 << 20
    /// The maximum number of restarts because the server contradicted itself.
    private static let restartLimit = 2

    /// The maximum number of rounds in a row with almost no progress.
    static let trickleLimit = 16

    /// The maximum number of requests in a round.
    private var width: Int
    private var restarts = 0
    /// True if the server has responded with a range.
    private var servesRanges = false
    /// The missing bytes before the round.
    private var last: MissingBytes?
    private var trickle = TrickleCounter(limit: Self.trickleLimit)
    /// True if the download was given up because rounds made almost no progress.
    private(set) var isTrickle = false

    /// Creates a plan.
    ///
    /// - Parameter segments: The maximum number of requests at once.
    init(segments: Int) {
        self.width = segments
    }

    /// Returns the requests of the first round.
    ///
    /// - Parameter missing: The missing bytes; `nil` if no bytes are present.
    /// - Returns: The requests; an empty list for one request for the whole body.
    mutating func begin(_ missing: MissingBytes?) -> [RangeRequest] {
        self.last = missing
        guard self.width > 1 else { return missing.map { [$0.request()] } ?? [] }
        guard let missing else {
            let end = Self.smallestSegment
            return [RangeRequest(first: 0, end: end, representation: nil, total: nil)]
        }
        guard self.servesRanges else { return [missing.request(upTo: Self.smallestSegment)] }
        return missing.requests(upTo: self.width, ofAtLeast: Self.smallestSegment)
    }

    /// Returns the requests of the next round.
    ///
    /// - Parameters:
    ///   - missing: The missing bytes now; `nil` if no bytes are present.
    ///   - outcome: The outcome of the last round.
    /// - Returns: The requests, or `nil` to give up.
    mutating func next(_ missing: MissingBytes?, after outcome: Outcome) -> [RangeRequest]? {
        let last = self.last
        switch outcome {
        case .contradiction:
            // From now on, the whole body is requested at once, because the server's ranges are unreliable.
            self.width = 1
        case .bytes(let isPart, let refused):
            if isPart { self.servesRanges = true }
            // Servers may refuse too many connections.
            self.width = max(1, self.width - refused)
        }
        if outcome == .contradiction || last != nil && missing?.representation != last?.representation {
            // The download starts again, which is limited.
            self.restarts += 1
            guard self.restarts <= Self.restartLimit, outcome == .contradiction || missing != nil else { return nil }
        } else {
            // A round without progress is not repeated.
            let held = last?.held ?? 0
            guard let missing, missing.held > held else { return nil }
            self.isTrickle = !self.trickle.note(missing.held - held)
            guard !self.isTrickle else { return nil }
        }
        return self.begin(missing)
    }
}
