#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import Foundation

    /// A streamed request body in a temporary file, which is removed when it is no longer referenced.
    ///
    /// URLSession would read a stream with blocking calls; a file it reads by itself. Only this user can read the file. The
    /// disk is accessed on a queue, never in a task.
    final class URLSessionUpload: Sendable {
        /// The file with the body.
        let url: URL
        private let file: BodyFile
        private let queue: OperationQueue

        /// Chooses a name in a folder; the file is not created yet.
        init(in folder: URL, on queue: OperationQueue) {
            let url = folder.appending(path: "Errand-\(UUID().uuidString).upload", directoryHint: .notDirectory)
            self.url = url
            self.file = BodyFile(url, for: "the request body")
            self.queue = queue
        }

        deinit {
            self.file.discard()
        }

        /// Writes a stream to the file until the stream ends or the task is cancelled.
        ///
        /// Called once. The file is removed on failure.
        ///
        /// - Throws: The ``ErrandError`` of the stream, one with the code ``ErrandError/Code/encodingFailed`` if it has
        ///   more or fewer bytes than its length, or one with the code ``ErrandError/Code/fileFailed``.
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

        /// Removes the file, as ``discard()`` does, without blocking the calling task's thread.
        func remove() async {
            await self.perform { $0.discard() }
        }

        /// Removes the file; further calls have no effect.
        ///
        /// Blocks the calling thread while the disk is accessed. Not called while the stream is being written.
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
            // Some streams end when their task is cancelled, before the body is complete.
            guard !Task.isCancelled else { throw .cancelled() }
            if let length, total < length { throw .bodyShorter(than: length) }
        }

        /// Performs a file operation on the queue.
        private func perform<Failure: Error>(
            _ work: @escaping @Sendable (BodyFile) throws(Failure) -> Void
        ) async throws(Failure) {
            // Resumed when the disk operation ends: the queue never stops.
            let result: Result<Void, Failure> = await withCheckedContinuation { continuation in
                self.queue.addOperation { [file = self.file] in
                    continuation.resume(returning: Result { () throws(Failure) in try work(file) })
                }
            }
            try result.get()
        }
    }
#endif
