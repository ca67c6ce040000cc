#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import ErrandLocks
    internal import Foundation

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// The delegate of a session: starts and cancels its tasks, and forwards their events to the calls they belong to.
    ///
    /// All calls to URLSession are made on its own serial delegate queue. They may block, which a Swift task must not. And
    /// because the end of a task is reported on the same queue, a registered task has not ended, so cancelling it there is
    /// always in time.
    ///
    /// A call is unregistered when URLSession reports that its task has ended, which follows every cancellation; its waiter
    /// may have left long before.
    final class URLSessionBridge: NSObject, Sendable {
        private struct State {
            var isShutDown = false
            /// Calls without a task.
            var waiting: [ObjectIdentifier: URLSessionCall] = [:]
            /// Calls whose task has not ended, by its identifier.
            var running: [Int: URLSessionCall] = [:]
        }

        let queue = OperationQueue()
        /// The queue for reading request files, and for writing streams to them.
        let fileQueue = OperationQueue()
        private let state = Locked(State())
        #if canImport(Security)
            private let trust: URLSessionTrust
        #endif

        /// Creates a delegate that applies TLS rules where URLSession supports it.
        init(_ tls: LoadedTLSPolicy) {
            #if canImport(Security)
                self.trust = URLSessionTrust(tls)
            #endif
            super.init()
            self.queue.name = "Errand.URLSessionTransport"
            self.queue.maxConcurrentOperationCount = 1
            self.fileQueue.name = "Errand.URLSessionTransport.files"
            self.fileQueue.maxConcurrentOperationCount = 2
        }

        /// The number of calls that have not ended.
        var callCount: Int {
            self.state.withLock { $0.waiting.count + $0.running.count }
        }

        // MARK: - Called from anywhere

        /// Registers a call unless the session has ended, and returns true if it did.
        ///
        /// A registered call is started or refused next.
        func enter(_ call: URLSessionCall) -> Bool {
            self.state.withLock { state in
                if !state.isShutDown { state.waiting[ObjectIdentifier(call)] = call }
                return !state.isShutDown
            }
        }

        /// Enqueues the start of a registered call.
        ///
        /// If the session ends meanwhile, that comes earlier in the queue, and `begin` finds the state changed.
        func start(_ call: URLSessionCall, in session: URLSession) {
            guard call.needsPreparation else {
                return self.queue.addOperation { self.begin(call, in: session) }
            }
            self.fileQueue.addOperation {
                call.prepare()
                self.queue.addOperation { self.begin(call, in: session) }
            }
        }

        /// Ends a registered call that will not be started.
        func refuse(_ call: URLSessionCall, _ error: ErrandError) {
            self.strike(call)
            call.fail(error)
        }

        /// Releases an abandoned call.
        func abandon(_ call: URLSessionCall) {
            // At once, to free its memory and to keep a waiting call from starting.
            call.drop()
            self.queue.addOperation {
                call.wipe()
                self.cancelTask(of: call)
            }
        }

        /// Resumes the task of a call whose stream has room again.
        func resume(_ call: URLSessionCall) {
            // Enqueued after the events that fill the stream, so that the task is suspended before it is resumed.
            self.queue.addOperation {
                // A finished task accepts no calls.
                guard let task = call.task, self.call(of: task) != nil else { return }
                call.resume()
            }
        }

        /// Ends all calls and the session; further calls have no effect.
        func shutDown(_ session: URLSession) {
            let isFirst = self.state.withLock { state in
                defer { state.isShutDown = true }
                return !state.isShutDown
            }
            if isFirst { self.queue.addOperation { self.end(session) } }
        }

        // MARK: - On the delegate queue

        private func begin(_ call: URLSessionCall, in session: URLSession) {
            let isOpen = self.state.withLock { !$0.isShutDown }
            if !isOpen { call.fail(.sessionShutDown) }
            guard isOpen, let task = call.makeTask(in: session) else {
                return self.strike(call)
            }
            self.state.withLock { state in
                state.waiting[ObjectIdentifier(call)] = nil
                state.running[task.taskIdentifier] = call
            }
            task.resume()
        }

        private func cancelTask(of call: URLSessionCall) {
            guard let task = call.task, self.call(of: task) != nil else { return }
            task.cancel()
        }

        private func end(_ session: URLSession) {
            // Waiting calls may be reading a stream that does not end by itself.
            for call in self.state.withLock({ Array($0.waiting.values) + Array($0.running.values) }) {
                call.fail(.sessionShutDown)
                call.task?.cancel()
            }
            session.finishTasksAndInvalidate()
        }

        /// Unregisters a call that gets no task.
        private func strike(_ call: URLSessionCall) {
            self.state.withLock { $0.waiting[ObjectIdentifier(call)] = nil }
        }

        private func call(of task: URLSessionTask) -> URLSessionCall? {
            self.state.withLock { $0.running[task.taskIdentifier] }
        }
    }

    // MARK: - What URLSession tells

    extension URLSessionBridge: URLSessionDataDelegate {
        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            completionHandler(.allow)
            guard let call = self.call(of: dataTask), let head = HTTPResponse.Head(response) else { return }
            if !call.receive(head, from: URLSessionProducer(call, self)) { dataTask.cancel() }
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            guard let call = self.call(of: dataTask) else { return }
            if !call.receive(data) { dataTask.cancel() }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            self.call(of: task)?.noteSent(bytesSent, of: totalBytesExpectedToSend)
        }

        /// Delivers the redirect itself as the response.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            #if canImport(FoundationNetworking)
                // A cancelled task already has its end, and ignores the completion handler.
                guard task.state == .running else { return }
            #endif
            completionHandler(nil)
        }

        /// Delivers the response of the challenge as the response.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            #if canImport(FoundationNetworking)
                // Only this disposition ends the task; the call knows that the cancellation is not its own.
                self.call(of: task)?.noteChallenge()
                completionHandler(.cancelAuthenticationChallenge, nil)
            #else
                completionHandler(.performDefaultHandling, nil)
            #endif
        }

        /// Fails the call: a body is sent once, and sending it again would be a retry.
        ///
        /// Called when a reused connection was closed while the request was being sent. May be called on any queue.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            completionHandler(nil)
            self.queue.addOperation {
                guard let call = self.call(of: task) else { return }
                call.fail(ErrandError(.connectionLost, "the connection was closed before the response"))
                task.cancel()
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
        {
            let version = metrics.transactionMetrics.last?.networkProtocolName.flatMap {
                ExchangeMetrics.HTTPVersion(alpn: $0)
            }
            if let version { self.call(of: task)?.noteVersion(version) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let call = self.state.withLock { $0.running.removeValue(forKey: task.taskIdentifier) }
            guard let call else { return }
            let head = task.response.flatMap(HTTPResponse.Head.init)
            call.complete(head, self.reason(of: error, task), from: URLSessionProducer(call, self))
        }

        /// Returns the trust failure of a server instead of the cancellation that URLSession reports.
        private func reason(of error: (any Error)?, _ task: URLSessionTask) -> (any Error)? {
            #if canImport(Security)
                if let error, let refusal = self.trust.refusal(behind: error, of: task) { return refusal }
            #endif
            return error
        }

        #if canImport(Security)
            /// Decides whether a server is trusted.
            func urlSession(
                _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                let (disposition, credential) = self.trust.answer(challenge)
                completionHandler(disposition, credential)
            }
        #endif
    }

    extension ExchangeMetrics.HTTPVersion {
        /// Returns the version by its ALPN name (RFC 7301); HTTP/1.0 has none.
        fileprivate init?(alpn name: String) {
            switch name {
            case "h2": self = .http2
            case "h3": self = .http3
            case "http/1.1": self = .http1_1
            default: return nil
            }
        }
    }
#endif
