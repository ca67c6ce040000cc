internal import ErrandLocks
internal import ErrandMachines

#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import Foundation

    /// Sends requests with libcurl, on Linux.
    ///
    /// One thread runs all exchanges of a transport. It starts with the first of them, and ends with ``shutdown()`` or
    /// when the transport is deallocated. The library is loaded from the system at run time; see ``isAvailable``.
    public final class CurlTransport: Transport {
        private enum State {
            case idle
            case running(CurlMailbox)
            case over
        }

        private let settings: TransportSettings
        /// The version of libcurl to assume, if it is not the loaded one.
        private let version: UInt32?
        /// Called before each disk operation, to delay it.
        private let diskDelay: (@Sendable () -> Void)?
        /// The addresses of a host, which override the system's resolver.
        private let addresses: String?
        private let state = Locked<State>(.idle)

        /// A Boolean value that indicates whether libcurl can be loaded on this machine.
        public static var isAvailable: Bool { Self.problem == nil }

        /// The reason for which libcurl cannot be used, if any.
        static var problem: String? {
            unsafe errand_curl_load().map { unsafe String(cString: $0) }
        }

        /// The version of the loaded libcurl with its libraries, for display; `nil` if there is none.
        public static var libraryDescription: String? {
            Self.isAvailable ? unsafe String(cString: errand_curl_version_words()) : nil
        }

        /// Creates a transport.
        ///
        /// The library is loaded, files are read and the thread is started on first use.
        ///
        /// If a setting is invalid or not supported, every exchange fails before it is sent. So it does while the
        /// system has no descriptor left for the transport.
        public convenience init(settings: TransportSettings = TransportSettings()) {
            self.init(settings: settings, version: nil)
        }

        /// Creates a transport for tests: one that ignores features of later libcurl versions, delays disk operations
        /// with a function, and uses given addresses of a host: "name:port:address,address".
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
            // Without the stopping scope, because a job may briefly outlive the call.
            let job = CurlJob(request, context.stoppedByTask, mailbox, files)
            context.onStop(job)
            return job
        }

        /// Performs an exchange with a streamed request body.
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
            // The stream is read concurrently with the exchange, and no longer than it.
            return try await withTaskGroup(of: Void.self, returning: CurlJob.Answer.self) { group in
                group.addTask { await pipe.feed(stream, length: length, for: job) }
                let answer = await self.answer(to: job, context)
                group.cancelAll()
                return answer
            }.get()
        }

        /// True: each exchange reports its connection.
        public var reportsConnections: Bool { true }

        /// True: exchanges register stop handles.
        public var handlesStops: Bool { true }

        /// Separates cached responses if settings change the responding or trusted servers; empty for the standard
        /// settings.
        public var cachePartition: String { self.settings.cachePartition }

        /// Ends all exchanges with ``ErrandError/Code/clientShutDown``, and the thread.
        ///
        /// Returns at once; the thread then closes the sockets. Further calls have no effect.
        public func shutdown() {
            let mailbox: CurlMailbox? = self.state.withLock { state in
                defer { state = .over }
                guard case .running(let mailbox) = state else { return nil }
                return mailbox
            }
            mailbox?.post(.shutdown)
        }

        /// Returns the resources that the transport holds after all earlier commands; `nil` without a thread.
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

        /// Returns the result as soon as the head of the response has arrived, possibly while the request body is still
        /// being sent.
        private func answer(
            to job: CurlJob, _ context: ExchangeContext, from pipe: CurlUploadPipe,
            feeding feed: @escaping @Sendable () async -> Void
        ) async -> CurlJob.Answer {
            // A child task could not outlive this call. Ends with the stream that it reads, or when the loop ends the
            // exchange and closes the pipe, which cancels it.
            let feeder = spawn { await feed() }
            pipe.attach(feeder)
            let answer = await self.answer(to: job, context)
            if case .failure = answer {
                // The pipe of a job that never reached the loop is closed only here.
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
                // Starts again after a failed start, because a missing resource such as a descriptor may be available
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
                throw ErrandError(
                    .unsupported,
                    "libcurl cannot be used: \(problem); install it (on Debian and Ubuntu: apt-get install libcurl4)")
            }
            let mailbox = try CurlMailbox()
            let (settings, version, addresses) = (
                self.settings, self.version ?? errand_curl_version_number(), self.addresses
            )
            // Ends with the shutdown of this transport, at the latest when it is deallocated.
            let thread = Thread { CurlLoop.run(mailbox, settings, version: version, addresses: addresses) }
            thread.start()
            return mailbox
        }
    }
#endif
