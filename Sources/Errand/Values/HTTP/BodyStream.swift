public import struct Foundation.Data

/// A body as a sequence of chunks: pulled by the consumer, so nothing is produced that nobody waits for.
public struct BodyStream: AsyncSequence, Sendable {
    /// One chunk of the body.
    public typealias Element = Data
    /// What reading can fail with.
    public typealias Failure = ErrandError
    /// Returns the next chunk, or `nil` at the end of the body.
    public typealias Pull = () async throws(ErrandError) -> Data?

    /// Whether it can be read more than once, from its beginning each time.
    public var isRepeatable: Bool { self.readings.isEmpty }

    /// Ends what produces it, from anywhere and while someone waits for a chunk; `nil` where there is no such way.
    let cancel: (@Sendable () -> Void)?

    /// What it is made of; `nil` where that is not known.
    let origin: Origin?

    /// The readings that happen only once: its own, or those of the streams that it is made of.
    private let readings: [OneTimeReading]
    private let makePull: @Sendable () -> Pull
    /// Begins to read at an offset; `nil` where that cannot be done.
    private let makePullFrom: (@Sendable (Int64) -> Pull)?

    /// Creates a stream from a function that begins to read it.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether the function begins anew each time it is called. Unless that is said, a second reading
    ///     fails with ``ErrandError/Code/bodyAlreadyRead``, and so does a request that would send the body a second
    ///     time; redirections and challenges that need it again are not followed.
    ///   - makePull: Begins to read.
    public init(isRepeatable: Bool = false, _ makePull: @escaping @Sendable () -> Pull) {
        if isRepeatable {
            self.init(of: [], origin: nil, makePull)
        } else {
            self.init(once: makePull, endingWith: nil)
        }
    }

    /// Creates a stream that can be read from any offset on, and as often as needed, so that an upload of it can go on
    /// where it was interrupted.
    ///
    /// - Parameter makePull: Begins to read at an offset in bytes, from 0 up to the length of the content; the bytes there
    ///   are the same each time.
    public init(seekable makePull: @escaping @Sendable (_ offset: Int64) -> Pull) {
        self.init(of: [], origin: nil, from: makePull) { makePull(0) }
    }

    /// Creates the stream of what is read from other streams, and as often as they can be.
    init(
        of sources: [BodyStream], origin: Origin?, from makePullFrom: (@Sendable (Int64) -> Pull)? = nil,
        _ makePull: @escaping @Sendable () -> Pull
    ) {
        self.makePullFrom = makePullFrom
        self.readings = sources.flatMap(\.readings)
        self.cancel = nil
        self.origin = origin
        self.makePull = makePull
    }

    /// Creates the stream of something that can be ended from outside, and is read only once.
    init(endingWith cancel: @escaping @Sendable () -> Void, _ makePull: @escaping @Sendable () -> Pull) {
        self.init(once: makePull, endingWith: cancel)
    }

    private init(once makePull: @escaping @Sendable () -> Pull, endingWith cancel: (@Sendable () -> Void)?) {
        let reading = OneTimeReading()
        self.readings = [reading]
        self.cancel = cancel
        self.origin = nil
        self.makePullFrom = nil
        self.makePull = {
            guard reading.begin() else { return { () async throws(ErrandError) -> Data? in throw .bodyAlreadyRead } }
            return makePull()
        }
    }

    /// Whether it can be read from any offset on.
    var isSeekable: Bool {
        // A comparison with `nil` looks up the type of the function, which needs macOS 15 or iOS 18.
        if case .some = self.makePullFrom { true } else { false }
    }

    /// The rest of it from an offset on; nothing of one that cannot be read from there.
    func from(_ offset: Int64) -> BodyStream {
        guard let makePullFrom else {
            return BodyStream(isRepeatable: true) { { () async throws(ErrandError) in nil } }
        }
        return BodyStream(seekable: { makePullFrom(offset + $0) })
    }

    /// Whether a part of it was read that cannot be read again.
    var isUsedUp: Bool { self.readings.contains(where: \.hasBegun) }

    /// What a stream is made of.
    struct Origin: Sendable {
        /// The contents, one behind the other.
        var pieces: [HTTPRequest.Body]
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

        /// The next chunk, or `nil` at the end.
        ///
        /// - Throws: ``ErrandError`` when the body cannot be read on.
        public mutating func next() async throws(ErrandError) -> Data? {
            try await self.pull()
        }

        /// The next chunk, or `nil` at the end.
        ///
        /// - Throws: ``ErrandError`` when the body cannot be read on.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ErrandError) -> Data? {
            try await self.pull()
        }
    }
}
