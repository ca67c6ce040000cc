#if canImport(CErrandCurl)
    internal import ErrandLocks
    internal import ErrandMachines

    /// One exchange as the world outside of the loop sees it: what is asked, and where the answer goes.
    final class CurlJob: Sendable {
        typealias Answer = Result<HTTPResponse, ErrandError>

        let request: HTTPRequest
        let context: ExchangeContext
        /// The way to the loop that does it.
        let mailbox: CurlMailbox
        /// The files that it reads and writes, if there are any.
        let files: CurlFiles?
        /// The body, where it is a stream: filled by a task, emptied by the loop.
        let pipe: CurlUploadPipe?
        let submittedAt = ContinuousClock.now
        /// Resumed by the loop, exactly once.
        let answer = Waiter<Answer>()
        private let cancelled = AtomicFlag()
        private let reason = Locked<StopReason?>(nil)

        init(
            _ request: HTTPRequest, _ context: ExchangeContext, _ mailbox: CurlMailbox, _ files: CurlFiles? = nil
        ) {
            self.request = request
            self.context = context
            self.files = files
            self.mailbox = mailbox
            if case .stream = request.body { self.pipe = CurlUploadPipe() } else { self.pipe = nil }
        }

        /// Whether nobody wants it any more.
        var isCancelled: Bool { self.cancelled.isSet }

        /// Why it was told to end; `nil` as long as it was not.
        var stopReason: StopReason? { self.reason.withLock { $0 } }

        /// Ends it, at once and from anywhere; one that is over stays as it is.
        func cancel() {
            self.stop(self.context.stopReason ?? .cancelled)
        }
    }

    extension CurlJob: Stoppable {
        func stop(_ reason: StopReason) {
            self.reason.withLock { if $0 == nil { $0 = reason } }
            // First the mark: a job that was not submitted yet is then refused when it is.
            self.cancelled.set()
            self.mailbox.post(.cancel(self))
        }
    }

    extension CurlJob: Wakeable {
        func wake() {
            self.mailbox.post(.unpause(self))
        }
    }

    extension CurlJob: BodyProducer {
        func resume() {
            self.wake()
        }
    }
#endif
