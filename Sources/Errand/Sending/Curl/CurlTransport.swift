internal import ErrandLocks
internal import ErrandMachines

#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import Foundation

    /// Sends requests with libcurl, on Linux.
    ///
    /// One thread runs all exchanges of a transport. It is started by the first of them, and ends with ``shutdown()``
    /// or with the transport. The library is loaded from the system at run time; ``isAvailable`` tells whether it is
    /// there.
    public final class CurlTransport: Transport {
        private enum State {
            case idle
            case running(CurlMailbox)
            case over
        }

        private let settings: TransportSettings
        /// The version of libcurl to reckon with, if it is not the one that is loaded.
        private let version: UInt32?
        /// Called before each use of a disk, which waits for it.
        private let diskDelay: (@Sendable () -> Void)?
        /// The addresses of a host, in place of what the system's resolver says.
        private let addresses: String?
        private let state = Locked<State>(.idle)

        /// Tells whether libcurl can be loaded on this machine.
        public static var isAvailable: Bool { Self.problem == nil }

        /// Why libcurl cannot be used, if so.
        static var problem: String? {
            unsafe errand_curl_load().map { unsafe String(cString: $0) }
        }

        /// The version of the loaded libcurl with the libraries it uses, for people; `nil` where there is none.
        public static var libraryDescription: String? {
            Self.isAvailable ? unsafe String(cString: errand_curl_version_words()) : nil
        }

        /// Creates a transport; nothing is loaded, read or started before it is used.
        ///
        /// With settings that cannot be kept every exchange fails, and nothing is sent. So it does while the system has
        /// no descriptor left for the transport.
        public convenience init(settings: TransportSettings = TransportSettings()) {
            self.init(settings: settings, version: nil)
        }

        /// Creates a transport that does without what libcurl can do only since a later version than this one, has
        /// disks that are as slow as a function, and is told the addresses of a host: "name:port:address,address".
        package init(
            settings: TransportSettings = TransportSettings(), version: UInt32?,
            diskDelay: (@Sendable () -> Void)? = nil, addresses: String? = nil
        ) {
            self.settings = settings
            self.version = version
            self.diskDelay = diskDelay
            self.addresses = addresses
        }

        deinit {
            self.shutdown()
        }

        /// Sends a request and receives its response; see ``Transport/exchange(_:_:)``.
        ///
        /// - Throws: ``ErrandError``.
        public func exchange(
            _ request: HTTPRequest, _ context: ExchangeContext
        ) async throws(ErrandError) -> HTTPResponse {
            let job = try await self.makeJob(request, context)
            guard job.pipe != nil else { return try await self.answer(to: job, context).get() }
            return try await self.exchange(job, streaming: request.body, context)
        }

        @inline(never)
        private func makeJob(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> CurlJob {
            let mailbox = try self.mailbox()
            let files = try await CurlFiles.open(for: request, context, delay: self.diskDelay)
            // Without who stops it: a job may outlive the call for a moment.
            let job = CurlJob(request, context.stoppedByTask, mailbox, files)
            context.onStop(job)
            return job
        }

        /// Does an exchange whose request is read from a stream.
        @inline(never)
        private func exchange(
            _ job: CurlJob, streaming body: HTTPRequest.Body, _ context: ExchangeContext
        ) async throws(ErrandError) -> HTTPResponse {
            guard case .stream(let stream, let length) = body, let pipe = job.pipe else {
                return try await self.answer(to: job, context).get()
            }
            if case .stream = context.destination {
                return try await self.answer(to: job, context, from: pipe) {
                    await pipe.feed(stream, length: length, for: job)
                }.get()
            }
            // The stream is read beside the exchange, and no longer than it.
            return try await withTaskGroup(of: Void.self, returning: CurlJob.Answer.self) { group in
                group.addTask { await pipe.feed(stream, length: length, for: job) }
                let answer = await self.answer(to: job, context)
                group.cancelAll()
                return answer
            }.get()
        }

        /// True.
        public var reportsConnections: Bool { true }

        /// True.
        public var handlesStops: Bool { true }

        /// Tells answers apart where the settings change who answers, or who is trusted; empty for the standard ones.
        public var cachePartition: String { self.settings.cachePartition }

        /// Ends what is under way with ``ErrandError/Code/clientShutDown``, and the thread with it.
        ///
        /// Returns at once; sockets are closed as soon as the thread gets to it. A second time does nothing.
        public func shutdown() {
            let mailbox: CurlMailbox? = self.state.withLock { state in
                defer { state = .over }
                guard case .running(let mailbox) = state else { return nil }
                return mailbox
            }
            mailbox?.post(.shutdown)
        }

        /// Counts what the transport holds, once it has done everything that it was told before; `nil` without a
        /// thread.
        package func ledger() async -> CurlLedger? {
            guard case .running(let mailbox) = self.state.withLock({ $0 }) else { return nil }
            let answer = Waiter<CurlLedger?>()
            guard mailbox.post(.count(answer)) else { return nil }
            return await answer.waitThroughCancellation() ?? nil
        }

        private func answer(to job: CurlJob, _ context: ExchangeContext) async -> CurlJob.Answer {
            await withTaskCancellationHandler {
                guard job.mailbox.post(.submit(job)) else {
                    return .failure(job.mailbox.closeReason ?? StopReason.clientShutDown.error)
                }
                return await job.answer.waitThroughCancellation() ?? .failure(.cancelled())
            } onCancel: {
                job.stop(context.stopReason ?? .cancelled)
            }
        }

        /// Answers as soon as the head of the response is there, which may be while the body of the request is still
        /// sent.
        private func answer(
            to job: CurlJob, _ context: ExchangeContext, from pipe: CurlUploadPipe,
            feeding feed: @escaping @Sendable () async -> Void
        ) async -> CurlJob.Answer {
            // A child could not outlive this call. Ends with the stream that it reads, or when it is cancelled because
            // the loop is done with the exchange and closes the pipe.
            let feeder = spawn { await feed() }
            pipe.attach(feeder)
            let answer = await self.answer(to: job, context)
            if case .failure = answer {
                // A job that never came to the loop has nobody else who closes its pipe.
                pipe.close()
                await feeder.value
            }
            return answer
        }

        // MARK: - The thread

        private func mailbox() throws(ErrandError) -> CurlMailbox {
            try self.state.withLock { state throws(ErrandError) in
                switch state {
                case .running(let mailbox) where !mailbox.isClosed: return mailbox
                case .over: throw StopReason.clientShutDown.error
                // Also anew when it could not be started before: what was missing, such as a descriptor, may be there
                // now.
                case .idle, .running:
                    let mailbox = try self.start()
                    state = .running(mailbox)
                    return mailbox
                }
            }
        }

        private func start() throws(ErrandError) -> CurlMailbox {
            if let problem = Self.problem {
                throw ErrandError(.unsupported, "libcurl cannot be used: \(problem)")
            }
            let mailbox = try CurlMailbox()
            let (settings, version, addresses) = (
                self.settings, self.version ?? errand_curl_version_number(), self.addresses
            )
            // Ends with the shutdown that this transport sends, at the latest when it goes away.
            let thread = Thread { CurlLoop.run(mailbox, settings, version: version, addresses: addresses) }
            thread.start()
            return mailbox
        }
    }
#endif
