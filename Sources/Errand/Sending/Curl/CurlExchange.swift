#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import struct Foundation.Data

    /// One transfer of libcurl, and what is known of it; used again for the next exchange when it is over.
    ///
    /// Belongs to the loop and its thread. libcurl holds a pointer to it for as long as the handle lives, and the
    /// handle is freed with the object. Safe for that reason, although it holds pointers: both live as long as it does.
    @safe
    final class CurlExchange {
        let easy: OpaquePointer
        private(set) var job: CurlJob?
        /// Gives the answer of a streamed exchange before its end.
        private let deliver: (CurlJob, CurlJob.Answer) -> Void
        let options: CurlOptions
        let errorWords = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
        private(set) var head: CurlHead
        private var foldGuard: CurlFoldGuard
        private let delivery: CurlDelivery
        private let closing: CurlClosing
        private let sockets: CurlSocketNews
        var sink: (any CurlSink)?
        /// What takes the codings off the body, once there is a body that has some.
        private var decoding: ContentDecoding?
        private(set) var source: (any CurlSource)?
        /// Why it was broken off here, whatever libcurl makes of that.
        private(set) var failure: ErrandError?
        /// How the transfer ended, while a disk has still something to do.
        private var ending: Result<ExchangeMetrics, ErrandError>?
        private(set) var startedAt = ContinuousClock.now
        /// When libcurl began with the transfer, for the last time.
        private(set) var transferBegan = ContinuousClock.now
        var pace = CurlConnectPace(limit: nil)
        /// The connections that it may join.
        private(set) var share = CurlConnections.Share()
        /// The descriptor of the connection, or of the last one that was tried.
        var socket: Int32?
        /// When bytes of a body, or a line of a head, were sent or received last.
        private(set) var movedAt = ContinuousClock.now
        /// The request waits for more of its content, and the response for its reader.
        private(set) var (isStarved, isHeldBack) = (false, false)
        private var wasNudged = false
        /// The head of a response that says that an expectation is not met, before it is known whether that is the last one.
        private var unmetHead: HTTPResponseHead?
        /// Whether the request is sent without what it expects, because the server does not meet that.
        private var expectsNothing = false
        /// What libcurl knows of the last exchange must not be gone on with.
        private var isSpent = false
        /// The status of a response that libcurl has lost.
        var lostStatus: Int?
        private var received: Int64 = 0
        /// How many bytes of the body were taken, as they were sent.
        private(set) var taken: Int64 = 0
        private var sent: Int64 = 0

        init(
            _ settings: CurlSettings, _ rules: LoadedTLSRules, _ lineCache: CurlLineCache, _ sockets: CurlSockets,
            delivering deliver: @escaping (CurlJob, CurlJob.Answer) -> Void
        ) throws(ErrandError) {
            guard let easy = unsafe errand_curl_easy_make() else {
                throw ErrandError(.transportFailed, "libcurl has no memory for a request")
            }
            unsafe self.easy = easy
            self.deliver = deliver
            self.head = CurlHead(settings)
            let tracing = unsafe CurlTracing(easy)
            unsafe self.foldGuard = CurlFoldGuard(easy, settings, tracing)
            unsafe self.delivery = CurlDelivery(easy, settings, sockets, tracing, words: self.errorWords)
            unsafe self.closing = CurlClosing(easy)
            unsafe self.sockets = CurlSocketNews(easy, sockets)
            unsafe self.options = CurlOptions(easy, settings, rules, lineCache)
            unsafe self.errorWords.initialize(repeating: 0, count: 256)
            unsafe self.connect(easy)
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

        /// The exchange that a handle belongs to.
        static func of(_ easy: OpaquePointer) -> CurlExchange? {
            unsafe Self.from(errand_curl_get_private(easy))
        }

        private static func from(_ user: UnsafeMutableRawPointer?) -> CurlExchange? {
            unsafe user.map { unsafe Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
        }

        // MARK: - Beginning

        /// Prepares the handle for a job.
        ///
        /// - Throws: ``ErrandError`` when it cannot be done; nothing was sent then.
        func begin(_ job: CurlJob, _ way: CurlWay) throws(ErrandError) {
            self.job = job
            self.startedAt = .now
            self.movedAt = self.startedAt
            self.share = way.share
            self.pace = CurlConnectPace(limit: job.context.connectLimit)
            self.sink = try CurlSinks.sink(for: job)
            let source = CurlSources.source(of: job)
            self.source = source
            try self.options.set(job.request, source: source, isObserved: job.context.isObserved, way)
            try self.options.setConnecting(self.pace)
            self.options.setBuffer(for: job.context.destination)
            self.prepare(job)
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
            try self.options.setConnecting(self.pace)
            self.failure = nil
            self.isStarved = false
            self.sent = 0
            self.prepare(job)
        }

        private func prepare(_ job: CurlJob) {
            self.transferBegan = .now
            unsafe self.errorWords[0] = 0
            self.sockets.begin()
            self.delivery.begin(job.request)
        }

        /// Goes on after a pause, of either direction; returns why it cannot, if so.
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

        // MARK: - Ending

        /// What is to be told of an exchange.
        enum End {
            case answer(CurlJob.Answer)
            /// Nothing: it was delivered before, and whoever reads it was told.
            case delivered
            /// Nothing yet: a disk is still waited for, and the job is unpaused then.
            case later
            /// Nothing yet: it is given to libcurl again.
            case again
        }

        /// Whether the transfer is over, and only a disk has still something to do.
        var isSettling: Bool { self.ending != nil }

        /// The transfer is over; returns what came of it.
        func end(code: Int32) -> End {
            if let failure = self.failure { return self.end(with: failure) }
            let isUnmet = code == Int32(ERRAND_CURL_ABORTED.rawValue) && self.unmetHead != nil
            if isUnmet, self.source?.rewind(to: 0) != false {
                self.unmetHead = nil
                self.forgetResponse()
                self.expectsNothing = true
                return .again
            }
            if self.delivery.isAnswered, !self.isWhole {
                return self.end(with: ErrandError(.connectionLost, "the server broke its response off"))
            }
            guard code == 0 || isUnmet || self.delivery.isAnswered || self.isWholeBeforeItsRequest(after: code) else {
                return self.endUndelivered(self.error(code))
            }
            guard let head = self.head.final else {
                // An incomplete message (RFC 9112 §8), which libcurl takes for a response without fields.
                return self.end(
                    with: ErrandError(
                        .connectionLost, "the connection was closed before the head of a response was whole"))
            }
            // libcurl counts for the life of a handle how often it sent something again, and fails the sixth time.
            self.isSpent = self.isHeldBack || self.delivery.wasSentAgain
            self.delivery.end(self.head)
            do throws(ErrandError) {
                if let head = self.unmetHead.take(), let job = self.job { try self.deliverHead(head, job) }
                try self.closing.check()
                try self.decoding?.finish()
            } catch {
                return self.end(with: error)
            }
            let metrics = self.metrics()
            self.job?.context.report(.finished(metrics))
            return self.settle(head, metrics)
        }

        /// Returns what came of a transfer that is over, once its sink has put away what it took.
        func settle() -> End {
            switch self.ending {
            case nil: return .later
            case .failure(let error)?: return self.end(with: error)
            case .success(let metrics)?:
                guard let head = self.head.final else { return .later }
                return self.settle(head, metrics)
            }
        }

        private func settle(_ head: HTTPResponseHead, _ metrics: ExchangeMetrics) -> End {
            self.ending = .success(metrics)
            if self.sink?.settle(isWhole: true) == false { return .later }
            do throws(ErrandError) {
                guard let body = try self.sink?.finish() else { return .delivered }
                var response = HTTPResponse(head: head, body: body)
                response.metrics = metrics
                let trailers = self.head.trailers
                if !trailers.isEmpty { response.trailers = trailers }
                return .answer(.success(response))
            } catch {
                return self.end(with: error)
            }
        }

        /// The transfer has failed: it begins anew if nothing of it was processed.
        private func endUndelivered(_ error: ErrandError) -> End {
            guard let request = self.job?.request, self.head.isEmpty else { return self.end(with: error.afterSending) }
            let isUnprocessed = self.delivery.isUnprocessed(request)
            // Asked before it is made ready to be sent again.
            let mayBeProcessed = self.delivery.mayBeProcessed(request)
            if self.delivery.mayRepeat(request), self.source?.rewind(to: 0) != false { return .again }
            guard isUnprocessed else { return self.end(with: mayBeProcessed ? error.afterSending : error) }
            var error = error
            error.context.isUnprocessed = true
            return self.end(with: error)
        }

        private func error(_ code: Int32) -> ErrandError {
            if let lost = self.lostResponse(after: code) { return lost }
            if let refusal = unsafe ErrandError(proxyRefusing: self.easy, self.options.settings, self.job?.request.url)
            {
                return refusal
            }
            if let shortage = unsafe ErrandError(shortageOf: self.easy, code, self.sockets.failure) { return shortage }
            switch errand_curl_number(code) {
            // What libcurl calls a want of memory is a line of more than 100 KB, and a bad argument one that begins
            // with a space.
            case ERRAND_CURL_OUT_OF_MEMORY where self.head.final == nil:
                return ErrandError(.invalidResponse, "a line in the head of the response is too long")
            case ERRAND_CURL_BAD_ARGUMENT where self.head.final == nil:
                return ErrandError(.invalidResponse, "the head of the response has a line that is no field")
            default: break
            }
            let way = self.job.flatMap { self.options.settings.way(to: $0.request.url) }
            return ErrandError(curl: code, unsafe String(cString: self.errorWords), way)
        }

        /// It has failed.
        func end(with error: ErrandError) -> End {
            self.isSpent = true
            self.delivery.end(nil)
            self.ending = .failure(error)
            return self.sink?.settle(isWhole: false) == false ? .later : self.abandon(error)
        }

        /// It was broken off: whatever a disk still does, nobody waits for it.
        func abandon(_ error: ErrandError) -> End {
            self.isSpent = true
            self.delivery.end(nil)
            _ = self.sink?.settle(isWhole: false)
            let wasDelivered = self.sink?.abandon(error) ?? false
            return wasDelivered ? .delivered : .answer(.failure(error))
        }

        /// Lets go of everything that belongs to the last job.
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

        /// Lets go of what has come of a response.
        func forgetResponse() {
            self.decoding = nil
            self.head = CurlHead(self.options.settings)
            self.foldGuard.exchangeEnded()
            self.closing.exchangeEnded()
            (self.isStarved, self.isHeldBack, self.wasNudged) = (false, false, false)
            self.received = 0
            self.taken = 0
        }

        private func metrics(untilEnd isOver: Bool = true) -> ExchangeMetrics {
            let submittedAt = self.job?.submittedAt ?? self.startedAt
            var metrics = unsafe ExchangeMetrics(
                curl: self.easy, after: submittedAt.duration(to: self.startedAt),
                countingFrom: submittedAt.duration(to: self.transferBegan))
            if !isOver { metrics.finished = nil }
            return metrics
        }

        // MARK: - What libcurl calls

        private func connect(_ easy: OpaquePointer) {
            let user = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_PRIVATE.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_WRITE_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_HEADER_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_READ_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_SEEK_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_PREREQUEST_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_TRACE_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_PROGRESS_DATA.rawValue), user)
            unsafe errand_curl_set_pointer(easy, Int32(ERRAND_CURL_ERROR_BUFFER.rawValue), self.errorWords)
            unsafe errand_curl_set_write(easy, Int32(ERRAND_CURL_HEADER_FUNCTION.rawValue)) {
                bytes, size, count, user in
                unsafe CurlExchange.from(user)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
            unsafe errand_curl_set_write(easy, Int32(ERRAND_CURL_WRITE_FUNCTION.rawValue)) { bytes, size, count, user in
                unsafe CurlExchange.from(user)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
            unsafe errand_curl_set_read(easy) { bytes, size, count, user in
                unsafe CurlExchange.from(user)?.giveBody(
                    UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                    ?? Int(ERRAND_CURL_ABORT_READING.rawValue)
            }
            unsafe errand_curl_set_seek(easy) { user, offset, origin in
                unsafe CurlExchange.from(user)?.rewind(to: offset, origin) ?? Int32(ERRAND_CURL_SEEK_FAILED.rawValue)
            }
            unsafe self.connectSending(easy)
            unsafe errand_curl_set_progress(easy) { user, _, _, _, _ in
                unsafe CurlExchange.from(user)?.progressed()
                return 0
            }
            unsafe errand_curl_set_trace(easy) { _, kind, bytes, count, user in
                unsafe CurlExchange.from(user)?.look(kind, UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            }
        }

        /// Asks to be told when the request goes onto a connection, where libcurl can tell.
        private func connectSending(_ easy: OpaquePointer) {
            guard self.options.settings.tellsOfSending else { return }
            unsafe errand_curl_set_prerequest(easy) { user, remote, _, remotePort, localPort in
                let endPoints = CurlSockets.EndPoints(
                    remote: unsafe remote.map { unsafe String(cString: $0) } ?? "", remotePort: remotePort,
                    localPort: localPort)
                return unsafe CurlExchange.from(user)?.beginSending(between: endPoints) ?? 1
            }
        }

        /// Answers 0 to let the request go onto a connection.
        private func beginSending(between endPoints: CurlSockets.EndPoints) -> Int32 {
            guard let job = self.job else { return 1 }
            // libcurl would go on to expect it, so that is done without libcurl.
            if self.unmetHead != nil { return 1 }
            let isAnswered = self.head.final != nil
            switch self.delivery.next(job.request, between: endPoints, self.options.plainHTTP2, isAnswered: isAnswered)
            {
            case .send:
                // libcurl does not go back to the beginning where it goes on with another version of HTTP.
                guard self.sent == 0 || self.source?.rewind(to: 0) == true else {
                    self.fail(ErrandError(.connectionLost, "the content of the request cannot be sent once more"))
                    return 1
                }
                self.sent = 0
                job.context.report(.connected)
                return 0
            case .avoid, .deliver: return 1
            case .refuse:
                self.fail(
                    ErrandError(
                        .connectionLost,
                        "the connection was closed without an answer; \(job.request.method) is not sent twice"))
                return 1
            }
        }

        private func progressed() {
            self.delivery.progressed()
            self.closing.progressed()
        }

        /// Notes why it is to end; the first reason stays.
        private func fail(_ error: ErrandError) {
            if self.failure == nil { self.failure = error }
        }

        private func look(_ kind: Int32, _ bytes: UnsafeRawBufferPointer) {
            guard let job = self.job else { return }
            if kind == Int32(ERRAND_CURL_TRACED_TEXT.rawValue) { unsafe self.delivery.look(bytes, job.request) }
            guard unsafe self.foldGuard.look(kind, bytes) else { return }
            self.fail(ErrandError(.invalidResponse, "the head of the response has a line that is no field"))
            job.mailbox.post(.unpause(job))
        }

        private func takeLine(_ line: UnsafeRawBufferPointer) -> Int {
            self.movedAt = .now
            unsafe self.foldGuard.take(line)
            do throws(ErrandError) {
                switch unsafe try self.head.take(line) {
                case .more: break
                case .interim(let head): self.job?.context.report(.interimResponse(head))
                case .final(let head): try self.begin(head)
                }
                return line.count
            } catch {
                self.fail(error)
                return 0
            }
        }

        private func begin(_ head: HTTPResponseHead) throws(ErrandError) {
            guard let job = self.job else { return }
            if head.status == 407, self.options.settings.usesProxy(for: job.request.url) {
                throw .proxyRefused(self.options.settings.way(to: job.request.url), overHTTP: true)
            }
            // libcurl may send the request again without what it expects (RFC 9110 §10.1.1), and then skips the content.
            if head.status == 417, !self.expectsNothing, job.request.headers.contains("Expect") {
                self.unmetHead = head
            } else {
                try self.deliverHead(head, job)
            }
        }

        private func deliverHead(_ head: HTTPResponseHead, _ job: CurlJob) throws(ErrandError) {
            self.delivery.responded()
            self.closing.responded(self.head, to: job.request)
            job.context.report(.responseHead(head))
            guard let body = try self.sink?.begin(self.head, job) else { return }
            var response = HTTPResponse(head: head, body: body)
            response.metrics = self.metrics(untilEnd: false)
            self.deliver(job, .success(response))
        }

        private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard let job = self.job, self.sink != nil else { return 0 }
            self.movedAt = .now
            do throws(ErrandError) {
                // libcurl and Errand do not agree on where the head ends: nobody waits for a body without one.
                guard self.head.final != nil else {
                    throw ErrandError(.invalidResponse, "the head of the response has no end")
                }
                if let head = self.unmetHead.take() { try self.deliverHead(head, job) }
                let isOpen = job.context.mayTransfer(bytes.count, .receiving, waking: job)
                let progress = unsafe isOpen ? try self.decode(bytes) : .heldBack
                self.isHeldBack = progress != .taken
                switch progress {
                case .taken:
                    self.taken += Int64(bytes.count)
                    job.context.gate?.moved(bytes.count, .receiving)
                case .heldBack: break
                // Goes on when the loop has looked at what else there is: other exchanges, cancellations, deadlines.
                case .interrupted: job.wake()
                }
                return self.isHeldBack ? Int(ERRAND_CURL_PAUSE_TRANSFER.rawValue) : bytes.count
            } catch {
                self.fail(error)
                return 0
            }
        }

        /// Takes the codings off, if there are any.
        private func decode(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> DecodingProgress {
            guard !self.head.codings.isEmpty else { return unsafe try self.keep(bytes) ? .taken : .heldBack }
            if self.decoding == nil { self.decoding = try ContentDecoding(self.head.codings) }
            guard let decoding = self.decoding else { return .heldBack }
            return unsafe try decoding.write(bytes) { decoded throws(ErrandError) in unsafe try self.keep(decoded) }
        }

        private func keep(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool {
            guard let job = self.job, let sink = self.sink, unsafe try sink.write(bytes) else { return false }
            self.received += Int64(bytes.count)
            job.context.report(.received(TransferProgress(bytes: self.received, total: self.head.bodyLength)))
            return true
        }

        private func giveBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
            guard let source = self.source, let job = self.job else { return Int(ERRAND_CURL_ABORT_READING.rawValue) }
            do throws(ErrandError) {
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(job.context.transferPieceSize))
                let wanted = source.length.map { max(0, min(room.count, Int(clamping: $0 - self.sent))) } ?? room.count
                let isOpen = job.context.mayTransfer(wanted, .sending, waking: job)
                let count = unsafe isOpen ? try source.read(into: room) : nil
                self.isStarved = count == nil
                guard let count else { return Int(ERRAND_CURL_PAUSE_TRANSFER.rawValue) }
                guard count > 0 else { return 0 }
                job.context.gate?.moved(count, .sending)
                self.sent += Int64(count)
                self.movedAt = .now
                job.context.report(.sent(TransferProgress(bytes: self.sent, total: source.length)))
                return count
            } catch {
                self.fail(error)
                return Int(ERRAND_CURL_ABORT_READING.rawValue)
            }
        }

        private func rewind(to offset: Int64, _ origin: Int32) -> Int32 {
            guard origin == 0, let source = self.source, source.rewind(to: offset) else {
                return Int32(ERRAND_CURL_SEEK_IMPOSSIBLE.rawValue)
            }
            self.sent = offset
            return Int32(ERRAND_CURL_SEEK_DONE.rawValue)
        }
    }
#endif
