/// The work that decoding may do before yielding to other exchanges.
///
/// A few bytes can decode to gigabytes, and thousands of members or frames to no bytes: both input and output count.
struct DecodingTurn {
    private var left: Int

    /// The maximum number of bytes that decoders may read and write in one turn.
    static let limit = 256 << 10
    /// The cost of one call of a decoder, in bytes: it may read one and write none.
    private static let callCost = 128

    init() {
        self.left = Self.limit
    }

    /// True if the turn is used up.
    var isOver: Bool { self.left <= 0 }

    /// Counts a call of a decoder.
    mutating func count(taken: Int, made: Int) {
        self.left -= taken + made + Self.callCost
    }
}

/// The progress of decoding some bytes.
enum DecodingProgress {
    /// All bytes were decoded and received.
    case taken
    /// The receiver does not take the decoded bytes: pass the bytes again when it does.
    case heldBack
    /// The turn is over: pass the bytes again after other exchanges had their turn.
    case interrupted
}
