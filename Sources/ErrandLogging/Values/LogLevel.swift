/// How much is logged of each request.
public struct LogLevel: Sendable, Hashable {
    /// One line when something starts and one when it stops, and a line for what whoever runs the app should know.
    public static let lines = LogLevel(.lines)
    /// Also the header fields of requests and responses, and each attempt that failed.
    public static let heads = LogLevel(.heads)

    /// Also the bodies, of each no more than so many bytes.
    ///
    /// Shown is what is text: JSON, XML, and what calls itself text, in UTF-8. Of everything else, and of what is a
    /// file or a stream, the size is shown. Forms are shown only when asked for; see ``LoggingAccessory``.
    public static func bodies(limit: Int = 4096) -> LogLevel {
        LogLevel(.bodies, bodyLimit: max(0, limit))
    }

    enum Depth: Sendable, Comparable {
        case lines
        case heads
        case bodies
    }

    let depth: Depth
    let bodyLimit: Int

    private init(_ depth: Depth, bodyLimit: Int = 0) {
        self.depth = depth
        self.bodyLimit = bodyLimit
    }

    var showsHeads: Bool { self.depth >= .heads }
    var showsBodies: Bool { self.depth >= .bodies }
}
