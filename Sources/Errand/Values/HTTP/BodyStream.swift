public import struct Foundation.Data

/// A body as a sequence of chunks, which are produced only when the consumer asks for them.
public struct BodyStream: AsyncSequence, Sendable {
    /// One chunk of the body.
    public typealias Element = Data
    /// The error type of reading.
    public typealias Failure = ErrandError
    /// Returns the next chunk, or `nil` at the end of the body.
    public typealias Pull = () async throws(ErrandError) -> Data?

    /// A Boolean value that indicates whether it can be read more than once, each time from its beginning.
    public var isRepeatable: Bool { self.readings.isEmpty }

    /// Ends the producer, from any thread and while a chunk is awaited; `nil` if that is not supported.
    let cancel: (@Sendable () -> Void)?

    /// The parts of the stream; `nil` if they are unknown.
    let origin: Origin?

    /// The one-time readings: its own, or those of the streams that it consists of.
    private let readings: [OneTimeReading]
    private let makePull: @Sendable () -> Pull
    /// Starts reading at an offset; `nil` if that is not supported.
    private let makePullFrom: (@Sendable (Int64) -> Pull)?

    /// Creates a stream from a function that starts reading it.
    ///
    /// - Parameters:
    ///   - isRepeatable: Pass true if the function starts again each time it is called. Otherwise, a second reading
    ///     fails with ``ErrandError/Code/bodyAlreadyRead``, and so does a request that would send the body a second
    ///     time; redirects and challenges that need it again are not followed.
    ///   - makePull: Starts reading.
    public init(isRepeatable: Bool = false, _ makePull: @escaping @Sendable () -> Pull) {
        if isRepeatable {
            self.init(of: [], origin: nil, makePull)
        } else {
            self.init(once: makePull, endingWith: nil)
        }
    }

    /// Creates a stream that can be read from any offset and repeatedly, so that an interrupted upload can be resumed.
    ///
    /// - Parameter makePull: Starts reading at an offset in bytes, from 0 up to the length of the content; the bytes
    ///   must be the same each time.
    public init(seekable makePull: @escaping @Sendable (_ offset: Int64) -> Pull) {
        self.init(of: [], origin: nil, from: makePull) { makePull(0) }
    }

    /// Creates a stream over other streams, repeatable if they are.
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

    /// Creates a stream that can be ended from outside, and read only once.
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

    /// True if it can be read from any offset.
    var isSeekable: Bool {
        // A comparison with `nil` looks up the type of the function, which needs macOS 15 or iOS 18.
        if case .some = self.makePullFrom { true } else { false }
    }

    /// Returns the rest from an offset; an empty stream if that is not supported.
    func from(_ offset: Int64) -> BodyStream {
        guard let makePullFrom else {
            return BodyStream(isRepeatable: true) { { () async throws(ErrandError) in nil } }
        }
        return BodyStream(seekable: { makePullFrom(offset + $0) })
    }

    /// True if a part of it was read that cannot be read again.
    var isUsedUp: Bool { self.readings.contains(where: \.hasBegun) }

    /// The parts of a stream.
    struct Origin: Sendable {
        /// The contents, concatenated.
        var pieces: [HTTPRequest.Body]
        /// The gzip level with which the whole is compressed, if it is.
        var gzipLevel: Int?
    }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pull: self.makePull())
    }

    /// Reads the chunks in sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: Pull

        /// Returns the next chunk, or `nil` at the end.
        ///
        /// - Throws: ``ErrandError`` if reading fails.
        public mutating func next() async throws(ErrandError) -> Data? {
            try await self.pull()
        }

        /// Returns the next chunk, or `nil` at the end.
        ///
        /// - Throws: ``ErrandError`` if reading fails.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ErrandError) -> Data? {
            try await self.pull()
        }
    }
}
