extension TestClock {
    /// A point in the time of a test clock: its distance from the clock's start.
    ///
    /// The clock goes up to `Int64.max` seconds, some hundred thousand million years; an instant that would be later is
    /// that one.
    public struct Instant: InstantProtocol {
        /// The unit in which instants are apart.
        public typealias Duration = Swift.Duration

        /// The instant at which every test clock starts.
        public static let zero = Instant(offset: .zero)

        /// The time between the clock's start and this instant.
        public let offset: Duration

        /// The end of the clock's time.
        static let latest = Instant(offset: .seconds(Int64.max))

        /// Creates the instant at a distance from the clock's start.
        public init(offset: Duration) {
            self.offset = min(max(offset, .seconds(Int64.min)), .seconds(Int64.max))
        }

        /// Returns the instant that is a duration later.
        public func advanced(by duration: Duration) -> Instant {
            // Neither is large enough for the sum to overflow.
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
