internal import struct Foundation.Data
internal import struct Foundation.URL

extension HTTPRequest.Body {
    /// The size of a read from a file.
    private static let chunkSize = 64 << 10

    /// Returns the length in bytes, if known; that of a file is read now.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a file that cannot be sent.
    package func length() throws(ErrandError) -> Int64? {
        switch self {
        case .none: 0
        case .bytes(let data): Int64(data.count)
        case .file(let url): try RegularFile(url).size
        case .stream(_, let length): length
        }
    }

    /// Returns the body from an offset as a stream of chunks.
    ///
    /// A file is opened each time it is read. A stream must support reading from the offset.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a file that cannot be sent.
    func chunks(from offset: Int64 = 0) throws(ErrandError) -> BodyStream {
        switch self {
        case .none: return Self.chunks(of: Data())
        case .bytes(let data): return Self.chunks(of: data.dropFirst(Int(offset)))
        case .file(let url): return Self.chunks(of: url, from: offset, count: try RegularFile(url).size)
        case .stream(let stream, _): return offset == 0 ? stream : stream.from(offset)
        }
    }

    /// The parts of the body; `nil` if they are unknown.
    var origin: BodyStream.Origin? {
        if case .stream(let stream, _) = self { stream.origin } else { BodyStream.Origin(pieces: [self]) }
    }

    private static func chunks(of data: Data) -> BodyStream {
        BodyStream(isRepeatable: true) {
            var rest = data
            return { () async throws(ErrandError) -> Data? in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(Self.chunkSize) }
                return rest.prefix(Self.chunkSize)
            }
        }
    }

    /// Returns a stream of this number of bytes of a file: later growth is ignored, and a shorter file is an error.
    private static func chunks(of url: URL, from start: Int64, count: Int64) -> BodyStream {
        BodyStream(isRepeatable: true) {
            var (file, offset): (RegularFile?, Int64) = (nil, start)
            return { () async throws(ErrandError) -> Data? in
                guard offset < count else { return nil }
                let open = if let file { file } else { try RegularFile(url) }
                file = open
                guard open.size >= count else {
                    throw ErrandError(
                        .encodingFailed, "the file \"\(url.lastPathComponent)\" became shorter before it was sent")
                }
                let chunk = try await open.read(Int(min(Int64(Self.chunkSize), count - offset)), from: offset)
                offset += Int64(chunk.count)
                return chunk
            }
        }
    }
}
