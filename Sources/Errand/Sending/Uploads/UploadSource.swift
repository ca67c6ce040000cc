internal import ErrandLocks
internal import Foundation

/// The content of an upload, which can be read from any offset.
struct UploadSource: Sendable {
    /// The identity of content, valid across processes.
    enum Identity: Sendable, Hashable, Codable {
        /// A file with its size and modification time.
        case file(path: String, size: Int64, modified: Double)
        /// Bytes, by their SHA-256.
        case bytes(String)
    }

    /// The number of bytes, if known.
    let length: Int64?
    let body: HTTPRequest.Body
    /// The offset up to which content of unknown length was read: no server can have more.
    private let reach: Reach?
    /// The identity of the file when the upload started.
    private let file: Identity?

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` for content that cannot be read from an
    ///   offset.
    init(_ body: HTTPRequest.Body) throws(ErrandError) {
        if case .stream(let stream, _) = body, !stream.isSeekable {
            throw ErrandError(
                .unsupported,
                "an upload can be resumed only if its content can be read from an offset: "
                    + "a file, bytes, or a stream made with BodyStream(seekable:)")
        }
        self.length = try body.length()
        self.file = if case .file(let url) = body { Self.identity(of: url) } else { nil }
        if case .stream(let stream, nil) = body {
            let reach = Reach()
            (self.body, self.reach) = (.stream(stream.noting(reach), length: nil), reach)
        } else {
            (self.body, self.reach) = (body, nil)
        }
    }

    /// The highest offset that a server can have reached.
    var most: Int64? { self.length ?? self.reach?.end }

    /// The name of the file, if the content is one.
    var filename: String? {
        if case .file(let url) = self.body { url.lastPathComponent } else { nil }
    }

    /// Returns the identity of the content; `nil` for a stream, which has none.
    ///
    /// Takes time proportional to the number of bytes, unless it is a file.
    func identity() -> Identity? {
        switch self.body {
        case .file: self.file
        case .bytes(let data): .bytes(SHA256(of: data).description)
        case .none: .bytes(SHA256(of: "").description)
        case .stream: nil
        }
    }

    /// Returns the key for finding the record later, even if the content has changed: the path of a file.
    static func name(of identity: Identity) -> String {
        switch identity {
        case .file(let path, _, _): "file \(path)"
        case .bytes(let digest): "bytes \(digest)"
        }
    }

    /// Checks that a file has not changed.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    func check() throws(ErrandError) {
        guard case .file(let url) = self.body, Self.identity(of: url) != self.file else { return }
        throw ErrandError(
            .fileFailed, "the file \"\(url.lastPathComponent)\" has changed since a part of it was uploaded")
    }

    /// Returns the content from an offset, with a number of bytes or to its end.
    ///
    /// - Throws: ``ErrandError`` if it cannot be read.
    func content(from offset: Int64, count: Int64?) throws(ErrandError) -> HTTPRequest.Body {
        if offset == 0, count == self.length { return self.body }
        switch self.body {
        case .none: return .none
        case .bytes(let data): return .bytes(data.dropFirst(Int(offset)).prefix(count.map { Int($0) } ?? .max))
        case .file, .stream:
            let rest = try self.body.chunks(from: offset)
            let isAll = count == nil || self.length.map { offset + (count ?? 0) == $0 } ?? false
            return .stream(isAll ? rest : rest.prefix(count ?? 0), length: count)
        }
    }

    private static func identity(of url: URL) -> Identity? {
        guard let facts = try? FileFacts(path: url.path, followsLink: true) else { return nil }
        return .file(path: url.standardizedFileURL.path, size: facts.length, modified: facts.modified)
    }
}

/// The offset up to which content was read.
private final class Reach: Sendable {
    private let position = Locked<Int64>(0)

    var end: Int64 { self.position.withLock { $0 } }

    func note(_ end: Int64) {
        self.position.withLock { $0 = max($0, end) }
    }
}

extension BodyStream {
    /// Returns a stream that records how far it was read.
    fileprivate func noting(_ reach: Reach) -> BodyStream {
        @Sendable func pull(_ stream: BodyStream, _ start: Int64) -> Pull {
            var (chunks, end) = (stream.makeAsyncIterator(), start)
            return { () async throws(ErrandError) -> Data? in
                guard let chunk = try await chunks.next() else { return nil }
                end = end.adding(Int64(chunk.count))
                reach.note(end)
                return chunk
            }
        }
        return BodyStream(of: [self], origin: self.origin, from: { pull(self.from($0), $0) }) { pull(self, 0) }
    }

    /// Returns a stream of the first bytes.
    fileprivate func prefix(_ count: Int64) -> BodyStream {
        BodyStream(isRepeatable: true) {
            var (chunks, rest) = (self.makeAsyncIterator(), count)
            return { () async throws(ErrandError) -> Data? in
                guard rest > 0, let chunk = try await chunks.next() else { return nil }
                let taken = chunk.prefix(Int(Swift.min(rest, Int64(chunk.count))))
                rest -= Int64(taken.count)
                return taken
            }
        }
    }
}
