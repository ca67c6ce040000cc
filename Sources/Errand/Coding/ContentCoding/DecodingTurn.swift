/// The work that decoding may still do before others get their turn.
///
/// A few bytes can decode to gigabytes, and thousands of members or frames to none at all: both count.
struct DecodingTurn {
    private var left: Int

    /// The bytes that decoders may take and make in one turn.
    static let limit = 256 << 10
    /// The cost of one call of a decoder, in bytes: it may take one and make none.
    private static let callCost = 128

    init() {
        self.left = Self.limit
    }

    /// True when the turn is used up.
    var isOver: Bool { self.left <= 0 }

    /// Counts one call of a decoder.
    mutating func count(taken: Int, made: Int) {
        self.left -= taken + made + Self.callCost
    }
}

/// The progress of bytes of coded content.
enum DecodingProgress {
    /// All were decoded and received.
    case taken
    /// The receiver does not take what came of them: they are to be given again when it does.
    case heldBack
    /// The turn is over: they are to be given again, after others had theirs.
    case interrupted
}
