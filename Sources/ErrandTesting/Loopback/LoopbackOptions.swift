/// Limits and behavior of a loopback server.
public struct LoopbackOptions: Sendable {
    /// The maximum size of a request's head or trailers in bytes, without the empty line; a larger one is answered with
    /// 431.
    public var maximumHeadSize = 64 * 1024
    /// The maximum size of a request's body in bytes; a larger one is answered with 413.
    public var maximumBodySize = 64 * 1024 * 1024
    /// A Boolean value that indicates whether a 100 is sent to a request that expects it, before its body is read.
    public var answersExpectContinue = true
    /// The maximum number of requests in `received`; older ones are dropped, but counted.
    public var recordLimit = 10_000
    /// A Boolean value that indicates whether the server accepts connections and never sends anything.
    public var isSilent = false
    /// A Boolean value that indicates whether recorded requests keep their bodies.
    public var keepsBodies = true

    /// Creates the default options.
    public init() {}
}
