internal import CErrandCodings

/// Takes one coding off content, piece by piece, and tells content that is not whole.
///
/// Belongs to one task or thread at a time. Safe although it holds pointers: what they lead to is made and freed with it,
/// and what is handed on is read before the call returns.
@safe
final class ContentDecoder {
    /// Takes bytes, all of them or none: those that it does not take are given again later.
    typealias Receiver = (UnsafeRawBufferPointer, inout DecodingTurn) throws(ErrandError) -> DecodingProgress

    private let coding: ContentCoding
    private let decoder: OpaquePointer
    private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: ContentDecoder.capacity)
    /// The number of bytes that wait in the room for a receiver who did not take them.
    private var made = 0
    /// How many of the next bytes were decoded already when they were given the time before.
    private var taken = 0
    /// Whether what came so far is nothing, or whole.
    private var isWhole = true
    /// The bytes of the content that came so far.
    private(set) var total: Int64 = 0

    /// As much as libcurl hands over at once.
    private static let capacity = 16 << 10

    /// - Throws: ``ErrandError`` without memory.
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

    /// Decodes bytes, and hands on what comes of them.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes. Those that were not taken the time before, and perhaps more behind them.
    ///   - turn: The work that may be done.
    ///   - receive: Takes what comes of them.
    /// - Returns: Whether they are to be given again.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse`` for content that is broken, or has bytes
    ///   behind its end; and what the receiver throws.
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

    /// Decodes what fits of those bytes that were not taken yet.
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

    /// Checks at the end of the content that it is whole; no content at all is, too.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse``.
    func finish() throws(ErrandError) {
        guard self.isWhole else {
            throw ErrandError(.invalidResponse, "the \(self.coding.rawValue) body ends early")
        }
    }
}
