#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import ErrandLocks
    internal import Foundation

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// An exchange: connects the waiting task with the URLSession task that performs it.
    ///
    /// Its progress is a ``URLSessionReception``, which every event advances under the lock; observers are called and the
    /// waiter is resumed outside the lock. All events of a task come from one serial queue, so they keep their order.
    final class URLSessionCall: Sendable {
        /// The content of the request.
        private enum Content {
            case none
            case bytes(Data)
            case file(URL)
        }

        /// The destination of the response body.
        private enum Destination {
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
            /// The file of a streamed request body.
            var upload: URLSessionUpload?
            var task: URLSessionTask?
            var sentCount: Int64 = 0
            var version: ExchangeMetrics.HTTPVersion?
            /// The number of pauses less resumptions: the task is suspended unless it is 0.
            var pauseCount = 0
            /// Bytes received before they were admitted, counted as one pause.
            var heldBack: [(count: Int, direction: TransferProgress.Direction)] = []
        }

        /// True if ``prepare()`` has work to do.
        let needsPreparation: Bool

        private let request: URLRequest
        private let context: ExchangeContext
        private let streaming: URLSessionStreaming
        private let place: Destination
        /// True if ``wipe()`` may have a file to remove.
        private let hasFile: Bool
        private let waiter = Waiter<Result<HTTPResponse, ErrandError>>()
        private let end = Waiter<Void>()
        private let state: Locked<State>

        /// Creates a call.
        ///
        /// - Throws: ``ErrandError`` if the exchange cannot be performed.
        init(
            _ request: HTTPRequest, _ context: ExchangeContext, _ streaming: URLSessionStreaming
        ) throws(ErrandError) {
            try streaming.check(context.destination)
            self.request = try URLRequest(request)
            self.context = context
            self.streaming = streaming
            self.place = Destination(context)
            let limit: Int? = if case .memory(let limit) = context.destination { limit } else { nil }
            self.needsPreparation = request.body.isFileOrStream
            self.hasFile = context.destination.isFile || request.body.isStream
            self.state = Locked(
                State(
                    reception: URLSessionReception(method: request.method, limit: limit),
                    content: Self.content(of: request.body)))
        }

        // MARK: - The waiter's side

        /// Waits for the result, or returns `nil` if the waiting task was cancelled.
        func result() async -> Result<HTTPResponse, ErrandError>? {
            await self.waiter.wait()
        }

        /// Waits until the files of the bodies are removed, once ``wipe()`` is certain to be called.
        ///
        /// The delegate queue does it next; memory is already freed.
        func waitForEnd() async {
            guard self.hasFile else { return }
            _ = await self.end.waitThroughCancellation()
        }

        /// Discards received bytes, also later ones.
        ///
        /// A stream ends. A file may be in use, and is removed by ``wipe()``.
        func drop() {
            self.state.withLock { $0.reception.drop() }
            if case .stream(let channel) = self.place { channel.end(.cancelled()) }
        }

        // MARK: - Before there is a task

        /// Takes the file of a streamed body, and returns true if it is still to be sent.
        func take(_ upload: URLSessionUpload) -> Bool {
            self.state.withLock { state in
                guard !state.reception.isEnded else { return false }
                state.content = .file(upload.url)
                state.upload = upload
                return true
            }
        }

        /// Checks that the file of the body is readable; may block while reading it.
        func prepare() {
            guard case .file(let file) = self.state.withLock({ $0.reception.isEnded ? .none : $0.content }) else {
                return
            }
            do {
                let content = try Self.opened(file)
                self.state.withLock { $0.content = content }
            } catch {
                self.fail(
                    ErrandError(.encodingFailed, "the file of the body cannot be read: \(file.path)", cause: error))
            }
        }

        private static func opened(_ file: URL) throws -> Content {
            guard file.isFileURL, try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                throw CocoaError(.fileReadUnknown)
            }
            #if canImport(FoundationNetworking)
                // On this platform, a task that reads a file while sending cannot always be cancelled, but one with bytes
                // can.
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

        /// The URLSession task, once there is one.
        var task: URLSessionTask? {
            self.state.withLock { $0.task }
        }

        /// Creates the task, unless the call has ended.
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

        /// Creates the destination file, and returns true if the exchange can start.
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

        /// Handles a head, and returns true if the task is to continue; a stream is delivered with it.
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

        /// Handles a piece of the body, and returns true if the task is to continue.
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

        /// Passes a piece of the body to its destination other than memory, and returns true if the task is to continue.
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
            // If the waiter has left, the stream is released here, which is only another cancellation.
            self.waiter.resume(.success(HTTPResponse(head: head, body: .stream(channel.stream(of: producer)))))
        }

        /// Suspends the task after a piece in either direction if no more is admitted yet.
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
            // It may have been woken before the pause was recorded.
            if self.context.mayTransfer(count, direction, waking: self) { self.wake() }
        }

        /// Suspends the task, because its stream is full or no more bytes are admitted.
        private func pause() {
            let task: URLSessionTask? = self.state.withLock { state in
                state.pauseCount += 1
                return state.pauseCount == 1 ? state.task : nil
            }
            if self.streaming == .heldBack { task?.suspend() }
        }

        /// Resumes the task, because its stream has room or more bytes are admitted; the stream may be full again.
        func resume() {
            let task: URLSessionTask? = self.state.withLock { state in
                state.pauseCount -= 1
                return state.pauseCount == 0 ? state.task : nil
            }
            if self.streaming == .heldBack { task?.resume() }
        }

        /// Records sent bytes of the request body.
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

        /// Records the HTTP version, before the call ends.
        func noteVersion(_ version: ExchangeMetrics.HTTPVersion) {
            self.state.withLock { $0.version = version }
        }

        /// Records that the response asks for credentials, so the task will end as if it had been cancelled.
        func noteChallenge() {
            self.state.withLock { $0.reception.challenged() }
        }

        /// Handles the end of the task.
        func complete(_ head: HTTPResponse.Head?, _ error: (any Error)?, from producer: URLSessionProducer) {
            // Before the waiter is resumed, which may check for the file.
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
                    // If the waiter has left, it has the file removed.
                    self.waiter.resume(.success(response))
                } catch {
                    self.fail(error)
                }
            }
        }

        /// Ends the call early, and removes its body; has no effect on a finished call.
        ///
        /// Also called before there is a task, from the queue that prepares the call, and by the task that reads a streamed
        /// body.
        func fail(_ error: ErrandError) {
            // The error first: dropping the reception would end the stream with another one.
            if case .stream(let channel) = self.place { channel.end(error) }
            self.drop()
            if case .file(let file) = self.place { file.discard() }
            self.discardUpload()
            self.waiter.resume(.failure(error))
        }

        /// Removes the files, because the waiter has left.
        func wipe() {
            if case .file(let file) = self.place { file.discard() }
            self.discardUpload()
            self.end.resume(())
        }

        /// Removes the file of a streamed request body.
        private func discardUpload() {
            let upload = self.state.withLock { $0.upload.take() }
            upload?.discard()
        }
    }

    extension URLSessionCall: Wakeable {
        /// Resumes, because more bytes are admitted.
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
#endif
