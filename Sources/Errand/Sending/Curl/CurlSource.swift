#if canImport(CErrandCurl)
    internal import Foundation

    /// The source of a request body; called by the loop.
    protocol CurlSource: AnyObject {
        /// The length of the body in bytes, if known.
        var length: Int64? { get }

        /// Fills a buffer; returns the number of bytes, 0 at the end, or `nil` to pause until there are more.
        ///
        /// - Throws: ``ErrandError`` to abort the exchange.
        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int?

        /// Rewinds to an offset, because libcurl sends the request again; returns true on success.
        func rewind(to offset: Int64) -> Bool
    }

    enum CurlSources {
        /// Returns the source of a job's body; `nil` without a body.
        static func source(of job: CurlJob) -> (any CurlSource)? {
            switch job.request.body {
            case .none: return nil
            case .bytes(let data): return CurlBytesSource(data)
            case .file:
                guard let files = job.files, let file = files.upload else { return nil }
                return CurlFileSource(file, files, job)
            case .stream(_, let length): return job.pipe.map { CurlStreamSource($0, length: length) }
            }
        }
    }

    /// Sends bytes in memory.
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

    /// Sends the bytes that a task puts into a pipe.
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
