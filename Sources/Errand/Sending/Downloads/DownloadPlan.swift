internal import ErrandMachines

/// The requests of a download, round by round, until all of the body is there or nothing more comes.
///
/// A round is one request, or several that are sent at once, each for a segment. Until the server has shown in a response
/// that it serves ranges of this body, a round is one request, for no more than a segment may be small: if its response
/// is all of the body after all, the download is an ordinary one.
struct DownloadPlan: Sendable {
    /// The outcome of a round.
    enum Outcome: Sendable, Hashable {
        /// The server has contradicted what was asked for: nothing is there any more.
        case contradiction
        /// Something may have come.
        ///
        /// - Parameters:
        ///   - isPart: Whether a response was a part that was asked for.
        ///   - refused: How many requests were answered with something that is none of the body.
        case bytes(isPart: Bool, refused: Int)
    }

    /// The least size of a segment in bytes.
    static let smallestSegment: Int64 = 1 << 20
    /// The most times that a download begins anew, because the server contradicts what it said before.
    private static let restartLimit = 2

    /// How many rounds in a row may bring next to nothing.
    static let trickleLimit = 16

    /// The most requests of a round.
    private var width: Int
    private var restarts = 0
    /// The server has answered with a range.
    private var servesRanges = false
    /// What was missing before the round.
    private var last: MissingBytes?
    private var trickle = TrickleCounter(limit: Self.trickleLimit)
    /// Whether it was given up because rounds brought next to nothing.
    private(set) var isTrickle = false

    /// Creates a plan.
    ///
    /// - Parameter segments: How many requests are sent at once, at most.
    init(segments: Int) {
        self.width = segments
    }

    /// What the first round asks for.
    ///
    /// - Parameter missing: What is missing; `nil` where nothing is there.
    /// - Returns: The requests; an empty list for one that asks for all of the body.
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

    /// What the next round asks for.
    ///
    /// - Parameters:
    ///   - missing: What is missing now; `nil` where nothing is there.
    ///   - outcome: What has come of the round before.
    /// - Returns: The requests, or `nil` to give up.
    mutating func next(_ missing: MissingBytes?, after outcome: Outcome) -> [RangeRequest]? {
        let last = self.last
        switch outcome {
        case .contradiction:
            // From now on all is asked for at once: whatever the server says of ranges, it is not to be relied on.
            self.width = 1
        case .bytes(let isPart, let refused):
            if isPart { self.servesRanges = true }
            // Servers refuse whom they find to have too many connections.
            self.width = max(1, self.width - refused)
        }
        if outcome == .contradiction || last != nil && missing?.representation != last?.representation {
            // It has begun anew: that may be so once or twice, and not for ever.
            self.restarts += 1
            guard self.restarts <= Self.restartLimit, outcome == .contradiction || missing != nil else { return nil }
        } else {
            // A round that brings nothing is no reason for another one.
            let held = last?.held ?? 0
            guard let missing, missing.held > held else { return nil }
            self.isTrickle = !self.trickle.note(missing.held - held)
            guard !self.isTrickle else { return nil }
        }
        return self.begin(missing)
    }
}
