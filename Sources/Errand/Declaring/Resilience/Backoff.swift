internal import ErrandMachines

/// The delays before retries: growing, and random so that clients do not retry in step.
///
/// A rule generates a sequence of durations:
///
/// ```swift
/// let delays = Backoff.standard.delays(using: SystemRandomNumberGenerator()).prefix(3)
/// ```
public struct Backoff: Sendable, Hashable {
    /// The random part of a delay.
    public enum Jitter: Sendable, Hashable {
        /// No randomness: all requests that failed together are retried together.
        ///
        /// For tests.
        case none
        /// A random delay from zero to the bound, which grows by the factor each time.
        case full
        /// A random delay from the base to three times the previous delay, up to the cap.
        case decorrelated
    }

    private let base: Duration
    private let factor: Double
    private let cap: Duration
    private let jitter: Jitter

    /// Creates a rule.
    ///
    /// In the configuration of a client or an outbox, an invalid rule fails requests with
    /// ``ErrandError/Code/invalidConfiguration``; otherwise, values are clamped to their range.
    ///
    /// - Parameters:
    ///   - base: The bound of the first delay; zero or more.
    ///   - factor: The factor by which the bound grows each time; 1 or more.
    ///   - cap: The longest delay; zero or more.
    ///   - jitter: The random part.
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

    /// Returns the error for an invalid rule, if any.
    ///
    /// - Parameter name: The name of the setting.
    /// - Returns: The error.
    package func problem(of name: String) -> ErrandError? {
        ErrandError.setting("\(name).base", self.base, isPossible: self.base >= .zero, "zero or longer")
            ?? ErrandError.setting("\(name).factor", self.factor, isPossible: self.factor >= 1, "1 or more")
            ?? ErrandError.setting("\(name).cap", self.cap, isPossible: self.cap >= .zero, "zero or longer")
    }

    /// Up to half a second first, doubling each time, and at most 20 seconds.
    public static let standard = Backoff(base: .milliseconds(500))

    /// Returns a constant delay, for example for ``Client/poll(_:waiting:within:options:until:)``.
    public static func every(_ interval: Duration) -> Backoff {
        Backoff(base: interval, factor: 1, cap: interval, jitter: .none)
    }

    /// Returns the delays: an infinite sequence, determined by the random numbers.
    public func delays(using generator: some RandomNumberGenerator) -> some Sequence<Duration> {
        BackoffDelays(self.rule, using: generator)
    }
}
