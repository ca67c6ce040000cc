/// Limits and habits of a loopback server.
public struct LoopbackOptions: Sendable {
    /// The most bytes a request's head (or its trailers) may have, without the empty line, before a 431 is the answer.
    public var maximumHeadSize = 64 * 1024
    /// The most bytes a request's body may have before it is answered with 413.
    public var maximumBodySize = 64 * 1024 * 1024
    /// Whether a request that expects it is answered with 100 before its body is read.
    public var answersExpectContinue = true
    /// The number of latest requests that are kept for `received`; all are counted.
    public var recordLimit = 10_000
    /// Whether connections are accepted and then left alone: nothing is answered, whatever comes.
    public var isSilent = false
    /// Whether kept requests keep their bodies.
    public var keepsBodies = true

    /// Creates the options that servers have by default.
    public init() {}
}
