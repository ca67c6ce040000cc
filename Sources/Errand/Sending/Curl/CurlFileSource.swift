internal import ErrandLocks

#if canImport(CErrandCurl)
    internal import Foundation

    /// Sends a file: the queue of the exchange reads ahead of the loop, and waits for the disk.
    ///
    /// While a piece is sent, the next one is read. If there is none, the transfer pauses until the disk has delivered
    /// it.
    final class CurlFileSource: CurlSource, Sendable {
        private struct State {
            /// The piece being sent, and the next one.
            var (ready, next) = (Data(), Data())
            /// The number of bytes passed to libcurl, and the number of bytes read.
            var (given, fetched): (Int64, Int64) = (0, 0)
            /// The number of rewinds: bytes read for an earlier round are dropped.
            var round = 0
            /// True while the queue has a job that reads.
            var isBusy = false
            /// True while the transfer is paused for lack of bytes.
            var isStarved = false
            var failure: ErrandError?

            /// Returns true if there is room for another piece, and more to read.
            func wantsMore(of size: Int64) -> Bool {
                self.failure == nil && self.next.isEmpty && self.fetched < size
            }
        }

        /// The number of bytes read at once.
        private static let pieceSize = 256 << 10

        private let file: RegularFile
        private let files: CurlFiles
        private let job: CurlJob
        private let state = Locked(State())

        var length: Int64? { self.file.size }

        init(_ file: RegularFile, _ files: CurlFiles, _ job: CurlJob) {
            self.file = file
            self.files = files
            self.job = job
        }

        // MARK: - From the loop

        func read(into room: UnsafeMutableRawBufferPointer) throws(ErrandError) -> Int? {
            let (count, starts) = try self.state.withLock { state throws(ErrandError) -> (Int?, Bool) in
                if let failure = state.failure { throw failure }
                let count = unsafe self.take(into: room, &state)
                state.isStarved = count == nil
                let starts = !state.isBusy && state.wantsMore(of: self.file.size)
                if starts { state.isBusy = true }
                return (count, starts)
            }
            if starts { self.files.perform { self.work() } }
            return count
        }

        func rewind(to offset: Int64) -> Bool {
            guard (0...self.file.size).contains(offset) else { return false }
            self.state.withLock { state in
                state.round += 1
                (state.ready, state.next) = (Data(), Data())
                (state.given, state.fetched) = (offset, offset)
            }
            return true
        }

        private func take(into room: UnsafeMutableRawBufferPointer, _ state: inout State) -> Int? {
            if state.ready.isEmpty { (state.ready, state.next) = (state.next, Data()) }
            guard !state.ready.isEmpty else { return state.given == self.file.size ? 0 : nil }
            let count = unsafe state.ready.copyBytes(to: room, count: min(room.count, state.ready.count))
            state.ready = state.ready.dropFirst(count)
            state.given += Int64(count)
            return count
        }

        // MARK: - On the queue

        private func work() {
            while let (offset, round) = self.nextPlace() {
                self.files.waitForDisk()
                self.keep(
                    Result { () throws(ErrandError) in try self.file.read(Self.pieceSize, at: offset) }, of: round)
            }
        }

        private func nextPlace() -> (offset: Int64, round: Int)? {
            self.state.withLock { state in
                state.isBusy = state.wantsMore(of: self.file.size)
                return state.isBusy ? (state.fetched, state.round) : nil
            }
        }

        private func keep(_ result: Result<Data, ErrandError>, of round: Int) {
            let wakes = self.state.withLock { state in
                guard state.round == round else { return false }
                switch result {
                case .success(let piece):
                    state.fetched += Int64(piece.count)
                    if state.ready.isEmpty { state.ready = piece } else { state.next = piece }
                case .failure(let error): state.failure = error
                }
                defer { state.isStarved = false }
                return state.isStarved
            }
            if wakes { self.job.mailbox.post(.unpause(self.job)) }
        }
    }
#endif
