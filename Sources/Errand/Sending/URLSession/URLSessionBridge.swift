internal import ErrandLocks
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The delegate of a session: starts and cancels its tasks, and hands what they tell to the calls they belong to.
///
/// Everything URLSession is asked to do is asked on its own serial delegate queue. Those requests may block, which no
/// task of Swift's must; and because the end of a task is told on the same queue, a task that is still in the book
/// has not ended, so that cancelling it there is always in time.
///
/// A call leaves the book when URLSession says that its task has ended, which follows every cancellation; whoever
/// waited for it may have left long before.
final class URLSessionBridge: NSObject, Sendable {
    private struct State {
        var isShutDown = false
        /// Calls that have no task yet.
        var waiting: [ObjectIdentifier: URLSessionCall] = [:]
        /// Calls whose task has not ended, by its identifier.
        var running: [Int: URLSessionCall] = [:]
    }

    let queue = OperationQueue()
    /// Where the files that calls send are read, and written before if they were streams.
    let fileQueue = OperationQueue()
    private let state = Locked(State())
    #if canImport(Security)
        private let trust: URLSessionTrust
    #endif

    /// Creates a delegate that keeps rules for TLS where URLSession lets it.
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

    /// How many calls have not ended yet.
    var callCount: Int {
        self.state.withLock { $0.waiting.count + $0.running.count }
    }

    // MARK: - Called from anywhere

    /// Enters a call into the book, unless the end has come, and tells whether it is there.
    ///
    /// What is there is started or refused next.
    func enter(_ call: URLSessionCall) -> Bool {
        self.state.withLock { state in
            if !state.isShutDown { state.waiting[ObjectIdentifier(call)] = call }
            return !state.isShutDown
        }
    }

    /// Has a call begin soon that is in the book.
    ///
    /// The end may have come since: then it is earlier in the queue too, and `begin` finds the state changed.
    func start(_ call: URLSessionCall, in session: URLSession) {
        guard call.needsPreparation else {
            return self.queue.addOperation { self.begin(call, in: session) }
        }
        self.fileQueue.addOperation {
            call.prepare()
            self.queue.addOperation { self.begin(call, in: session) }
        }
    }

    /// Ends a call that is in the book and will not be started.
    func refuse(_ call: URLSessionCall, _ error: ErrandError) {
        self.strike(call)
        call.fail(error)
    }

    /// Lets a call go whose waiter has left.
    func abandon(_ call: URLSessionCall) {
        // At once, so that it takes no memory and, where it waits to begin, does not.
        call.drop()
        self.queue.addOperation {
            call.wipe()
            self.cancelTask(of: call)
        }
    }

    /// Has the task of a call go on, whose stream has room again.
    func resume(_ call: URLSessionCall) {
        // Behind what fills the stream, so that the task is suspended before it is resumed.
        self.queue.addOperation {
            // One that has ended takes nothing any more.
            guard let task = call.task, self.call(of: task) != nil else { return }
            call.resume()
        }
    }

    /// Ends all calls and the session with them; does nothing the second time.
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
        // Those that wait may be reading a stream, which need not end by itself.
        for call in self.state.withLock({ Array($0.waiting.values) + Array($0.running.values) }) {
            call.fail(.sessionShutDown)
            call.task?.cancel()
        }
        session.finishTasksAndInvalidate()
    }

    /// Takes a call out of the book that gets no task.
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

    /// Has the redirection itself be the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // A task that was cancelled in the meantime has its end already and takes no answer.
            guard task.state == .running else { return }
        #endif
        completionHandler(nil)
    }

    /// Has the response that came with the challenge be the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // The only answer after which the task ends; that it then counts as cancelled is known to the call.
            self.call(of: task)?.noteChallenge()
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    /// Gives up: a body is sent once, and sending it again would be a retry.
    ///
    /// Asked for when a kept connection was closed while the request was on its way. May be called on any queue.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(nil)
        self.queue.addOperation {
            guard let call = self.call(of: task) else { return }
            call.fail(ErrandError(.connectionLost, "the connection was closed before the request had been answered"))
            task.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
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

    /// Puts why a server was not trusted in place of the cancellation that this looks like.
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
    /// Finds the version by its name in TLS (RFC 7301); HTTP/1.0 has none.
    fileprivate init?(alpn name: String) {
        switch name {
        case "h2": self = .http2
        case "h3": self = .http3
        case "http/1.1": self = .http1_1
        default: return nil
        }
    }
}
