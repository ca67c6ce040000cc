/// Counts exchanges in a row that brought next to nothing: who gives a byte with each must not be asked for ever.
package struct TrickleCounter: Sendable, Hashable {
    /// With fewer bytes than this an exchange has brought next to nothing.
    package static let least: Int64 = 4 << 10

    private let limit: Int
    private var count = 0

    /// - Parameter limit: How many of them in a row may be followed by another one.
    package init(limit: Int) { self.limit = limit }

    /// An exchange has brought so many bytes; returns whether another one is worth it.
    ///
    /// - Parameters:
    ///   - bytes: How many.
    ///   - wanted: How many it was to bring at most: all of them are not next to nothing.
    /// - Returns: Whether the limit is not passed.
    package mutating func note(_ bytes: Int64, of wanted: Int64 = .max) -> Bool {
        self.count = bytes < min(Self.least, wanted) ? self.count + 1 : 0
        return self.count <= self.limit
    }
}
