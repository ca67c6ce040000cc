internal import Errand
internal import ErrandLocks
internal import Foundation

/// The content of a request as a stream, which counts the bytes that were requested.
final class ConformanceStream: Sendable {
    private let content: Data
    private let chunk: Int
    private let failurePoint: Int?
    private let isPadded: Bool
    private let produced = Locked(0)

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - chunk: The size of a chunk.
    ///   - failurePoint: The number of bytes after which it fails, if it does.
    ///   - isPadded: True to insert an empty chunk before every chunk.
    init(_ content: Data, chunk: Int, failsAt failurePoint: Int? = nil, isPadded: Bool = false) {
        self.content = content
        self.chunk = chunk
        self.failurePoint = failurePoint
        self.isPadded = isPadded
    }

    /// The number of bytes that were requested.
    var producedCount: Int { self.produced.withLock { $0 } }

    /// The stream, which can be read once.
    var body: BodyStream {
        BodyStream {
            var isEmptyNext = self.isPadded
            return { () async throws(ErrandError) -> Data? in
                defer { isEmptyNext = self.isPadded && !isEmptyNext }
                return isEmptyNext ? Data() : try self.next()
            }
        }
    }

    private func next() throws(ErrandError) -> Data? {
        let start = self.producedCount
        if let failurePoint = self.failurePoint, start >= failurePoint {
            throw ErrandError(.encodingFailed, "a planned failure")
        }
        let piece = self.content.dropFirst(start).prefix(self.chunk)
        self.produced.withLock { $0 = start + piece.count }
        return piece.isEmpty ? nil : piece
    }
}
