extension TestClock {
    /// A point in the time of a test clock: its offset from the clock's start.
    ///
    /// The clock goes up to `Int64.max` seconds, some hundred thousand million years; later instants saturate.
    public struct Instant: InstantProtocol {
        /// The unit of time between instants.
        public typealias Duration = Swift.Duration

        /// The instant at which every test clock starts.
        public static let zero = Instant(offset: .zero)

        /// The time between the clock's start and this instant.
        public let offset: Duration

        /// The latest instant of the clock.
        static let latest = Instant(offset: .seconds(Int64.max))

        /// Creates the instant at an offset from the clock's start.
        public init(offset: Duration) {
            self.offset = min(max(offset, .seconds(Int64.min)), .seconds(Int64.max))
        }

        /// Returns the instant that is a duration later.
        public func advanced(by duration: Duration) -> Instant {
            // Both are too small for the sum to overflow.
            Instant(offset: self.offset + Instant(offset: duration).offset)
        }

        /// Returns the time from this instant to another; negative if the other is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - self.offset
        }

        /// Returns whether one instant is earlier than another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }
}

extension TestClock.Instant: CustomStringConvertible {
    /// The offset, as in `1.5 seconds`.
    public var description: String { "\(self.offset)" }
}
