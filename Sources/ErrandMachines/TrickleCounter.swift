/// Counts consecutive exchanges that brought next to no data, so that a trickling server is not asked forever.
package struct TrickleCounter: Sendable, Hashable {
    /// The number of bytes below which an exchange counts as next to no data.
    package static let least: Int64 = 4 << 10

    private let limit: Int
    private var count = 0

    /// - Parameter limit: The number of such exchanges in a row that may be followed by another one.
    package init(limit: Int) { self.limit = limit }

    /// Records an exchange and returns true if another one is worthwhile.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes received.
    ///   - wanted: The maximum number of bytes requested. Receiving all of them is not a trickle.
    /// - Returns: True unless the limit is exceeded.
    package mutating func note(_ bytes: Int64, of wanted: Int64 = .max) -> Bool {
        self.count = bytes < min(Self.least, wanted) ? self.count + 1 : 0
        return self.count <= self.limit
    }
}
