/// A timeline of requests, batches and chains, with their phases.
///
/// A ``TimelineAccessory`` records one; ``svg(_:)`` and ``html(_:)`` draw it. It is a value, so later events do not
/// change it. It can be encoded as JSON and drawn later; times are whole nanoseconds there.
public struct Timeline: Sendable, Hashable, Codable {
    /// The spans, in the order in which they started.
    public var spans: [Span]
    /// The number of further spans that were omitted because there were too many.
    public var omitted: Int

    /// Creates a timeline.
    public init(spans: [Span] = [], omitted: Int = 0) {
        self.spans = spans
        self.omitted = omitted
    }

    /// The interval from the first start to the last end; `nil` if there are no spans.
    public var interval: Interval? {
        guard let start = self.spans.map(\.interval.start).min(), let end = self.spans.map(\.interval.end).max()
        else { return nil }
        return Interval(start: start, end: max(start, end))
    }
}

extension Timeline {
    /// A time interval, relative to the creation of the accessory.
    public struct Interval: Sendable, Hashable {
        /// The start of the interval.
        public var start: Duration
        /// The end of the interval.
        public var end: Duration

        /// Creates an interval.
        public init(start: Duration, end: Duration) {
            self.start = start
            self.end = end
        }

        /// The length of the interval.
        public var duration: Duration { self.end - self.start }
    }

    /// A part of the time of a request, by its purpose.
    public struct Phase: Sendable, Hashable, Codable {
        /// The kinds of phases, in the order in which they occur.
        ///
        /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
            /// The cache lookup, including decoding if it found a response.
            case cache
            /// Waiting for a slot.
            case queue
            /// Resolving the host name.
            case lookup
            /// Establishing the connection.
            case connect
            /// The TLS handshake.
            case tls
            /// Sending the request body.
            case send
            /// Waiting for the response after the request was sent.
            case wait
            /// Receiving the response.
            case receive
            /// Checking, decoding and storing the response.
            case process
        }

        /// The kind of the phase.
        public var kind: Kind
        /// The interval of the phase.
        public var interval: Interval
        /// The number of its attempt, from 1.
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

    /// Decodes both times as whole nanoseconds.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.start = .nanoseconds(try values.decode(Int64.self, forKey: .start))
        self.end = .nanoseconds(try values.decode(Int64.self, forKey: .end))
    }

    /// Encodes both times as whole nanoseconds.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(self.start.wholeNanoseconds, forKey: .start)
        try values.encode(self.end.wholeNanoseconds, forKey: .end)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of `Int64`.
    var wholeNanoseconds: Int64 {
        // Within these bounds the arithmetic below cannot overflow.
        let (seconds, attoseconds) = min(max(self, .nanoseconds(Int64.min)), .nanoseconds(Int64.max)).components
        let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard isTooMuch || isStillTooMuch else { return sum }
        return seconds < 0 ? .min : .max
    }
}
