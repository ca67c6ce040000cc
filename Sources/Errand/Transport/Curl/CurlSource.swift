#if canImport(CErrandCurl)
    internal import Foundation

    /// Where the body of one request comes from; called by the loop.
    protocol CurlSource: AnyObject {
        /// How long the body is in bytes, where it is known.
        var length: Int64? { get }

        /// Fills a buffer; answers how much that was, 0 at the end, or nothing to pause until there is more.
        ///
        /// - Throws: ``ErrandError`` to break the exchange off.
        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int?

        /// Goes back to an offset, because libcurl sends the request again; answers whether that can be done.
        func rewind(to offset: Int64) -> Bool
    }

    enum CurlSources {
        /// The source of a job's body; nothing where there is none.
        ///
        /// - Throws: ``ErrandError`` when the body cannot be read.
        static func source(of job: CurlJob) throws(ErrandError) -> (any CurlSource)? {
            switch job.request.body {
            case .none: return nil
            case .bytes(let data): return CurlBytesSource(data)
            case .file(let url): return try CurlFileSource(url)
            case .stream(_, let length): return job.pipe.map { CurlStreamSource($0, length: length) }
            }
        }
    }

    /// Sends bytes that are at hand.
    final class CurlBytesSource: CurlSource {
        let data: Data
        private var offset = 0

        var length: Int64? { Int64(self.data.count) }

        init(_ data: Data) {
            self.data = data
        }

        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int? {
            let count = min(room.count, self.data.count - self.offset)
            let start = self.data.startIndex + self.offset
            _ = unsafe self.data[start..<(start + count)].copyBytes(to: room)
            self.offset += count
            return count
        }

        func rewind(to offset: Int64) -> Bool {
            guard (0...Int64(self.data.count)).contains(offset) else { return false }
            self.offset = Int(offset)
            return true
        }
    }

    /// Reads a file while it is sent.
    final class CurlFileSource: CurlSource {
        private let descriptor: Int32
        private let size: Int64
        private var offset: Int64 = 0

        var length: Int64? { self.size }

        init(_ url: URL) throws(ErrandError) {
            guard url.isFileURL else {
                throw ErrandError(.unsupported, "a request body can only come from a local file")
            }
            // Not blocking: opening a pipe would otherwise wait for whoever writes to it.
            let descriptor = unsafe open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw ErrandError(curlSystem: "the file of the request body cannot be opened", code: .encodingFailed)
            }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw ErrandError(.encodingFailed, "the file of the request body is not a regular file")
            }
            self.descriptor = descriptor
            self.size = Int64(status.st_size)
        }

        deinit {
            close(self.descriptor)
        }

        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int? {
            let wanted = Int(min(Int64(room.count), self.size - self.offset))
            guard wanted > 0 else { return 0 }
            while true {
                let count = unsafe pread(self.descriptor, room.baseAddress, wanted, Int(self.offset))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw ErrandError(curlSystem: "the file of the request body cannot be read", code: .encodingFailed)
                }
                guard count > 0 else {
                    throw ErrandError(.encodingFailed, "the file of the request body became shorter while it was sent")
                }
                self.offset += Int64(count)
                return count
            }
        }

        func rewind(to offset: Int64) -> Bool {
            guard (0...self.size).contains(offset) else { return false }
            self.offset = offset
            return true
        }
    }

    /// Sends what a task puts into a pipe.
    final class CurlStreamSource: CurlSource {
        let length: Int64?
        private let pipe: CurlUploadPipe
        private var hasBegun = false

        init(_ pipe: CurlUploadPipe, length: Int64?) {
            self.pipe = pipe
            self.length = length
        }

        deinit {
            self.pipe.close()
        }

        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int? {
            let count = unsafe try self.pipe.read(into: room)
            if let count, count > 0 { self.hasBegun = true }
            return count
        }

        func rewind(to offset: Int64) -> Bool { offset == 0 && !self.hasBegun }
    }
#endif
