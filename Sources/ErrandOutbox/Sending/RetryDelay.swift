internal import Errand
internal import Foundation

/// How long a request waits before it is sent again.
struct RetryDelay {
    private let options: OutboxOptions
    private var failures = 0

    /// The most that a server may ask for.
    static let longestRequest = Duration.seconds(60 * 60)

    init(_ options: OutboxOptions) {
        self.options = options
    }

    /// Returns the next delay, which is half to all of what doubles each time, and not less than the server asks for.
    mutating func next(
        after error: ErrandError, at date: Date, using random: inout some RandomNumberGenerator
    ) -> Duration {
        let doubled = self.options.firstDelay * (1 << min(self.failures, 30))
        self.failures += 1
        let delay = min(doubled, self.options.longestDelay) * Double.random(in: 0.5...1, using: &random)
        guard let asked = error.context.headers?["Retry-After"].flatMap({ Self.duration($0, at: date) }) else {
            return delay
        }
        return max(delay, min(asked, Self.longestRequest))
    }

    /// Reads the value of `Retry-After`: seconds, or a date (RFC 9110 §10.2.3).
    private static func duration(_ value: String, at date: Date) -> Duration? {
        if let seconds = Double(value), seconds.isFinite { return .seconds(min(max(seconds, 0), 1e9)) }
        return CookieDate.parse(value).map { .seconds(min(max($0.timeIntervalSince(date), 0), 1e9)) }
    }
}
