/// The level of detail that is logged for each request.
public struct LogLevel: Sendable, Hashable {
    /// One line for each start and each stop, and one for each notice to the operator of the app.
    public static let lines = LogLevel(.lines)
    /// Additionally, the header fields of requests and responses, and each failed attempt.
    public static let heads = LogLevel(.heads)

    /// Additionally, the beginning of each body, up to the given number of bytes.
    ///
    /// Only text is logged: JSON, XML, `text/*` and the like, in UTF-8. Of other bodies, files and streams, only the
    /// size is logged. Forms are logged only on request; see ``LoggingAccessory``.
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
