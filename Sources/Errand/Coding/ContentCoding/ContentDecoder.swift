internal import CErrandCodings

/// Decodes one content coding, piece by piece, and detects truncated content.
///
/// Used by one task or thread at a time. Safe although it holds pointers: their targets are created and freed with it,
/// and passed-on bytes are read before the call returns.
@safe
final class ContentDecoder {
    /// Takes all of the given bytes, or none: those not taken are passed again later.
    typealias Receiver = (UnsafeRawBufferPointer, inout DecodingTurn) throws(ErrandError) -> DecodingProgress

    private let coding: ContentCoding
    private let decoder: OpaquePointer
    private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: ContentDecoder.capacity)
    /// The number of decoded bytes that wait for the receiver.
    private var made = 0
    /// The number of input bytes that were already decoded in the previous call.
    private var taken = 0
    /// True if the content so far is empty or complete.
    private var isWhole = true
    /// The number of content bytes so far.
    private(set) var total: Int64 = 0

    /// The size of libcurl's chunks.
    private static let capacity = 16 << 10

    /// - Throws: ``ErrandError`` if there is no memory.
    init(_ coding: ContentCoding) throws(ErrandError) {
        guard let decoder = unsafe errand_decoder_make(coding.number) else {
            throw ErrandError(.transportFailed, "there is no memory to decode a \(coding.rawValue) body")
        }
        self.coding = coding
        unsafe self.decoder = decoder
    }

    deinit {
        unsafe errand_decoder_free(self.decoder)
        unsafe self.room.deallocate()
    }

    /// Decodes bytes, and passes on the result.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes: those that were not taken in the previous call, possibly followed by more.
    ///   - turn: The work that may be done.
    ///   - receive: Takes the decoded bytes.
    /// - Returns: The progress, which tells whether the bytes have to be passed again.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse`` for invalid content, or for bytes
    ///   after its end; and the errors of the receiver.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ turn: inout DecodingTurn, to receive: Receiver
    ) throws(ErrandError) -> DecodingProgress {
        var mayHaveMore = true
        while mayHaveMore {
            if self.made == 0 {
                guard !turn.isOver else { return .interrupted }
                unsafe try self.decode(bytes, &turn)
            }
            if self.made > 0 {
                let output = unsafe UnsafeRawBufferPointer(start: self.room, count: self.made)
                let progress = unsafe try receive(output, &turn)
                guard progress == .taken else { return progress }
            }
            mayHaveMore = self.made == Self.capacity || self.taken < bytes.count
            self.made = 0
        }
        self.taken = max(0, self.taken - bytes.count)
        return .taken
    }

    /// Decodes as much as fits of the remaining bytes.
    private func decode(_ bytes: UnsafeRawBufferPointer, _ turn: inout DecodingTurn) throws(ErrandError) {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(self.taken))
        let step = unsafe errand_decode(
            self.decoder, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), rest.count, self.room, Self.capacity)
        if let problem = unsafe step.problem {
            throw ErrandError(
                .invalidResponse,
                "the \(self.coding.rawValue) body cannot be decoded: \(unsafe String(cString: problem))")
        }
        self.taken += unsafe step.taken
        self.made = unsafe step.made
        self.total += Int64(self.made)
        turn.count(taken: unsafe step.taken, made: self.made)
        self.isWhole = unsafe step.isOver || (self.isWhole && step.taken == 0 && step.made == 0)
    }

    /// Checks at the end that the content is complete; empty content is.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse``.
    func finish() throws(ErrandError) {
        guard self.isWhole else {
            throw ErrandError(.invalidResponse, "the \(self.coding.rawValue) body is truncated")
        }
    }
}
