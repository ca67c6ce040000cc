#if canImport(CErrandCurl)
    internal import struct Foundation.Data

    /// The chunks of a response body between the loop that receives them and the task that reads them.
    ///
    /// It takes chunks while fewer bytes than its limit wait in it; then the transfer is paused, until half of them were
    /// read. So it never holds more than the limit and one chunk, and libcurl holds one receive buffer besides.
    final class CurlBodyChannel: Sendable {
        private enum End {
            case whole
            case failed(ErrandError)
        }

        private struct State {
            var chunks: [Data] = []
            /// The first chunk that was not read.
            var first = 0
            var byteCount = 0
            var isPaused = false
            var end: End?
            var reader: Waiter<Void>?
        }

        private enum Step {
            case chunk(Data, resumes: Bool)
            case end(ErrandError?)
            case wait(Waiter<Void>)
        }

        private let limit: Int
        private let state = Locked(State())

        init(limit: Int) {
            self.limit = max(1, limit)
        }

        // MARK: - From the loop

        /// Takes a chunk, or answers false when there are enough: then the transfer pauses.
        func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard self.hasRoom() else { return false }
            let chunk = unsafe Data(bytes)
            let reader = self.state.withLock { state in
                state.chunks.append(chunk)
                state.byteCount += chunk.count
                return state.reader.take()
            }
            reader?.resume(())
            return true
        }

        private func hasRoom() -> Bool {
            self.state.withLock { state in
                state.isPaused = state.byteCount >= self.limit
                return !state.isPaused
            }
        }

        /// No more comes: the body is whole, or broken off by an error.
        func end(_ error: ErrandError?) {
            let reader = self.state.withLock { state in
                if state.end == nil { state.end = error.map { .failed($0) } ?? .whole }
                return state.reader.take()
            }
            reader?.resume(())
        }

        // MARK: - For the reader

        /// The stream over this channel; letting go of it ends the exchange.
        func stream(for job: CurlJob) -> BodyStream {
            let lease = CurlBodyLease(self, job)
            return BodyStream(endingWith: { job.cancel() }) { lease.makePull() }
        }

        /// The next chunk, or nothing at the end.
        func next(for job: CurlJob) async throws(ErrandError) -> Data? {
            while true {
                switch self.step() {
                case .chunk(let chunk, let resumes):
                    if resumes { job.mailbox.post(.unpause(job)) }
                    return chunk
                case .end(let error):
                    if let error { throw error }
                    return nil
                case .wait(let waiter):
                    guard await waiter.wait() != nil else {
                        job.cancel()
                        throw .cancelled()
                    }
                }
            }
        }

        private func step() -> Step {
            self.state.withLock { state in
                if state.first < state.chunks.count { return self.takeChunk(&state) }
                switch state.end {
                case .whole: return .end(nil)
                case .failed(let error): return .end(error)
                case nil:
                    let waiter = Waiter<Void>()
                    state.reader = waiter
                    return .wait(waiter)
                }
            }
        }

        private func takeChunk(_ state: inout State) -> Step {
            let chunk = state.chunks[state.first]
            state.chunks[state.first] = Data()
            state.first += 1
            if state.first == state.chunks.count {
                state.chunks.removeAll(keepingCapacity: true)
                state.first = 0
            }
            state.byteCount -= chunk.count
            let resumes = state.isPaused && state.byteCount <= self.limit / 2
            if resumes { state.isPaused = false }
            return .chunk(chunk, resumes: resumes)
        }
    }

    /// Held by a stream and whoever reads it: when the last of them is gone, nobody wants the rest of the body.
    private final class CurlBodyLease: Sendable {
        private let channel: CurlBodyChannel
        private let job: CurlJob
        private let isTaken = Locked(false)

        init(_ channel: CurlBodyChannel, _ job: CurlJob) {
            self.channel = channel
            self.job = job
        }

        deinit {
            self.job.cancel()
        }

        func makePull() -> BodyStream.Pull {
            let isFirst = self.isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
            return { () async throws(ErrandError) -> Data? in
                guard isFirst else { throw ErrandError(.unsupported, "the body of a response can be read only once") }
                return try await self.channel.next(for: self.job)
            }
        }
    }
#endif
