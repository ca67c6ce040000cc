/// Takes all codings of a response off its content, the one that was put on last first (RFC 9110 §8.4).
///
/// Belongs to one task or thread at a time. Its work is bounded: one call ends with the turn, and the bytes between two
/// codings follow from the bytes that were received, so that content which decodes to nothing ends as well.
final class ContentDecoding {
    private let decoders: [ContentDecoder]
    /// The number of bytes received and taken.
    private var received: Int64 = 0

    /// The most codings that may lie over each other: each can make a thousandfold of what it gets.
    static let limit = 2
    /// The limit of bytes between two codings: a base, and a factor for each byte received.
    ///
    /// Coded content hardly becomes smaller by a second coding, unless it is very long and says very little.
    private static let (allowance, growth): (Int64, Int64) = (1 << 20, 16)

    /// - Parameter names: What `Content-Encoding` names, in small letters and without `identity`.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse`` for a coding that is not known, and
    ///   for too many.
    init(_ names: [String]) throws(ErrandError) {
        guard names.count <= Self.limit else {
            throw ErrandError(.invalidResponse, "the body has \(names.count) codings, and \(Self.limit) are the most")
        }
        var decoders: [ContentDecoder] = []
        for name in names.reversed() {
            guard let coding = ContentCoding(named: name) else {
                throw ErrandError(
                    .invalidResponse,
                    "the body has the coding \"\(name)\", which cannot be decoded here; "
                        + "TransportSettings.decodesContent = false leaves codings on")
            }
            decoders.append(try ContentDecoder(coding))
        }
        self.decoders = decoders
    }

    /// Decodes bytes, for one turn; see ``ContentDecoder/write(_:_:to:)``.
    func write(
        _ bytes: UnsafeRawBufferPointer, to receive: (UnsafeRawBufferPointer) throws(ErrandError) -> Bool
    ) throws(ErrandError) -> DecodingProgress {
        var turn = DecodingTurn()
        let mostBetween = Self.allowance + (self.received + Int64(bytes.count)) * Self.growth
        let progress = unsafe try self.write(bytes, &turn, through: self.decoders[...], mostBetween, to: receive)
        if progress == .taken { self.received += Int64(bytes.count) }
        return progress
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ turn: inout DecodingTurn, through decoders: ArraySlice<ContentDecoder>,
        _ mostBetween: Int64, to receive: (UnsafeRawBufferPointer) throws(ErrandError) -> Bool
    ) throws(ErrandError) -> DecodingProgress {
        guard let first = decoders.first else { return try unsafe receive(bytes) ? .taken : .heldBack }
        return unsafe try first.write(bytes, &turn) { decoded, turn throws(ErrandError) in
            guard decoders.count == 1 || first.total <= mostBetween else {
                throw ErrandError(
                    .invalidResponse, "the body has far more bytes between its codings than were received")
            }
            return unsafe try self.write(decoded, &turn, through: decoders.dropFirst(), mostBetween, to: receive)
        }
    }

    /// Checks at the end of the content that it is whole.
    ///
    /// - Throws: ``ErrandError``.
    func finish() throws(ErrandError) {
        for decoder in self.decoders { try decoder.finish() }
    }
}
