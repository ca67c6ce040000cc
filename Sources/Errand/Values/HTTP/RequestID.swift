internal import ErrandLocks

/// Identifies a request, batch or chain in the process; ids are never reused.
public struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number behind the id; later ids have larger ones.
    public let rawValue: UInt64

    private static let last = AtomicCounter()

    /// Returns the next id.
    package static func next() -> RequestID {
        RequestID(rawValue: Self.last.add())
    }

    private init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The number with a `#` before it.
    public var description: String { "#\(self.rawValue)" }

    /// Orders ids by their creation.
    public static func < (one: RequestID, other: RequestID) -> Bool {
        one.rawValue < other.rawValue
    }
}
