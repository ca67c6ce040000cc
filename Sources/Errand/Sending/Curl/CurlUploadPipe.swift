internal import ErrandLocks

#if canImport(CErrandCurl)
    internal import struct Foundation.Data

    /// Passes the chunks of a request body from the producing task to the loop, one at a time.
    final class CurlUploadPipe: Sendable {
        private enum End {
            case whole
            case failed(ErrandError)
        }

        private struct State {
            var chunk = Data()
            /// True while the loop has paused the transfer for lack of bytes.
            var isStarved = false
            var end: End?
            /// Set once the exchange is over.
            var isClosed = false
            var feeder: Waiter<Void>?
            /// The feeding task, if it has to be cancelled when the exchange is over.
            var task: Task<Void, Never>?
        }

        private let state = Locked(State())

        // MARK: - The feeder's side

        /// Ties a task to the pipe, which cancels it when it is closed, or at once if it is already closed.
        func attach(_ task: Task<Void, Never>) {
            let isClosed = self.state.withLock { state in
                if !state.isClosed { state.task = task }
                return state.isClosed
            }
            if isClosed { task.cancel() }
        }

        /// Reads a stream to its end and passes on its chunks, at the speed of sending.
        ///
        /// With a length, the last chunk is held back until the stream ends there: a request with a wrong length is
        /// aborted before it is complete.
        func feed(_ stream: BodyStream, length: Int64?, for job: CurlJob) async {
            var held = Data()
            var total: Int64 = 0
            do throws(ErrandError) {
                var iterator = stream.makeAsyncIterator()
                while let chunk = try await iterator.next() {
                    guard !chunk.isEmpty else { continue }
                    total += Int64(chunk.count)
                    if let length, total > length { throw .bodyLonger(than: length) }
                    guard await self.put(held, for: job) else { return }
                    held = chunk
                    if length == nil {
                        guard await self.put(held, for: job) else { return }
                        held = Data()
                    }
                }
                // Some streams end when their task is cancelled, before the body is complete.
                guard !Task.isCancelled else { throw .cancelled() }
                if let length, total < length { throw .bodyShorter(than: length) }
                guard await self.put(held, for: job) else { return }
                self.finish(.whole, for: job)
            } catch {
                self.finish(.failed(error), for: job)
            }
        }

        /// Passes on a chunk and waits until it is taken; returns false if the exchange is over.
        private func put(_ chunk: Data, for job: CurlJob) async -> Bool {
            guard !chunk.isEmpty else { return true }
            let waiter = Waiter<Void>()
            let (isOpen, wakes) = self.state.withLock { state in
                guard !state.isClosed else { return (false, false) }
                state.chunk = chunk
                state.feeder = waiter
                defer { state.isStarved = false }
                return (true, state.isStarved)
            }
            guard isOpen else { return false }
            if wakes { job.mailbox.post(.unpause(job)) }
            guard await waiter.wait() != nil else { return false }
            return self.state.withLock { !$0.isClosed }
        }

        private func finish(_ end: End, for job: CurlJob) {
            let wakes = self.state.withLock { state in
                state.end = end
                defer { state.isStarved = false }
                return state.isStarved
            }
            if wakes { job.mailbox.post(.unpause(job)) }
        }

        // MARK: - The loop's side

        /// Fills a buffer; returns the number of bytes, 0 at the end, or `nil` if there are none yet.
        ///
        /// - Throws: The ``ErrandError`` with which the stream failed.
        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int? {
            let (count, feeder, failure) = self.state.withLock { state -> (Int?, Waiter<Void>?, ErrandError?) in
                if state.chunk.isEmpty {
                    switch state.end {
                    case .whole: return (0, nil, nil)
                    case .failed(let error): return (0, nil, error)
                    case nil:
                        state.isStarved = true
                        return (nil, nil, nil)
                    }
                }
                let count = unsafe state.chunk.copyBytes(to: room, count: min(room.count, state.chunk.count))
                state.chunk = state.chunk.dropFirst(count)
                return (count, state.chunk.isEmpty ? state.feeder.take() : nil, nil)
            }
            feeder?.resume(())
            if let failure { throw failure }
            return count
        }

        /// Ends the pipe: no more bytes are taken.
        func close() {
            let (feeder, task) = self.state.withLock { state in
                state.isClosed = true
                state.chunk = Data()
                return (state.feeder.take(), state.task.take())
            }
            feeder?.resume(())
            task?.cancel()
        }
    }
#endif
