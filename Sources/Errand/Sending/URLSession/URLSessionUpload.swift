internal import Foundation

/// A streamed request body on its way through a temporary file, which is gone when nobody holds it any more.
///
/// URLSession would read a stream with calls that block; a file it reads by itself. The file is for this user alone.
/// The disk is waited for on a queue, and never by a task.
final class URLSessionUpload: Sendable {
    /// Where the body is.
    let url: URL
    private let file: BodyFile
    private let queue: OperationQueue

    /// Chooses a name in a folder; nothing is made yet.
    init(in folder: URL, on queue: OperationQueue) {
        let url = folder.appending(path: "Errand-\(UUID().uuidString).upload", directoryHint: .notDirectory)
        self.url = url
        self.file = BodyFile(url, for: "the request body")
        self.queue = queue
    }

    deinit {
        self.file.discard()
    }

    /// Reads a stream to its end, or until the task is cancelled, and writes what it gives.
    ///
    /// Called once. Nothing is left of the file when it fails.
    ///
    /// - Throws: ``ErrandError`` that the stream fails with, with the code ``ErrandError/Code/encodingFailed`` when it
    ///   has more or fewer bytes than its length, or with the code ``ErrandError/Code/fileFailed``.
    func write(_ stream: BodyStream, length: Int64?) async throws(ErrandError) {
        do throws(ErrandError) {
            try await self.perform { file throws(ErrandError) in try file.open() }
            try await self.copy(stream, length)
            try await self.perform { file throws(ErrandError) in _ = try file.finish() }
        } catch {
            await self.remove()
            throw error
        }
    }

    /// Removes the file, as ``discard()`` does, without holding up the calling task's thread.
    func remove() async {
        await self.perform { $0.discard() }
    }

    /// Removes the file; does nothing the second time.
    ///
    /// Blocks the thread of its caller for as long as the disk takes. Not called while the stream is written.
    func discard() {
        self.file.discard()
    }

    // MARK: - Private helpers

    private func copy(_ stream: BodyStream, _ length: Int64?) async throws(ErrandError) {
        var chunks = stream.makeAsyncIterator()
        var total: Int64 = 0
        while let chunk = try await chunks.next() {
            guard !Task.isCancelled else { throw .cancelled() }
            total += Int64(chunk.count)
            if let length, total > length { throw .bodyLonger(than: length) }
            if !chunk.isEmpty { try await self.perform { file throws(ErrandError) in try file.write(chunk) } }
        }
        // Some streams end when their task is cancelled: what they gave is not the whole body.
        guard !Task.isCancelled else { throw .cancelled() }
        if let length, total < length { throw .bodyShorter(than: length) }
    }

    /// Does something to the file on the queue.
    private func perform<Failure: Error>(
        _ work: @escaping @Sendable (BodyFile) throws(Failure) -> Void
    ) async throws(Failure) {
        // Woken when the disk is done: the queue never stops.
        let result: Result<Void, Failure> = await withCheckedContinuation { continuation in
            self.queue.addOperation { [file = self.file] in
                continuation.resume(returning: Result { () throws(Failure) in try work(file) })
            }
        }
        try result.get()
    }
}
