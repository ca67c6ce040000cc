#if canImport(CErrandCurl)
    internal import Foundation

    /// The destination of the body of one exchange; called by the loop.
    protocol CurlSink: AnyObject {
        /// The head is there; returns the body if the response is to be delivered now.
        ///
        /// - Throws: ``ErrandError`` to break the exchange off.
        func begin(_ head: CurlHead, _ job: CurlJob) throws(ErrandError) -> HTTPResponse.Body?

        /// Takes bytes of the body, all of them or none: answers false to pause.
        ///
        /// - Throws: ``ErrandError`` to break the exchange off.
        func write(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool

        /// Why it can take no more, while the transfer is paused or nothing comes.
        var failure: ErrandError? { get }

        /// No more comes, because the body is whole or the exchange has failed; returns whether what came is where it
        /// belongs, or gone. If not, the job is unpaused when it is.
        func settle(isWhole: Bool) -> Bool

        /// The body is whole, and settled; returns it, unless it was delivered before.
        ///
        /// - Throws: ``ErrandError`` when the end could not be written.
        func finish() throws(ErrandError) -> HTTPResponse.Body?

        /// The exchange failed; returns whether the response was delivered before, and whoever reads it was told.
        func abandon(_ error: ErrandError) -> Bool
    }

    extension CurlSink {
        var failure: ErrandError? { nil }

        func settle(isWhole: Bool) -> Bool { true }
    }

    enum CurlSinks {
        /// The sink that a job asks for.
        ///
        /// - Throws: ``ErrandError`` when it cannot be had.
        static func sink(for job: CurlJob) throws(ErrandError) -> any CurlSink {
            switch job.context.destination {
            case .memory(let limit): return CurlMemorySink(limit: limit)
            case .stream(let buffer): return CurlStreamSink(buffer: buffer)
            case .file:
                guard let files = job.files, let file = files.download else {
                    throw ErrandError(.fileFailed, "the file for the response body is not open")
                }
                return CurlFileSink(file, files, job)
            }
        }
    }

    /// Collects the body in memory, in room that is sized by Content-Length.
    ///
    /// Safe although it holds a pointer: the room is its own, and no more is written to it than it was made for.
    @safe
    final class CurlMemorySink: CurlSink {
        private let limit: Int
        private var bytes: UnsafeMutableRawPointer?
        private var count = 0
        private var capacity = 0
        private var expected = 0

        init(limit: Int) {
            self.limit = max(0, limit)
        }

        deinit {
            unsafe free(self.bytes)
        }

        func begin(_ head: CurlHead, _ job: CurlJob) throws(ErrandError) -> HTTPResponse.Body? {
            if let length = head.bodyLength, length > Int64(self.limit), job.request.method != .head {
                throw .bodyTooLarge(limit: self.limit)
            }
            self.expected = Int(clamping: head.contentLength ?? 0)
            return nil
        }

        func write(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool {
            guard let source = bytes.baseAddress, unsafe !bytes.isEmpty else { return true }
            guard bytes.count <= self.limit - self.count else { throw .bodyTooLarge(limit: self.limit) }
            let needed = self.count + bytes.count
            if needed > self.capacity { try self.grow(to: needed) }
            unsafe self.bytes?.advanced(by: self.count).copyMemory(from: source, byteCount: bytes.count)
            self.count = needed
            return true
        }

        private func grow(to needed: Int) throws(ErrandError) {
            // What a server announces is believed only so far: memory is for bytes that come.
            let announced = self.capacity == 0 ? min(self.expected, self.limit, 1 << 20) : 0
            let capacity = min(max(needed, announced, self.capacity * 2), max(self.limit, needed))
            guard let grown = unsafe realloc(self.bytes, capacity) else {
                throw ErrandError(.transportFailed, "there is no memory for a response body of \(capacity) bytes")
            }
            unsafe self.bytes = grown
            self.capacity = capacity
        }

        func finish() throws(ErrandError) -> HTTPResponse.Body? {
            guard let bytes = unsafe self.bytes else { return .bytes(Data()) }
            unsafe self.bytes = nil
            // Whoever keeps the body, such as a cache, counts its bytes, and not the room that was made for more of them.
            let spare = self.capacity - self.count
            if self.count > 0, spare > max(4 << 10, self.count / 8), let shrunk = unsafe realloc(bytes, self.count) {
                return .bytes(unsafe Data(bytesNoCopy: shrunk, count: self.count, deallocator: .free))
            }
            return .bytes(unsafe Data(bytesNoCopy: bytes, count: self.count, deallocator: .free))
        }

        func abandon(_ error: ErrandError) -> Bool { false }
    }

    /// Hands the body to whoever reads the stream; libcurl holds one receive buffer besides while that is held back.
    final class CurlStreamSink: CurlSink {
        private let channel: BodyChannel
        private var wasDelivered = false

        init(buffer: Int) {
            self.channel = BodyChannel(limit: buffer)
        }

        func begin(_ head: CurlHead, _ job: CurlJob) throws(ErrandError) -> HTTPResponse.Body? {
            self.wasDelivered = true
            return .stream(self.channel.stream(of: job))
        }

        func write(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool {
            unsafe self.channel.put(bytes)
        }

        func finish() throws(ErrandError) -> HTTPResponse.Body? {
            self.channel.end(nil)
            return nil
        }

        func abandon(_ error: ErrandError) -> Bool {
            self.channel.end(error)
            return self.wasDelivered
        }
    }
#endif
