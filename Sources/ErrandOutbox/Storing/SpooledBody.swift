internal import Errand
internal import Foundation

/// A body that can be copied: a stream is written to a file first.
struct SpooledBody: Sendable {
    /// Empty, bytes, or a file.
    let content: HTTPRequest.Body
    /// The size in bytes; `nil` if there is no body.
    let size: Int64?
    private let file: BodyFile?

    /// - Throws: `ErrandError`: with the code `outboxFull` for a stream that is longer than the limit, with `fileFailed`
    ///   for a file that cannot be read or written, and what reading a stream throws.
    init(_ body: HTTPRequest.Body, atMost limit: Int64) async throws(ErrandError) {
        switch body {
        case .none: (self.content, self.size, self.file) = (.none, nil, nil)
        case .bytes(let data): (self.content, self.size, self.file) = (body, Int64(data.count), nil)
        case .file(let url):
            let file = url.resolvingSymlinksInPath()
            guard let facts = try? FileFacts(path: file.path), facts.isRegular else {
                throw ErrandError(.fileFailed, "\(url.path) is not a file that can be stored")
            }
            (self.content, self.size, self.file) = (.file(file), facts.length, nil)
        case .stream(let stream, _):
            let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            let file = BodyFile(url, for: "the body of a request")
            self.size = try await Self.write(stream, to: file, atMost: limit)
            (self.content, self.file) = (.file(try file.finish()), file)
        }
    }

    /// Removes the temporary file.
    func discard() {
        self.file?.discard()
    }

    private static func write(
        _ stream: BodyStream, to file: BodyFile, atMost limit: Int64
    ) async throws(ErrandError) -> Int64 {
        try file.open()
        var (chunks, size) = (stream.makeAsyncIterator(), Int64(0))
        while let chunk = try await chunks.next() {
            size += Int64(chunk.count)
            guard size <= limit else {
                throw ErrandError(.outboxFull, "a body of more than \(limit) bytes does not fit in the outbox")
            }
            try file.write(chunk)
        }
        return size
    }
}
