/// Decodes all content codings of a response, the last applied one first (RFC 9110 §8.4).
///
/// Used by one task or thread at a time. Its work is bounded: a call ends with the turn, and the bytes between two
/// codings are limited by the received bytes, so that content that decodes to no bytes ends too.
final class ContentDecoding {
    private let decoders: [ContentDecoder]
    /// The number of bytes received and taken.
    private var received: Int64 = 0

    /// The maximum number of codings, because each can expand its input a thousand times.
    static let limit = 2
    /// The limit of bytes between two codings: a base, and a factor for each byte received.
    ///
    /// A second coding hardly reduces coded content, unless it is long and repetitive.
    private static let (allowance, growth): (Int64, Int64) = (1 << 20, 16)

    /// - Parameter names: The names in `Content-Encoding`, in lower case and without `identity`.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse`` for an unknown coding, and for too
    ///   many.
    init(_ names: [String]) throws(ErrandError) {
        guard names.count <= Self.limit else {
            throw ErrandError(.invalidResponse, "the body has \(names.count) codings, and \(Self.limit) are allowed")
        }
        var decoders: [ContentDecoder] = []
        for name in names.reversed() {
            guard let coding = ContentCoding(named: name) else {
                throw ErrandError(
                    .invalidResponse,
                    "the body has the coding \"\(name)\", which cannot be decoded here; "
                        + "set TransportSettings.decodesContent = false to receive it undecoded")
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

    /// Checks at the end that the content is complete.
    ///
    /// - Throws: ``ErrandError``.
    func finish() throws(ErrandError) {
        for decoder in self.decoders { try decoder.finish() }
    }
}
