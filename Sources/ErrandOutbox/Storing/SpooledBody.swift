internal import Errand
internal import Foundation

/// A body that can be copied: a stream is written into a file first.
struct SpooledBody: Sendable {
    /// None, bytes, or a file.
    let content: HTTPRequest.Body
    /// The number of bytes it has; `nil` where there is none.
    let size: Int64?
    private let file: URL?

    /// - Throws: `ErrandError`: with the code `outboxFull` for a stream that is longer than the limit, with `fileFailed`
    ///   for a file that cannot be read or written, and what reading a stream throws.
    init(_ body: HTTPRequest.Body, atMost limit: Int64) async throws(ErrandError) {
        switch body {
        case .none: (self.content, self.size, self.file) = (.none, nil, nil)
        case .bytes(let data): (self.content, self.size, self.file) = (body, Int64(data.count), nil)
        case .file(let url):
            let file = url.resolvingSymlinksInPath()
            guard let facts = try? FileFacts(path: file.path), facts.isRegular else {
                throw ErrandError(.fileFailed, "\(url.path) is no file that could be kept")
            }
            (self.content, self.size, self.file) = (.file(file), facts.length, nil)
        case .stream(let stream, _):
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            do throws(ErrandError) {
                self.size = try await Self.write(stream, to: file, atMost: limit)
            } catch {
                _ = unsafe unlink(file.path)
                throw error
            }
            (self.content, self.file) = (.file(file), file)
        }
    }

    /// Removes what was made for it.
    func discard() {
        if let file { _ = unsafe unlink(file.path) }
    }

    private static func write(
        _ stream: BodyStream, to file: URL, atMost limit: Int64
    ) async throws(ErrandError) -> Int64 {
        var size: Int64 = 0
        do {
            let descriptor = unsafe open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw ErrandError(system: "\(file.path) cannot be made", code: .fileFailed) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            for try await chunk in stream {
                size += Int64(chunk.count)
                guard size <= limit else {
                    throw ErrandError(.outboxFull, "a body of more than \(limit) bytes has no room in the outbox")
                }
                try handle.write(contentsOf: chunk)
            }
            try handle.close()
        } catch {
            throw ErrandError(wrapping: error, as: .fileFailed, "the body of a request cannot be kept")
        }
        return size
    }
}
