#if canImport(CErrandCurl)
    internal import Foundation

    /// The destination of the body of an exchange; called by the loop.
    protocol CurlSink: AnyObject {
        /// Handles the head; returns the body if the response is to be delivered now.
        ///
        /// - Throws: ``ErrandError`` to abort the exchange.
        func begin(_ head: CurlHead, _ job: CurlJob) throws(ErrandError) -> HTTPResponse.Body?

        /// Takes all of the given bytes, or none: returns false to pause.
        ///
        /// - Throws: ``ErrandError`` to abort the exchange.
        func write(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool

        /// The error for which no more bytes are accepted, while the transfer is paused or idle.
        var failure: ErrandError? { get }

        /// Handles the end of the body, complete or failed; returns true if all received bytes are stored or removed.
        ///
        /// If it returns false, the job is unpaused once they are.
        func settle(isWhole: Bool) -> Bool

        /// Returns the complete and settled body, unless it was delivered before.
        ///
        /// - Throws: ``ErrandError`` if the end could not be written.
        func finish() throws(ErrandError) -> HTTPResponse.Body?

        /// Handles the failure of the exchange; returns true if the response was delivered before, and its reader was
        /// notified.
        func abandon(_ error: ErrandError) -> Bool
    }

    extension CurlSink {
        var failure: ErrandError? { nil }

        func settle(isWhole: Bool) -> Bool { true }
    }

    enum CurlSinks {
        /// Returns the sink for a job.
        ///
        /// - Throws: ``ErrandError`` if it cannot be created.
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

    /// Collects the body in memory, sized by Content-Length.
    ///
    /// Safe although it holds a pointer: it owns the memory, and never writes beyond its capacity.
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
            // An announced length is trusted only up to a limit: memory is for bytes that have arrived.
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
            // The memory is trimmed, because a holder such as a cache counts the bytes of the body, not its capacity.
            let spare = self.capacity - self.count
            if self.count > 0, spare > max(4 << 10, self.count / 8), let shrunk = unsafe realloc(bytes, self.count) {
                return .bytes(unsafe Data(bytesNoCopy: shrunk, count: self.count, deallocator: .free))
            }
            return .bytes(unsafe Data(bytesNoCopy: bytes, count: self.count, deallocator: .free))
        }

        func abandon(_ error: ErrandError) -> Bool { false }
    }

    /// Passes the body to the reader of the stream; while that is held back, libcurl holds one more receive buffer.
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
