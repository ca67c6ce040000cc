internal import ErrandLocks
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One exchange: ties the task that waits for it to the URLSession task that performs it.
///
/// Its progress is a ``URLSessionReception``, which every event moves under the lock; observers are told and the waiter
/// is resumed when the lock is free again. All events of a task come from one serial queue, so they keep their order.
final class URLSessionCall: Sendable {
    /// What is sent besides the head.
    private enum Content {
        case none
        case bytes(Data)
        case file(URL)
    }

    /// Where the body of the response goes.
    private enum Place {
        case memory
        case file(BodyFile)
        case stream(BodyChannel)

        init(_ context: ExchangeContext) {
            switch context.destination {
            case .memory: self = .memory
            case .file(let url): self = .file(BodyFile(url, keepsPart: context.keepsPartOfFile))
            case .stream(let buffer): self = .stream(BodyChannel(limit: buffer))
            }
        }
    }

    private struct State: ~Copyable {
        var reception: URLSessionReception
        var content: Content
        /// The file that a streamed request body was written into.
        var upload: URLSessionUpload?
        var task: URLSessionTask?
        var sentCount: Int64 = 0
        var version: ExchangeMetrics.HTTPVersion?
        /// How often the stream was full, less how often it had room again: the task is suspended unless it is 0.
        var pauseCount = 0
        /// What came although it might not yet, until more may move: counted as one pause.
        var heldBack: [(count: Int, direction: TransferProgress.Direction)] = []
    }

    /// Whether ``prepare()`` has something to do.
    let needsPreparation: Bool

    private let request: URLRequest
    private let context: ExchangeContext
    private let streaming: URLSessionStreaming
    private let place: Place
    /// Whether ``wipe()`` may have something to remove.
    private let hasFile: Bool
    private let waiter = Waiter<Result<HTTPResponse, ErrandError>>()
    private let end = Waiter<Void>()
    private let state: Locked<State>

    /// Creates a call.
    ///
    /// - Throws: ``ErrandError`` when the exchange cannot be performed.
    init(
        _ request: HTTPRequest, _ context: ExchangeContext, _ streaming: URLSessionStreaming
    ) throws(ErrandError) {
        try streaming.check(context.destination)
        self.request = try URLRequest(request)
        self.context = context
        self.streaming = streaming
        self.place = Place(context)
        let limit: Int? = if case .memory(let limit) = context.destination { limit } else { nil }
        self.needsPreparation = request.body.isFileOrStream
        self.hasFile = context.destination.isFile || request.body.isStream
        self.state = Locked(
            State(
                reception: URLSessionReception(method: request.method, limit: limit),
                content: Self.content(of: request.body)))
    }

    // MARK: - The waiter's side

    /// Waits for the result, or returns `nil` when the waiting task was cancelled.
    func result() async -> Result<HTTPResponse, ErrandError>? {
        await self.waiter.wait()
    }

    /// Waits until nothing is left of the bodies, once ``wipe()`` is certain to be called.
    ///
    /// That takes no longer than the delegate queue needs to get to it; what is in memory is gone already.
    func waitForEnd() async {
        guard self.hasFile else { return }
        _ = await self.end.waitThroughCancellation()
    }

    /// Lets go of what was received; nothing that comes later is kept.
    ///
    /// A stream ends. A file may just be written to, and is removed by ``wipe()``.
    func drop() {
        self.state.withLock { $0.reception.drop() }
        if case .stream(let channel) = self.place { channel.end(.cancelled()) }
    }

    // MARK: - Before there is a task

    /// Takes the file that a streamed body was written into, and tells whether it is still to be sent.
    func take(_ upload: URLSessionUpload) -> Bool {
        self.state.withLock { state in
            guard !state.reception.isEnded else { return false }
            state.content = .file(upload.url)
            state.upload = upload
            return true
        }
    }

    /// Makes sure that the file of the body can be read; may block for as long as it takes to read it.
    func prepare() {
        guard case .file(let file) = self.state.withLock({ $0.reception.isEnded ? .none : $0.content }) else { return }
        do {
            let content = try Self.opened(file)
            self.state.withLock { $0.content = content }
        } catch {
            self.fail(ErrandError(.encodingFailed, "the file of the body cannot be read: \(file.path)", cause: error))
        }
    }

