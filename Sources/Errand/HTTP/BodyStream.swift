public import struct Foundation.Data

/// A body as a sequence of chunks: pulled by the consumer, so nothing is produced that nobody waits for.
public struct BodyStream: AsyncSequence, Sendable {
    /// One chunk of the body.
    public typealias Element = Data
    /// What reading can fail with.
    public typealias Failure = ErrandError
    /// Answers the next chunk, or nothing at the end of the body.
    public typealias Pull = () async throws(ErrandError) -> Data?

    /// Whether it can be read more than once, from its beginning each time.
    public let isRepeatable: Bool

    /// Ends what produces it, from anywhere and while someone waits for a chunk; nothing where there is no such way.
    let cancel: (@Sendable () -> Void)?

    /// What it is made of; nothing where that is not known.
    let origin: Origin?

    private let makePull: @Sendable () -> Pull

    /// Creates a stream from a function that begins to read it anew each time it is called.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether that works more than once; a body that it does not work for is not sent again, as
    ///     some redirections and challenges would need.
    ///   - makePull: Begins to read.
    public init(isRepeatable: Bool = true, _ makePull: @escaping @Sendable () -> Pull) {
        self.init(isRepeatable: isRepeatable, origin: nil, makePull)
    }

    /// Creates the stream of contents that are known.
    init(isRepeatable: Bool, origin: Origin?, _ makePull: @escaping @Sendable () -> Pull) {
        self.isRepeatable = isRepeatable
        self.cancel = nil
        self.origin = origin
        self.makePull = makePull
    }

    /// Creates the stream of something that can be ended from outside, and is read only once.
    init(endingWith cancel: @escaping @Sendable () -> Void, _ makePull: @escaping @Sendable () -> Pull) {
        self.isRepeatable = false
        self.cancel = cancel
        self.origin = nil
        self.makePull = makePull
    }

    /// What a stream is made of.
    struct Origin: Sendable {
        /// The contents, one behind the other.
        var pieces: [HTTPBody]
        /// The level at which all of it is compressed with gzip.
        var gzipLevel: Int?
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pull: self.makePull())
    }

    /// Reads the chunks one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: Pull

        /// The next chunk, or nothing at the end.
        ///
        /// - Throws: ``ErrandError`` when the body cannot be read on.
        public mutating func next() async throws(ErrandError) -> Data? {
            try await self.pull()
        }

        /// The next chunk, or nothing at the end.
        ///
        /// - Throws: ``ErrandError`` when the body cannot be read on.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ErrandError) -> Data? {
            try await self.pull()
        }
    }
}
