/// The waits of an upload before the server is asked again, and the end of them.
struct UploadPatience: Sendable {
    /// The waits, by how often nothing was gained before.
    static let delays: [Duration] = [.zero, .seconds(1), .seconds(3), .seconds(5)]

    /// The longest wait that a server may ask for; a later call can go on with what wants more.
    static let longestWait = Duration.seconds(600)

    /// The number of times nothing was gained since something was.
    private var failures = 0

    /// Counts a failure, and returns how long to wait after it; `nil` to give up.
    ///
    /// - Parameters:
    ///   - isHeld: Whether the server would say the same if it was asked at once.
    ///   - time: The least time, by the server.
    /// - Returns: The wait.
    mutating func delay(isHeld: Bool, for time: Duration?) -> Duration? {
        guard self.failures < Self.delays.count, time ?? .zero <= Self.longestWait else { return nil }
        defer { self.failures += 1 }
        return max(Self.delays[max(self.failures, isHeld ? 1 : 0)], time ?? .zero)
    }
}
