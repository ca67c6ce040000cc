internal import struct Foundation.Data

extension RequestBody {
    /// Returns this body compressed with gzip (RFC 9110 §8.4.1.3), sent with `Content-Encoding: gzip`.
    ///
    /// Bytes in memory are compressed when the request starts; a file or a stream is compressed while it is sent,
    /// without a known length. Not every server accepts it.
    ///
    /// - Parameter level: From 1, the fastest, to 9, the smallest; 0 does not compress. Any other level fails the
    ///   request with ``ErrandError/Code/encodingFailed``.
    /// - Returns: The compressed body.
    public func gzipped(level: Int = 6) -> RequestBody {
        self.map { original in
            var encoded = original
            let encoder = try GzipEncoder(level: level)
            switch encoded.body {
            case .none: return encoded
            case .bytes(let data): encoded.body = .bytes(try encoder.encode(data, isLast: true))
            case .file, .stream:
                let origin = original.body.origin.flatMap { $0.gzipped(level: level) }
                encoded.body = .stream(try original.body.chunks().gzipped(level: level, origin), length: nil)
            }
            encoded.contentEncoding = [encoded.contentEncoding, "gzip"].compactMap(\.self).joined(separator: ", ")
            return encoded
        }
    }
}

extension BodyStream {
    /// Returns this stream compressed with gzip while it is read.
    fileprivate func gzipped(level: Int, _ origin: Origin?) -> BodyStream {
        BodyStream(of: [self], origin: origin) {
            var content = self.makeAsyncIterator()
            let encoder = Result { () throws(ErrandError) in try GzipEncoder(level: level) }
            var isOver = false
            return { () async throws(ErrandError) -> Data? in
                let encoder = try encoder.get()
                // The first output may be empty, which would look like the end.
                while !isOver {
                    let chunk = try await content.next()
                    isOver = chunk == nil
                    let compressed = try encoder.encode(chunk ?? Data(), isLast: isOver)
                    if !compressed.isEmpty { return compressed }
                }
                return nil
            }
        }
    }
}

extension BodyStream.Origin {
    /// Returns the compressed origin; `nil` if it is already compressed.
    fileprivate func gzipped(level: Int) -> BodyStream.Origin? {
        self.gzipLevel == nil ? BodyStream.Origin(pieces: self.pieces, gzipLevel: level) : nil
    }
}
