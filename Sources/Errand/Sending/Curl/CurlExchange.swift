#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// One transfer of libcurl, and what is known of it; used again for the next exchange when it is over.
    ///
    /// Belongs to the loop and its thread. libcurl holds a pointer to it for as long as the handle lives, and the
    /// handle is freed with the object. Safe for that reason, although it holds pointers: both live as long as it does.
    @safe
    final class CurlExchange {
        let easy: OpaquePointer
        private(set) var job: CurlJob?
        /// Gives the answer of a streamed exchange before its end.
        let deliver: (CurlJob, CurlJob.Answer) -> Void
        let options: CurlOptions
        let errorWords = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
        var head: CurlHead
        var foldGuard: CurlFoldGuard
        let delivery: CurlDelivery
        let closing: CurlClosing
        let sockets: CurlSocketNews
        var sink: (any CurlSink)?
        /// Takes the codings off the body; `nil` before a body that has some.
        var decoding: ContentDecoding?
        private(set) var source: (any CurlSource)?
        /// The error with which it was broken off here, whatever libcurl makes of that.
        private(set) var failure: ErrandError?
        /// The end of the transfer, while a disk has still something to do.
        var ending: Result<ExchangeMetrics, ErrandError>?
        private(set) var startedAt = ContinuousClock.now
        /// When libcurl began with the transfer, for the last time.
        private(set) var transferBegan = ContinuousClock.now
        var pace = CurlConnectPace(limit: nil)
        /// The connections that it may join.
        private(set) var share = CurlConnections.Share()
        /// The descriptor of the connection, or of the last one that was tried.
        var socket: Int32?
        /// When the loop woke up to send or receive bytes of a body, or a line of a head, last.
        var movedAt = ContinuousClock.now
        /// The request waits for more of its content, and the response for its reader.
        var (isStarved, isHeldBack) = (false, false)
        private var wasNudged = false
        /// The head of a response that says that an expectation is not met, before it is known whether that is the last one.
        var unmetHead: HTTPResponse.Head?
        /// Whether the request is sent without what it expects, because the server does not meet that.
        var expectsNothing = false
        /// Whether the handle must not be used again.
        var isSpent = false
        /// The status of a response that libcurl has lost.
        var lostStatus: Int?
        /// The bytes of the body that came, without its codings.
        var received: Int64 = 0
        /// The bytes of the body that came, as they were sent.
        var taken: Int64 = 0
        /// The bytes of the content that libcurl has.
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

        /// The rules for TLS that the handle was set up by.
        var rules: LoadedTLSRules { self.options.rules }

        /// Whether the handle can serve another exchange when this one is over: not after one that failed.
        ///
        /// libcurl before 8.1 keeps what it held back of a stream that was broken off beside others on its connection,
        /// and would give it to the next exchange.
        var canBeUsedAgain: Bool { self.options.settings.reusesHandles && !self.isSpent }

        // MARK: - Beginning

        /// Prepares the handle for a job.
        ///
        /// - Throws: ``ErrandError`` when it cannot be done; nothing was sent then.
        func begin(_ job: CurlJob, _ way: CurlWay) throws(ErrandError) {
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

        /// Prepares the handle for its job once more, of which nothing has come to the server.
        ///
        /// - Throws: ``ErrandError`` when that cannot be done.
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

        /// Goes on after a pause, of either direction; returns the error if it cannot.
        ///
        /// libcurl only tells here that it failed with bytes it had kept back: the transfer itself would go on without
        /// them.
        func unpause() -> ErrandError? {
            if let failure = self.failure ?? self.sink?.failure { return failure }
            // libcurl looks again only at what was paused.
            if !self.hasConnected {
                unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_PAUSE_SENDING.rawValue))
            }
            let code = unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_CONTINUE_ALL.rawValue))
            // A bad argument is a transfer that has no connection: not yet again, or not any more.
            guard code != 0, code != Int32(ERRAND_CURL_BAD_ARGUMENT.rawValue) else { return nil }
            return self.failure ?? self.error(code)
        }

        /// libcurl waits for nothing on the socket any more, in either direction.
        ///
        /// When the response is whole, and the server wants no more of the request, libcurl ends the transfer; but not
        /// while the request waits for content. So it is made to look once more.
        ///
        /// And an address was given up when there is no connection yet: libcurl does not begin with the next one before
        /// it looks once more.
        func socketWasLeft() {
            guard let job = self.job else { return }
            if self.hasConnected {
                guard self.isStarved, !self.isHeldBack, !self.wasNudged, self.head.final != nil else { return }
                self.wasNudged = true
            }
            job.mailbox.post(.unpause(job))
        }

        // MARK: - Failing and clearing

        /// Keeps the error that the exchange is to end with, unless there is one already.
        func fail(_ error: ErrandError) {
            if self.failure == nil { self.failure = error }
        }

        /// Forgets everything that belongs to the last job.
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

        /// Forgets the response, as far as it has come.
        func forgetResponse() {
            self.decoding = nil
            self.head = CurlHead(leavesCodings: self.head.leavesCodings)
            self.foldGuard.exchangeEnded()
            self.closing.exchangeEnded()
            (self.isStarved, self.isHeldBack, self.wasNudged) = (false, false, false)
            self.received = 0
            self.taken = 0
        }

        /// The metrics of the exchange, which has no end yet where `isOver` is false.
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
