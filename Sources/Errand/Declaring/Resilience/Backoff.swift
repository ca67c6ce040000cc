internal import ErrandMachines

/// How long a request waits before it is sent again: longer each time, and by chance, so that callers do not come in step.
///
/// It is a rule for a sequence of durations:
///
/// ```swift
/// let delays = Backoff.standard.delays(using: SystemRandomNumberGenerator()).prefix(3)
/// ```
public struct Backoff: Sendable, Hashable {
    /// The part that chance has in a delay.
    public enum Jitter: Sendable, Hashable {
        /// None: all who failed at once come back at once. For tests.
        case none
        /// Anything from nothing to the bound, which grows by the factor each time.
        case full
        /// Anything from the base to three times the delay before, up to the cap.
        case decorrelated
    }

    let rule: BackoffRule

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - base: The bound of the first delay; less than nothing is nothing.
    ///   - factor: By how much the bound grows each time; less than 1 is 1.
    ///   - cap: The longest delay; less than nothing is nothing.
    ///   - jitter: The part that chance has.
    public init(base: Duration, factor: Double = 2, cap: Duration = .seconds(20), jitter: Jitter = .full) {
        let kind: BackoffRule.Jitter =
            switch jitter {
            case .none: .none
            case .full: .full
            case .decorrelated: .decorrelated
            }
        self.rule = BackoffRule(base: base.bounded, factor: factor, cap: cap.bounded, jitter: kind)
    }

    /// Up to half a second first, then up to twice as long each time, and never longer than 20 seconds.
    public static let standard = Backoff(base: .milliseconds(500))

    /// The same time before each, such as for ``Client/poll(_:waiting:within:options:until:)``.
    public static func every(_ interval: Duration) -> Backoff {
        Backoff(base: interval, factor: 1, cap: interval, jitter: .none)
    }

    /// Returns the delays: a sequence without an end, the same for the same chance.
    public func delays(using generator: some RandomNumberGenerator) -> some Sequence<Duration> {
        BackoffDelays(self.rule, using: generator)
    }
}
