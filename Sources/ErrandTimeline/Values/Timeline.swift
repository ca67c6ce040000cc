/// What ran when: requests, batches and chains, each with the phases that its time went into.
///
/// A ``TimelineAccessory`` collects one; ``svg(_:)`` and ``html(_:)`` draw it. It is a value: what happens after it was
/// taken does not change it. As JSON it can be kept and drawn later; moments are whole nanoseconds there.
public struct Timeline: Sendable, Hashable, Codable {
    /// What ran, in the order in which it was started.
    public var spans: [Span]
    /// How many more pieces of work were started, and left out because there were too many.
    public var omitted: Int

    /// Creates a timeline.
    public init(spans: [Span] = [], omitted: Int = 0) {
        self.spans = spans
        self.omitted = omitted
    }

    /// From the first start to the last end; `nil` if nothing ran.
    public var interval: Interval? {
        guard let start = self.spans.map(\.interval.start).min(), let end = self.spans.map(\.interval.end).max()
        else { return nil }
        return Interval(start: start, end: max(start, end))
    }
}

extension Timeline {
    /// A stretch of time, counted from when the accessory was made.
    public struct Interval: Sendable, Hashable {
        /// When it began.
        public var start: Duration
        /// When it ended.
        public var end: Duration

        /// Creates an interval.
        public init(start: Duration, end: Duration) {
            self.start = start
            self.end = end
        }

        /// How long it is.
        public var duration: Duration { self.end - self.start }
    }

    /// A stretch of the time of a request, and what it went into.
    public struct Phase: Sendable, Hashable, Codable {
        /// What time goes into, in the order in which that happens.
        ///
        /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
            /// The cache was asked; where it had an answer that was decoded, too.
            case cache
            /// It waited for a slot.
            case queue
            /// The name of the host was resolved.
            case lookup
            /// The connection was made.
            case connect
            /// TLS was agreed on.
            case tls
            /// The body of the request was sent.
            case send
            /// The request was sent, the response had not begun.
            case wait
            /// The response came.
            case receive
            /// The response was checked, decoded and stored.
            case process
        }

        /// What the time went into.
        public var kind: Kind
        /// When.
        public var interval: Interval
        /// The number of the attempt that it belongs to, from 1.
        public var attempt: Int?

        /// Creates a phase.
        public init(_ kind: Kind, _ interval: Interval, attempt: Int? = nil) {
            self.kind = kind
            self.interval = interval
            self.attempt = attempt
        }
    }
}

extension Timeline.Interval: Codable {
    private enum Key: String, CodingKey {
        case start, end
    }

    /// Reads the nanoseconds of both moments.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.start = .nanoseconds(try values.decode(Int64.self, forKey: .start))
        self.end = .nanoseconds(try values.decode(Int64.self, forKey: .end))
    }

    /// Writes both moments as whole nanoseconds.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(self.start.wholeNanoseconds, forKey: .start)
        try values.encode(self.end.wholeNanoseconds, forKey: .end)
    }
}

extension Duration {
    /// The nanoseconds, as many as there can be; Swift counts much further than anything runs.
    var wholeNanoseconds: Int64 {
        // Within these bounds nothing below can be too large.
        let (seconds, attoseconds) = min(max(self, .nanoseconds(Int64.min)), .nanoseconds(Int64.max)).components
        let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard isTooMuch || isStillTooMuch else { return sum }
        return seconds < 0 ? .min : .max
    }
}
