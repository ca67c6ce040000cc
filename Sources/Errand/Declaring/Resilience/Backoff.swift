internal import ErrandMachines

/// Waits before a request is sent again: longer each time, and by chance, so that callers do not come in step.
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

    private let base: Duration
    private let factor: Double
    private let cap: Duration
    private let jitter: Jitter

    /// Creates a rule.
    ///
    /// A client or an outbox with a rule that is not possible fails with ``ErrandError/Code/invalidConfiguration``;
    /// elsewhere what is out of bounds is taken as the bound.
    ///
    /// - Parameters:
    ///   - base: The bound of the first delay; nothing or more.
    ///   - factor: By how much the bound grows each time; 1 or more.
    ///   - cap: The longest delay; nothing or more.
    ///   - jitter: The part that chance has.
    public init(base: Duration, factor: Double = 2, cap: Duration = .seconds(20), jitter: Jitter = .full) {
        (self.base, self.factor, self.cap, self.jitter) = (base.bounded, factor, cap.bounded, jitter)
    }

    var rule: BackoffRule {
        let kind: BackoffRule.Jitter =
            switch self.jitter {
            case .none: .none
            case .full: .full
            case .decorrelated: .decorrelated
            }
        return BackoffRule(base: self.base, factor: self.factor, cap: self.cap, jitter: kind)
    }

    /// Why it means nothing, if so.
    ///
    /// - Parameter name: The name of the setting that it is.
    /// - Returns: The error.
    package func problem(of name: String) -> ErrandError? {
        ErrandError.setting("\(name).base", self.base, isPossible: self.base >= .zero, "zero or longer")
            ?? ErrandError.setting("\(name).factor", self.factor, isPossible: self.factor >= 1, "1 or more")
            ?? ErrandError.setting("\(name).cap", self.cap, isPossible: self.cap >= .zero, "zero or longer")
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