    private static func opened(_ file: URL) throws -> Content {
        guard file.isFileURL, try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
            throw CocoaError(.fileReadUnknown)
        }
        #if canImport(FoundationNetworking)
            // A task that reads a file while it sends cannot be cancelled at any moment here, one with bytes can.
            let data = try Data(contentsOf: file)
            return data.isEmpty ? .none : .bytes(data)
        #else
            guard FileManager.default.isReadableFile(atPath: file.path) else {
                throw CocoaError(.fileReadNoPermission)
            }
            return .file(file)
        #endif
    }

    private static func content(of body: HTTPRequest.Body) -> Content {
        switch body {
        case .bytes(let data) where !data.isEmpty: .bytes(data)
        case .file(let file): .file(file)
        case .none, .bytes, .stream: .none
        }
    }

    // MARK: - The session's side, on its delegate queue

    /// The task that performs the exchange, once there is one.
    var task: URLSessionTask? {
        self.state.withLock { $0.task }
    }

    /// Makes the task, unless the call has ended already.
    func makeTask(in session: URLSession) -> URLSessionTask? {
        let content: Content? = self.state.withLock { state in
            defer { state.content = .none }
            return state.reception.isEnded ? nil : state.content
        }
        guard let content, self.openFile() else { return nil }
        let task: URLSessionTask =
            switch content {
            case .none: session.dataTask(with: self.request)
            case .bytes(let data): session.uploadTask(with: self.request, from: data)
            case .file(let file): session.uploadTask(with: self.request, fromFile: file)
            }
        self.state.withLock { $0.task = task }
        return task
    }

    /// Makes the file that the body goes to, and tells whether the exchange can begin.
    private func openFile() -> Bool {
        guard case .file(let file) = self.place else { return true }
        do throws(ErrandError) {
            try file.open()
            return true
        } catch {
            self.fail(error)
            return false
        }
    }

    /// Takes a head, and tells whether the task is to go on; a stream is delivered with it.
    func receive(_ head: HTTPResponse.Head, from producer: URLSessionProducer) -> Bool {
        switch self.state.withLock({ $0.reception.received(head) }) {
        case .ignore: return true
        case .stop: return false
        case .report:
            self.context.report(.responseHead(head))
            if case .stream(let channel) = self.place { self.deliver(head, channel, producer) }
            return true
        case .fail(let error):
            self.context.report(.responseHead(head))
            self.fail(error)
            return false
        }
    }

    /// Takes a piece of the body, and tells whether the task is to go on.
    func receive(_ data: Data) -> Bool {
        switch self.state.withLock({ $0.reception.received(data) }) {
        case .stop: return false
        case .report(let progress):
            guard self.handOn(data) else { return false }
            self.context.report(.received(progress))
            self.pauseUnlessMore(data.count, .receiving)
            return true
        case .fail(let error):
            self.fail(error)
            return false
        }
    }

    /// Hands a piece of the body on to where it goes, unless that is memory, and tells whether the task is to go on.
    private func handOn(_ data: Data) -> Bool {
        switch self.place {
        case .memory: return true
        case .stream(let channel):
            if !channel.take(data) { self.pause() }
            return true
        case .file(let file):
            do throws(ErrandError) {
                try file.write(data)
                return true
            } catch {
                self.fail(error)
                return false
            }
        }
    }

    private func deliver(_ head: HTTPResponse.Head, _ channel: BodyChannel, _ producer: URLSessionProducer) {
        // When the waiter has left the stream is let go of here, which is no more than another cancellation.
        self.waiter.resume(.success(HTTPResponse(head: head, body: .stream(channel.stream(of: producer)))))
    }

    /// Suspends the task after a piece where no other may move yet, whichever of its directions that is about.
    private func pauseUnlessMore(_ count: Int, _ direction: TransferProgress.Direction) {
        guard self.streaming == .heldBack else { return }
        guard !self.context.mayTransfer(count, direction, waking: self) else {
            self.context.gate?.moved(count, direction)
            return
        }
        let isNew = self.state.withLock { state in
            defer { state.heldBack.append((count, direction)) }
            return state.heldBack.isEmpty
        }
        if isNew { self.pause() }
        // It may have been told to go on before that was noted.
        if self.context.mayTransfer(count, direction, waking: self) { self.wake() }
    }

    /// Suspends the task, because its stream is full or nothing more may move.
    private func pause() {
        let task: URLSessionTask? = self.state.withLock { state in
            state.pauseCount += 1
            return state.pauseCount == 1 ? state.task : nil
        }
        if self.streaming == .heldBack { task?.suspend() }
    }

    /// Resumes the task, because its stream has room again or more may move; there may be no room once more already.
    func resume() {
        let task: URLSessionTask? = self.state.withLock { state in
            state.pauseCount -= 1
            return state.pauseCount == 0 ? state.task : nil
        }
        if self.streaming == .heldBack { task?.resume() }
    }

    /// Notes that bytes of the request body have been sent.
    func noteSent(_ count: Int64, of total: Int64) {
        let progress: TransferProgress? = self.state.withLock { state in
            state.sentCount += count
            guard !state.reception.isEnded else { return nil }
            return TransferProgress(bytes: state.sentCount, total: total > 0 ? total : nil)
        }
        guard let progress else { return }
        self.context.report(.sent(progress))
        self.pauseUnlessMore(Int(clamping: count), .sending)
    }

    /// Notes the version of HTTP that was spoken, before the call ends.
    func noteVersion(_ version: ExchangeMetrics.HTTPVersion) {
        self.state.withLock { $0.version = version }
    }

    /// Notes that the response asks for credentials, so that the task will end as if it had been cancelled.
    func noteChallenge() {
        self.state.withLock { $0.reception.challenged() }
    }

    /// Ends the call because its task has ended.
    func complete(_ head: HTTPResponse.Head?, _ error: (any Error)?, from producer: URLSessionProducer) {
        // Before the waiter is resumed, who may look.
        self.discardUpload()
        switch self.state.withLock({ $0.reception.completed(head, error) }) {
        case .ignore: break
        case .succeed(let response, let isHeadNew):
            if isHeadNew { self.context.report(.responseHead(response.head)) }
            self.succeed(response, isHeadNew: isHeadNew, producer)
        case .fail(let error):
            self.fail(error)
        }
    }

    private func succeed(_ response: HTTPResponse, isHeadNew: Bool, _ producer: URLSessionProducer) {
        var response = response
        if let version = self.state.withLock({ $0.version }) {
            var metrics = ExchangeMetrics()
            metrics.httpVersion = version
            response.metrics = metrics
        }
        switch self.place {
        case .memory: self.waiter.resume(.success(response))
        case .stream(let channel):
            channel.end(nil)
            if isHeadNew { self.deliver(response.head, channel, producer) }
        case .file(let file):
            do throws(ErrandError) {
                response.body = .file(try file.finish())
                // A waiter that has left has the file removed.
                self.waiter.resume(.success(response))
            } catch {
                self.fail(error)
            }
        }
    }

    /// Ends the call early, and leaves nothing of its body; does nothing when it has ended.
    ///
    /// Also called before there is a task, from the queue on which the call is prepared, and by the task that reads a
    /// streamed body.
    func fail(_ error: ErrandError) {
        // First the error: what drops the reception would end the stream with another one.
        if case .stream(let channel) = self.place { channel.end(error) }
        self.drop()
        if case .file(let file) = self.place { file.discard() }
        self.discardUpload()
        self.waiter.resume(.failure(error))
    }

    /// Removes what there is of files, because the waiter has left.
    func wipe() {
        if case .file(let file) = self.place { file.discard() }
        self.discardUpload()
        self.end.resume(())
    }

    /// Removes the file that a streamed request body was written into.
    private func discardUpload() {
        let upload = self.state.withLock { $0.upload.take() }
        upload?.discard()
    }
}

extension URLSessionCall: Wakeable {
    /// More may move.
    func wake() {
        let heldBack = self.state.withLock { state in
            defer { state.heldBack = [] }
            return state.heldBack
        }
        guard !heldBack.isEmpty else { return }
        for (count, direction) in heldBack { self.context.gate?.moved(count, direction) }
        self.resume()
    }
}

extension HTTPRequest.Body {
    fileprivate var isStream: Bool {
        if case .stream = self { true } else { false }
    }

    fileprivate var isFileOrStream: Bool {
        if case .file = self { true } else { self.isStream }
    }
}

extension ExchangeContext.BodyDestination {
    fileprivate var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
