internal import ErrandLocks

#if canImport(CErrandCurl)
    internal import Foundation

    /// Writes the body to a new file: the loop passes it on, and the queue of the exchange waits for the disk.
    ///
    /// While a piece is written, the next one is collected. When that reaches the limit, the transfer pauses until the
    /// previous piece is written.
    final class CurlFileSink: CurlSink, Sendable {
        private enum Ending {
            /// The whole body has been received.
            case whole
            /// The exchange has failed: the file is removed.
            case broken
        }

        private struct State {
            /// The bytes that wait for the disk.
            var waiting: [UInt8] = []
            /// The memory of the previous piece, reused because allocating it takes longer than filling it.
            var spare: [UInt8] = []
            /// True while the queue has a job that writes the waiting bytes and handles the end.
            var isBusy = false
            /// True while the transfer is paused.
            var isHeldBack = false
            var ending: Ending?
            /// The result, once the file is closed or removed.
            var outcome: Result<URL, ErrandError>?

            /// Returns true if a job has to be enqueued.
            mutating func becomesBusy() -> Bool {
                defer { self.isBusy = true }
                return !self.isBusy
            }
        }

        private enum Step {
            case write([UInt8], resumes: Bool)
            case finish
            case discard
            case rest
        }

        /// The maximum number of waiting bytes.
        private static let limit = 256 << 10

        private let file: BodyFile
        private let files: CurlFiles
        private let job: CurlJob
        private let keepsPart: Bool
        private let state = Locked(State())

        init(_ file: BodyFile, _ files: CurlFiles, _ job: CurlJob) {
            self.file = file
            self.files = files
            self.job = job
            self.keepsPart = job.context.keepsPartOfFile
        }

        // MARK: - From the loop

        func begin(_ head: CurlHead, _ job: CurlJob) throws(ErrandError) -> HTTPResponse.Body? { nil }

        func write(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool {
            let starts = try self.state.withLock { state throws(ErrandError) -> Bool? in
                if case .failure(let error)? = state.outcome { throw error }
                guard state.waiting.count < Self.limit else {
                    // The queue is busy, since bytes are waiting: its job writes them and resumes the transfer.
                    state.isHeldBack = true
                    return nil
                }
                unsafe state.waiting.append(contentsOf: bytes)
                return state.becomesBusy()
            }
            if starts == true { self.files.perform { self.work() } }
            return starts != nil
        }

        var failure: ErrandError? {
            guard case .failure(let error)? = self.state.withLock({ $0.outcome }) else { return nil }
            return error
        }

        func settle(isWhole: Bool) -> Bool {
            let starts = self.state.withLock { state -> Bool? in
                // If the exchange is aborted just after its file was finished, the file is removed too.
                if !isWhole, case .success? = state.outcome { state.outcome = nil }
                guard state.outcome == nil else { return nil }
                state.ending = isWhole ? .whole : .broken
                return state.becomesBusy()
            }
            if starts == true { self.files.perform { self.work() } }
            return starts == nil
        }

        func finish() throws(ErrandError) -> HTTPResponse.Body? {
            guard let outcome = self.state.withLock({ $0.outcome }) else {
                throw ErrandError(.fileFailed, "the file of the response body is still being written")
            }
            return .file(try outcome.get())
        }

        func abandon(_ error: ErrandError) -> Bool { false }

        // MARK: - On the queue

        private func work() {
            while self.takeStep() {}
        }

        /// Performs the next step; returns true if there may be another.
        private func takeStep() -> Bool {
            switch self.nextStep() {
            case .write(let piece, let resumes):
                if resumes { self.wake() }
                return self.write(piece)
            case .finish:
                self.files.waitForDisk()
                self.close(Result { () throws(ErrandError) in try self.file.finish() })
            case .discard:
                self.files.waitForDisk()
                self.file.discard()
                self.close(.failure(.cancelled()))
            case .rest: break
            }
            return false
        }

        private func write(_ piece: consuming [UInt8]) -> Bool {
            self.files.waitForDisk()
            do throws(ErrandError) { try self.file.write(piece) } catch {
                self.file.discard()
                self.close(.failure(error))
                return false
            }
            piece.removeAll(keepingCapacity: true)
            self.state.withLock { $0.spare = piece }
            return true
        }

        private func nextStep() -> Step {
            self.state.withLock { state in
                // The last bytes are part of the body like the earlier ones.
                if state.ending == .broken, state.waiting.isEmpty || !self.keepsPart { return .discard }
                guard state.waiting.isEmpty else {
                    let (piece, resumes) = (state.waiting, state.isHeldBack)
                    (state.waiting, state.spare, state.isHeldBack) = (state.spare, [], false)
                    return .write(piece, resumes: resumes)
                }
                if state.ending == .whole { return .finish }
                state.isBusy = false
                return .rest
            }
        }

        private func close(_ outcome: Result<URL, ErrandError>) {
            self.state.withLock { state in
                state.outcome = outcome
                (state.waiting, state.spare) = ([], [])
                state.isBusy = false
            }
            self.wake()
        }

        /// Wakes the loop, because there is room or the file is closed.
        private func wake() {
            self.job.mailbox.post(.unpause(self.job))
        }
    }
#endif
