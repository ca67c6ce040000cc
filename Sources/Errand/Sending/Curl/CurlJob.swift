#if canImport(CErrandCurl)
    internal import ErrandLocks
    internal import ErrandMachines

    /// An exchange as seen outside of the loop: its request, and the waiter for its result.
    final class CurlJob: Sendable {
        typealias Answer = Result<HTTPResponse, ErrandError>

        let request: HTTPRequest
        let context: ExchangeContext
        /// The mailbox of the loop.
        let mailbox: CurlMailbox
        /// The files of the exchange, if there are any.
        let files: CurlFiles?
        /// The request body, if it is a stream: filled by a task, drained by the loop.
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

        /// True once the job is cancelled.
        var isCancelled: Bool { self.cancelled.isSet }

        /// The reason for which the exchange was stopped; `nil` if it was not.
        var stopReason: StopReason? { self.reason.withLock { $0 } }

        /// Cancels the exchange, at once and from any thread; has no effect on a finished one.
        func cancel() {
            self.stop(self.context.stopReason ?? .cancelled)
        }
    }

    extension CurlJob: Stoppable {
        func stop(_ reason: StopReason) {
            self.reason.withLock { if $0 == nil { $0 = reason } }
            // The flag is set first, so that a job that is submitted later is refused.
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
