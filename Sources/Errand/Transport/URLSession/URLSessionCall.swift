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

    private struct State: ~Copyable {
        var reception: URLSessionReception
        var content: Content
        var task: URLSessionTask?
        var sentCount: Int64 = 0
    }

    /// Whether ``prepare()`` has something to do.
    let needsPreparation: Bool

    private let request: URLRequest
    private let context: ExchangeContext
    private let waiter = Waiter<Result<HTTPResponse, ErrandError>>()
    private let state: Locked<State>

    /// Creates a call.
    ///
    /// - Throws: ``ErrandError`` when the exchange cannot be performed.
    init(_ request: HTTPRequest, _ context: ExchangeContext) throws(ErrandError) {
        guard case .memory(let limit) = context.destination else {
            throw ErrandError(.unsupported, "URLSessionTransport receives bodies into memory only")
        }
        self.request = try URLRequest(request)
        self.context = context
        let content = Self.content(of: request.body)
        self.needsPreparation = if case .file = content { true } else { false }
        self.state = Locked(
            State(reception: URLSessionReception(method: request.method, limit: limit), content: content))
    }

    // MARK: - The waiter's side

    /// Waits for the result, or answers nothing when the waiting task was cancelled.
    func result() async -> Result<HTTPResponse, ErrandError>? {
        await self.waiter.wait()
    }

    /// Lets go of what was received; nothing that comes later is kept.
    func drop() {
        self.state.withLock { $0.reception.drop() }
    }

    // MARK: - Before there is a task

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

    private static func content(of body: HTTPBody) -> Content {
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
        guard let content else { return nil }
        let task: URLSessionTask =
            switch content {
            case .none: session.dataTask(with: self.request)
            case .bytes(let data): session.uploadTask(with: self.request, from: data)
            case .file(let file): session.uploadTask(with: self.request, fromFile: file)
            }
        self.state.withLock { $0.task = task }
        return task
    }

    /// Takes a head, and tells whether the task is to go on.
    func receive(_ head: HTTPResponseHead) -> Bool {
        switch self.state.withLock({ $0.reception.received(head) }) {
        case .ignore: return true
        case .stop: return false
        case .report:
            self.context.report(.responseHead(head))
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
            self.context.report(.received(progress))
            return true
        case .fail(let error):
            self.fail(error)
            return false
        }
    }

    /// Notes that bytes of the request body have been sent.
    func noteSent(_ count: Int64, of total: Int64) {
        let progress: TransferProgress? = self.state.withLock { state in
            state.sentCount += count
            guard !state.reception.isEnded else { return nil }
            return TransferProgress(bytes: state.sentCount, total: total > 0 ? total : nil)
        }
        if let progress { self.context.report(.sent(progress)) }
    }

    /// Notes that the response asks for credentials, so that the task will end as if it had been cancelled.
    func noteChallenge() {
        self.state.withLock { $0.reception.challenged() }
    }

    /// Ends the call because its task has ended.
    func complete(_ head: HTTPResponseHead?, _ error: (any Error)?) {
        switch self.state.withLock({ $0.reception.completed(head, error) }) {
        case .ignore: break
        case .succeed(let response, let isHeadNew):
            if isHeadNew { self.context.report(.responseHead(response.head)) }
            self.waiter.resume(.success(response))
        case .fail(let error):
            self.waiter.resume(.failure(error))
        }
    }

    /// Ends the call early; does nothing when it has ended.
    func fail(_ error: ErrandError) {
        self.drop()
        self.waiter.resume(.failure(error))
    }
}
