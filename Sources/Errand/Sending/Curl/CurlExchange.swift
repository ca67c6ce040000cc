#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// A libcurl transfer and its state; reused for later exchanges.
    ///
    /// Confined to the loop and its thread. libcurl has a pointer to it as long as the handle exists, and the handle is
    /// freed with the object. Safe for that reason, although it holds pointers: both live as long as it does.
    @safe
    final class CurlExchange {
        let easy: OpaquePointer
        private(set) var job: CurlJob?
        /// Delivers the result of a streamed exchange before its end.
        let deliver: (CurlJob, CurlJob.Answer) -> Void
        let options: CurlOptions
        let errorWords = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
        var head: CurlHead
        var foldGuard: CurlFoldGuard
        let delivery: CurlDelivery
        let closing: CurlClosing
        let sockets: CurlSocketNews
        var sink: (any CurlSink)?
        /// Decodes the content codings of the body; `nil` before a body that has any.
        var decoding: ContentDecoding?
        private(set) var source: (any CurlSource)?
        /// The error with which it was aborted here, whatever libcurl reports.
        private(set) var failure: ErrandError?
        /// The result of the transfer, while a disk operation is pending.
        var ending: Result<ExchangeMetrics, ErrandError>?
        private(set) var startedAt = ContinuousClock.now
        /// The time at which libcurl last started the transfer.
        private(set) var transferBegan = ContinuousClock.now
        var pace = CurlConnectPace(limit: nil)
        /// The connections that it may join.
        private(set) var share = CurlConnections.Share()
        /// The descriptor of the connection, or of the last attempt.
        var socket: Int32?
        /// The time of the loop's last wakeup in which bytes of a body or a line of a head were transferred.
        var movedAt = ContinuousClock.now
        /// True while the request waits for content, and while the response waits for its reader.
        var (isStarved, isHeldBack) = (false, false)
        private var wasNudged = false
        /// The head of a response with status 417, until it is known to be final.
        var unmetHead: HTTPResponse.Head?
        /// True if the request is repeated without its expectation, which the server rejected.
        var expectsNothing = false
        /// True if the handle must not be reused.
        var isSpent = false
        /// The status of a response that libcurl has lost.
        var lostStatus: Int?
        /// The received bytes of the body, decoded.
        var received: Int64 = 0
        /// The received bytes of the body, as sent.
        var taken: Int64 = 0
        /// The bytes of the content passed to libcurl.
        var sent: Int64 = 0

        init(
            _ settings: CurlSettings, _ rules: LoadedTLSRules, _ lineCache: CurlLineCache, _ sockets: CurlSockets,
            delivering deliver: @escaping (CurlJob, CurlJob.Answer) -> Void
        ) throws(ErrandError) {
            guard let easy = unsafe errand_curl_easy_make() else {
                throw ErrandError(.transportFailed, "libcurl has no memory for a request")
            }
            unsafe self.easy = easy
            self.deliver = deliver
            self.head = CurlHead(leavesCodings: !settings.network.decodesContent)
            let tracing = unsafe CurlTracing(easy)
            unsafe self.foldGuard = CurlFoldGuard(easy, settings, tracing)
            unsafe self.delivery = CurlDelivery(easy, settings, sockets, tracing, words: self.errorWords)
            unsafe self.closing = CurlClosing(easy)
            unsafe self.sockets = CurlSocketNews(easy, sockets)
            unsafe self.options = CurlOptions(easy, settings, rules, lineCache)
            unsafe self.errorWords.initialize(repeating: 0, count: 256)
            self.connect()
            try self.options.setUp()
        }

        deinit {
            unsafe errand_curl_easy_free(self.easy)
            unsafe self.errorWords.deallocate()
        }

        /// The TLS rules that the handle was set up with.
        var rules: LoadedTLSRules { self.options.rules }

        /// True if the handle can be reused after this exchange: not after a failed one.
        ///
        /// libcurl before 8.1 keeps the held-back bytes of an aborted stream if others use its connection, and would
        /// deliver them to the next exchange.
        var canBeUsedAgain: Bool { self.options.settings.reusesHandles && !self.isSpent }

        // MARK: - Beginning

        /// Prepares the handle for a job.
        ///
        /// - Throws: ``ErrandError`` if that fails, before anything is sent.
        func begin(_ job: CurlJob, _ way: CurlConnectionPolicy) throws(ErrandError) {
            self.job = job
            self.startedAt = .now
            self.movedAt = self.startedAt
            self.share = way.share
            self.pace = CurlConnectPace(limit: job.context.connectLimit, since: self.startedAt)
            self.sink = try CurlSinks.sink(for: job)
            let source = CurlSources.source(of: job)
            self.source = source
            try self.options.set(job.request, source: source, isObserved: job.context.isObserved, way)
            try self.options.setConnecting(self.pace, at: self.startedAt)
            self.options.setBuffer(for: job.context.destination, way)
            self.prepare(job, at: self.startedAt)
        }

        /// Prepares the handle to repeat its job, which has not reached the server.
        ///
        /// - Throws: ``ErrandError`` if that fails.
        func beginAgain() throws(ErrandError) {
            guard let job = self.job else { return }
            if self.delivery.avoidsConnection { try self.options.useNewConnection() }
            if self.expectsNothing {
                var request = job.request
                request.headers.removeAll(named: "Expect")
                try self.options.setLines(request)
            }
            let now = ContinuousClock.now
            try self.options.setConnecting(self.pace, at: now)
            self.failure = nil
            self.isStarved = false
            self.sent = 0
            self.prepare(job, at: now)
        }

        private func prepare(_ job: CurlJob, at now: ContinuousClock.Instant) {
            self.transferBegan = now
            unsafe self.errorWords[0] = 0
            self.sockets.begin()
            self.delivery.begin(job.request)
        }

        /// Resumes after a pause in either direction; returns the error if that fails.
        ///
        /// Only this call reports errors with bytes that libcurl had held back: the transfer itself would continue
        /// without them.
        func unpause() -> ErrandError? {
            if let failure = self.failure ?? self.sink?.failure { return failure }
            // libcurl reconsiders only a paused transfer.
            if !self.hasConnected {
                unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_PAUSE_SENDING.rawValue))
            }
            let code = unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_CONTINUE_ALL.rawValue))
            // A bad argument means that the transfer has no connection, not yet or no longer.
            guard code != 0, code != Int32(ERRAND_CURL_BAD_ARGUMENT.rawValue) else { return nil }
            return self.failure ?? self.error(code)
        }

        /// Handles that libcurl no longer waits for the socket, in either direction.
        ///
        /// If the response is complete, and the server wants no more of the request, libcurl ends the transfer, but not
        /// while the request waits for content. So it is unpaused to check again.
        ///
        /// If there is no connection yet, an address was given up, and libcurl starts with the next one only when it
        /// checks again.
        func socketWasLeft() {
            guard let job = self.job else { return }
            if self.hasConnected {
                guard self.isStarved, !self.isHeldBack, !self.wasNudged, self.head.final != nil else { return }
                self.wasNudged = true
            }
            job.mailbox.post(.unpause(job))
        }

        // MARK: - Failing and clearing

        /// Stores the error for the exchange, unless there already is one.
        func fail(_ error: ErrandError) {
            if self.failure == nil { self.failure = error }
        }

        /// Clears the state of the last job.
        func clear() {
            self.job = nil
            self.sink = nil
            self.source = nil
            self.failure = nil
            self.unmetHead = nil
            self.expectsNothing = false
            self.ending = nil
            self.lostStatus = nil
            self.socket = nil
            self.sent = 0
            self.forgetResponse()
        }

        /// Clears the state of the response.
        func forgetResponse() {
            self.decoding = nil
            self.head = CurlHead(leavesCodings: self.head.leavesCodings)
            self.foldGuard.exchangeEnded()
            self.closing.exchangeEnded()
            (self.isStarved, self.isHeldBack, self.wasNudged) = (false, false, false)
            self.received = 0
            self.taken = 0
        }

        /// Returns the metrics of the exchange, without an end if `isOver` is false.
        func metrics(untilEnd isOver: Bool = true) -> ExchangeMetrics {
            let submittedAt = self.job?.submittedAt ?? self.startedAt
            var metrics = unsafe ExchangeMetrics(
                curl: self.easy, after: submittedAt.duration(to: self.startedAt),
                countingFrom: submittedAt.duration(to: self.transferBegan))
            if !isOver { metrics.finished = nil }
            return metrics
        }
    }
#endif
