internal import Foundation

/// How much the tests do of what can be done without end: schedules, walks, and rounds of long loops.
///
/// `ERRAND_SCHEDULES` says how many schedules are explored of each scenario. Plain `swift test` does few, so that it
/// takes a minute; `.ci/run` does more, in steps of their own, and `.ci/run deep` ten thousand.
public enum TestEffort {
    /// The number of schedules of a scenario that a change is taken in with.
    private static let gate = 500
    /// The number of schedules that is a full measure of everything.
    private static let deep = 10_000

    private static let count: Int = {
        let value = ProcessInfo.processInfo.environment["ERRAND_SCHEDULES"].flatMap(Int.init)
        return max(1, min(value ?? 50, 1_000_000))
    }()

    /// The seeds of the schedules, or walks, to explore of each scenario.
    public static var schedules: Range<UInt64> { 0..<UInt64(self.count) }

    /// Whether all is done that a change is taken in with: for tests that take seconds however little they do.
    public static var isFull: Bool { self.count >= self.gate }

    /// Whether more is done than that: for what would make the gate long.
    public static var isDeep: Bool { self.count >= self.deep }

    /// Scales the rounds of a long loop as schedules are scaled; at least fifty are left, or all.
    ///
    /// - Parameter full: The rounds to do where 2 000 schedules are explored; a quarter of it where a change is taken in,
    ///   and five times as many where ten thousand are.
    /// - Returns: The rounds to do.
    public static func rounds(of full: Int) -> Int {
        max(min(full, 50), full * self.count / 2_000)
    }
}
