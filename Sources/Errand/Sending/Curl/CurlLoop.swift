#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import ErrandMachines

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The event loop for all exchanges of a transport, confined to one thread.
    ///
    /// It sleeps until a socket, libcurl's timer or the mailbox wakes it, does the pending work, and then delivers the
    /// results.
    ///
    /// Liveness: libcurl reports the end of each transfer, and its timer is served when due; a cancellation or a
    /// shutdown arrives through the mailbox, which wakes the loop.
    ///
    /// Safe although it holds a C handle: the handle is created and freed with the loop and used only by its methods,
    /// which run on the one thread that called ``run(_:_:)``.
    @safe
    final class CurlLoop {
        private let mailbox: CurlMailbox
        let settings: CurlSettings
        private let multi: OpaquePointer
        private var poller: CurlPoller
        private(set) var active: [ObjectIdentifier: CurlExchange] = [:]
        /// Exchanges with reusable handles, by the TLS rules they were set up with.
        private var idle: [ObjectIdentifier: [CurlExchange]] = [:]
        private let lineCache: CurlLineCache
        /// Outlives the connections of the multi handle, which report their end to it.
        let sockets: CurlSockets
        let connections = CurlConnections()
        private var commands: [CurlMailbox.Command] = []
        private var answers: [(CurlJob, CurlJob.Answer)] = []
        private var isOver = false

        private static let idleLimit = 128

        init(_ mailbox: CurlMailbox, _ settings: CurlSettings) throws(ErrandError) {
            // First the objects that free themselves if a later step fails.
            let poller = try CurlPoller()
            guard let multi = unsafe errand_curl_multi_make() else {
                throw ErrandError(.transportFailed, "libcurl has no memory for its connections")
            }
            self.mailbox = mailbox
            self.settings = settings
            self.sockets = CurlSockets(settings, self.connections)
            self.lineCache = CurlLineCache(decodesContent: settings.network.decodesContent)
            unsafe self.multi = multi
            self.poller = poller
            guard self.poller.watch(mailbox.descriptor, interest: Int32(ERRAND_CURL_INTEREST_IN.rawValue)) else {
                throw ErrandError(system: "the transport cannot wait for its mailbox")
            }
            unsafe self.connect(multi)
            self.makeRoom()
        }

        deinit {
            unsafe errand_curl_multi_free(self.multi)
        }

        private func connect(_ multi: OpaquePointer) {
            let user = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe errand_curl_multi_set_socket_changed(
                multi,
                { easy, socket, interest, user, _ in
                    let loop = unsafe CurlLoop.from(user)
                    _ = loop?.poller.watch(socket, interest: interest)
                    loop?.sockets.watch(socket, interest != Int32(ERRAND_CURL_INTEREST_REMOVED.rawValue))
                    if interest == Int32(ERRAND_CURL_INTEREST_REMOVED.rawValue) {
                        unsafe CurlExchange.of(easy)?.socketWasLeft()
                    } else {
                        // Called for each exchange that starts to wait for a socket, even if others wait for it too.
                        unsafe CurlExchange.of(easy)?.socket = socket
                    }
                    return 0
                }, user)
        }

        /// Returns the loop that libcurl has as user data; it outlives the multi handle.
        private static func from(_ user: UnsafeMutableRawPointer?) -> CurlLoop? {
            unsafe user.map { unsafe Unmanaged<CurlLoop>.fromOpaque($0).takeUnretainedValue() }
        }

        // MARK: - Running

        /// Runs a new loop on the calling thread until it is shut down.
        static func run(
            _ mailbox: CurlMailbox, _ settings: TransportSettings, version: UInt32, addresses: String?
        ) {
            // Foundation does not set the name of a thread in the system.
            unsafe errand_thread_name("errand curl")
            // Writing to a closed connection returns an error instead of raising a signal.
            var signals = sigset_t()
            unsafe sigfillset(&signals)
            // Signals of program errors stay unblocked: otherwise, they would end the program without a report.
            for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
                unsafe sigdelset(&signals, fault)
            }
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            do throws(ErrandError) {
                try CurlLoop(mailbox, CurlSettings(settings, version: version, addresses: addresses)).run()
            } catch {
                Self.refuse(mailbox, error)
            }
        }

        /// Rejects all commands with an error, because there is no loop.
        private static func refuse(_ mailbox: CurlMailbox, _ error: ErrandError) {
            Self.refuse(mailbox.close(error), error)
        }

        /// Rejects commands that come too late.
        private static func refuse(_ commands: [CurlMailbox.Command], _ error: ErrandError) {
            for command in commands {
                switch command {
                case .submit(let job): job.answer.resume(.failure(error))
                case .count(let answer): answer.resume(nil)
                case .cancel, .unpause, .shutdown: break
                }
            }
        }

        private func run() {
            while !self.isOver {
                let isDue = self.wait()
                let hasBegun = self.takeCommands()
                if isDue || hasBegun { self.act(Int32(ERRAND_CURL_TIMEOUT.rawValue), 0) }
                self.handOut()
            }
            self.end()
        }

        /// Sleeps until there is work, and handles sockets; returns true if libcurl's timer is due.
        private func wait() -> Bool {
            let untilDue = self.untilDue
            let events = self.poller.wait(milliseconds: self.mailbox.fallAsleep() ? untilDue : 0)
            self.sockets.wakeUp()
            for event in events {
                if event.socket == self.mailbox.descriptor {
                    self.mailbox.clearWakeup()
                } else {
                    if event.events & Int32(ERRAND_CURL_EVENT_IN.rawValue) != 0 {
                        self.connections.noteArrival(event.socket, at: self.sockets.wokeAt)
                    }
                    self.act(event.socket, event.events)
                }
            }
            // Otherwise, the timer is checked again before the next sleep.
            return untilDue == 0 || events.isEmpty
        }

        /// Handles the commands in the mailbox; returns true if libcurl has new work.
        private func takeCommands() -> Bool {
            self.mailbox.take(into: &self.commands)
            guard !self.commands.isEmpty else { return false }
            var hasBegun = false
            for command in self.commands {
                switch command {
                case .submit(let job):
                    self.begin(job)
                    hasBegun = true
                case .cancel(let job): self.abandon(job, .cancelled())
                case .unpause(let job):
                    self.unpause(job)
                    hasBegun = true
                case .count(let answer): answer.resume(self.ledger)
                case .shutdown: self.isOver = true
                }
            }
            self.commands.removeAll(keepingCapacity: true)
            return hasBegun
        }

        // MARK: - Calling libcurl

        /// The time until libcurl's timer is due, in milliseconds; -1 for never.
        ///
        /// It is queried each time: libcurl's timer callback is called once, and its timeout is lost if the loop wakes
        /// a fraction of a millisecond early.
        private var untilDue: Int32 {
            Int32(clamping: unsafe errand_curl_multi_due(self.multi))
        }

        /// Lets libcurl handle a socket or its timer, and handles finished transfers.
        private func act(_ socket: Int32, _ events: Int32) {
            self.sockets.nextTurn()
            unsafe errand_curl_multi_act(self.multi, socket, events)
            self.takeMessages()
        }

        // MARK: - Exchanges

        private func begin(_ job: CurlJob) {
            guard !job.isCancelled else {
                job.files?.discard()
                return self.answers.append((job, .failure(.cancelled())))
            }
            do throws(ErrandError) {
                let exchange = try self.exchange(for: job)
                do throws(ErrandError) {
                    try exchange.begin(job, self.way(for: job))
                    try self.add(exchange)
                    self.active[ObjectIdentifier(job)] = exchange
                    self.makeRoom()
                } catch {
                    self.retire(exchange, job, exchange.abandon(error))
                }
            } catch {
                job.files?.discard()
                self.answers.append((job, .failure(error)))
            }
        }

        /// Sets the limit on connections for the next one that becomes idle.
        private func makeRoom() {
            unsafe errand_curl_multi_set_long(
                self.multi, Int32(ERRAND_CURL_MULTI_MOST_CONNECTIONS.rawValue),
                self.settings.connectionLimit(inUse: max(0, self.active.count - 1)))
        }

        private func add(_ exchange: CurlExchange) throws(ErrandError) {
            let code = unsafe errand_curl_multi_add(self.multi, exchange.easy)
            guard code == 0 else {
                throw ErrandError(.transportFailed, "libcurl does not take the request (code \(code))")
            }
        }

        private func exchange(for job: CurlJob) throws(ErrandError) -> CurlExchange {
            let rules = self.settings.tls.rules(for: job.request.url.host)
            if job.request.url.isSecure, let notice = rules.notice { job.context.report(.notice(notice)) }
            if let exchange = self.idle[ObjectIdentifier(rules)]?.popLast() { return exchange }
            // Unowned: only this loop retains exchanges.
            return try CurlExchange(self.settings, rules, self.lineCache, self.sockets) { [unowned self] job, answer in
                self.answers.append((job, answer))
            }
        }

        private func takeMessages() {
            while true {
                let message = unsafe errand_curl_multi_next_message(self.multi)
                guard let easy = unsafe message.easy, let exchange = unsafe CurlExchange.of(easy) else { return }
                unsafe errand_curl_multi_remove(self.multi, easy)
                guard let job = exchange.job else { continue }
                if let isHTTP2 = exchange.isHTTP2 {
                    self.connections.noteResponse(from: job.request.url, on: exchange.socket, isHTTP2: isHTTP2)
                }
                let isAgain = unsafe exchange.startsOver(after: message.code) || exchange.usesHTTP1(after: message.code)
                let end: CurlExchange.End = unsafe isAgain ? .again : exchange.end(code: message.code)
                if case .again = end { self.sendAgain(exchange, job) } else { self.conclude(exchange, job, end) }
            }
        }

        /// Adds an exchange to libcurl again.
        private func sendAgain(_ exchange: CurlExchange, _ job: CurlJob) {
            do throws(ErrandError) {
                try exchange.beginAgain()
                try self.add(exchange)
            } catch {
                self.conclude(exchange, job, exchange.end(with: error))
            }
        }

        /// Resumes after a pause; libcurl delivers held-back bytes before this returns, which may fail.
        private func unpause(_ job: CurlJob) {
            guard let exchange = self.active[ObjectIdentifier(job)] else { return }
            if exchange.isSettling { return self.conclude(exchange, job, exchange.settle()) }
            guard let error = exchange.unpause() else { return }
            unsafe errand_curl_multi_remove(self.multi, exchange.easy)
            self.conclude(exchange, job, exchange.end(with: error))
        }

        /// Handles the end of a transfer; until its disk operations end, the exchange can still be cancelled.
        private func conclude(_ exchange: CurlExchange, _ job: CurlJob, _ end: CurlExchange.End) {
            if case .later = end { return }
            self.active[ObjectIdentifier(job)] = nil
            self.retire(exchange, job, end)
        }

        private var ledger: CurlLedger {
            CurlLedger(active: self.active.count, idle: self.idle.values.reduce(0) { $0 + $1.count })
        }

        /// Ends an exchange early; has no effect on one that is over or was never there.
        private func abandon(_ job: CurlJob, _ error: ErrandError) {
            guard let exchange = self.active.removeValue(forKey: ObjectIdentifier(job)) else { return }
            self.judgeConnection(of: exchange, job)
            unsafe errand_curl_multi_remove(self.multi, exchange.easy)
            self.retire(exchange, job, exchange.abandon(error))
        }

        private func retire(_ exchange: CurlExchange, _ job: CurlJob, _ end: CurlExchange.End) {
            if case .answer(let answer) = end { self.answers.append((job, answer)) }
            exchange.clear()
            self.keep(exchange)
            self.makeRoom()
        }

        /// Keeps the handle of a finished exchange for reuse under the same rules, if it is reusable.
        private func keep(_ exchange: CurlExchange) {
            guard exchange.canBeUsedAgain else { return }
            let rules = ObjectIdentifier(exchange.rules)
            guard self.idle[rules]?.count ?? 0 < Self.idleLimit else { return }
            self.idle[rules, default: []].append(exchange)
        }

        /// Delivers results to waiters; outside of libcurl, because a callback must not call it.
        private func handOut() {
            guard !self.answers.isEmpty else { return }
            for (job, answer) in self.answers { job.answer.resume(answer) }
            self.answers.removeAll(keepingCapacity: true)
        }

        private func end() {
            let error = StopReason.clientShutDown.error
            let rest = self.mailbox.close(error)
            for exchange in Array(self.active.values) {
                if let job = exchange.job { self.abandon(job, error) }
            }
            self.handOut()
            Self.refuse(rest, error)
            self.idle = [:]
        }
    }
#endif
