/// The delays of an upload before the server is asked again, and their limit.
struct UploadPatience: Sendable {
    /// The delays, by the number of failures in a row.
    static let delays: [Duration] = [.zero, .seconds(1), .seconds(3), .seconds(5)]

    /// The longest delay that a server may ask for; after a longer one, a later call can resume.
    static let longestWait = Duration.seconds(600)

    /// The number of failures since the last progress.
    private var failures = 0

    /// Counts a failure, and returns the delay after it; `nil` to give up.
    ///
    /// - Parameters:
    ///   - isHeld: True if asking again at once would give the same result.
    ///   - time: The server's minimum delay.
    /// - Returns: The delay.
    mutating func delay(isHeld: Bool, for time: Duration?) -> Duration? {
        guard self.failures < Self.delays.count, time ?? .zero <= Self.longestWait else { return nil }
        defer { self.failures += 1 }
        return max(Self.delays[max(self.failures, isHeld ? 1 : 0)], time ?? .zero)
    }
}
