internal import ErrandMachines

public import struct Foundation.URL

/// Bytes out, bytes in: performs exactly one HTTP exchange at a time and knows nothing else.
///
/// A transport follows no redirect, and has no cookies, no cache, no credentials and no timeouts of its own: those are
/// Errand's, so that they behave alike over every transport. It retries nothing but what
/// is said below.
///
/// ## What an implementation promises
///
/// - A request goes onto a connection once. It is sent again, within the same exchange, a few times at most and only if its
///   content can be sent from the beginning, where the server has certainly not processed it, because it said so (RFC 9113
///   §6.8, §8.7) or not a byte had left; or where its method is idempotent, and the connection had been kept from an earlier
///   exchange and was closed before a byte of the response came, as servers do with idle connections (RFC 9112 §9.3.1).
///   Otherwise what went onto a connection that is then lost is not sent again. What the server has refused with a status
///   from 400 to 499 may be sent again once, whatever its method, to get a response that the transport could not read.
/// - An error for a request that was certainly not processed says so: ``ErrandError/Context/isUnprocessed``.
/// - What comes on an idle connection with HTTP/1 is the response to no request (RFC 9112 §9.2): such a connection is closed.
/// - Any number of exchanges may be under way at once, started from any task.
/// - When the task that is in ``exchange(_:_:)`` is cancelled, the call ends within milliseconds by throwing
///   ``ErrandError/Code/cancelled``, and lets go of its socket and memory.
/// - Whatever bytes a server sends, the call returns or throws; it never traps and never hangs while bytes arrive.
/// - A body whose coding is taken off, and that ends early or goes on behind its end, ends the call, or the stream, with
///   ``ErrandError/Code/invalidResponse``.
/// - A body larger than the destination's limit ends the call with ``ErrandError/Code/bodyTooLarge`` as soon as the
///   limit is passed.
/// - It reports what is sent and received while that happens, so that ``RequestOptions/Timeout/idle`` ends nothing that
///   moves.
/// - Where bodies can be held back, it asks before bytes of them move:
///   ``ExchangeContext/waitToTransfer(_:_:)``.
/// - What it cannot do, such as a kind of body or destination, it refuses with ``ErrandError/Code/unsupported`` before
///   anything is sent.
public protocol Transport: Sendable {
    /// Sends a request and receives its response.
    ///
    /// - Parameters:
    ///   - request: What to send; its head has been checked for illegal characters.
    ///   - context: Where the body goes, and whom to tell about progress.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``ErrandError`` when there is no complete response.
    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse

    /// What tells answers in a cache apart from those that came over other transports: two with the same partition
    /// reach the same servers, and trust the same ones.
    ///
    /// It is the same in each process, and becomes a part of each ``CacheKey`` as a digest. Without an implementation
    /// it is the name of the type; a transport that wraps another one answers that of the other. Asked for once by each
    /// client that stores answers.
    var cachePartition: String { get }

    /// Ends what is under way with ``ErrandError/Code/clientShutDown`` and lets go of threads and sockets.
    ///
    /// Called at most once by the client that owns the transport; a transport without such things needs no
    /// implementation.
    func shutdown()

    /// Whether every exchange reports ``ExchangeEvent/connected`` as soon as it has a connection; false unless said
    /// otherwise.
    ///
    /// Only then the timeout ``RequestOptions/Timeout/connect`` is kept. A transport that wraps another one says what that says.
    var reportsConnections: Bool { get }

    /// Whether an exchange whose bodies are both in memory gives a handle to stop it, see
    /// ``ExchangeContext/onStop(_:)``; false unless said otherwise.
    ///
    /// Only then it may run in the task that sends the request. Every other exchange is in a task that is cancelled to end
    /// it: that costs more, and a transport has nothing else to see to. Handles come in addition to
    /// cancelling, not instead of it: an exchange that gets a task all the same is ended by that. A transport that wraps
    /// another one says what that says only if it waits for nothing but one exchange of the other, with this context.
    var handlesStops: Bool { get }
}

extension Transport {
    /// The name of the type.
    public var cachePartition: String { String(describing: Self.self) }

    /// Does nothing: there is nothing to let go of.
    public func shutdown() {}

    /// False.
    public var reportsConnections: Bool { false }

    /// False.
    public var handlesStops: Bool { false }
}

extension ExchangeContext {
    /// The destination of a response body.
    public enum BodyDestination: Sendable {
        /// Into memory, up to a limit in bytes.
        case memory(limit: Int)
        /// To the consumer of a stream; the server is held back when so many bytes wait for it.
        ///
        /// A transport says how much more may come then.
        case stream(buffer: Int)
        /// Into a file at this place, which must not exist.
        case file(URL)
    }
}

/// The context of an exchange: all that a transport is told besides the request.
public struct ExchangeContext: Sendable {
    /// The request this exchange belongs to.
    public var requestID: RequestID { self.parts.requestID }
    /// Counts the exchanges of one request, from 1.
    public var attempt: Int { self.parts.attempt }
    /// The destination of the response body.
    public var destination: ExchangeContext.BodyDestination { self.parts.destination }
    /// Whether a file that the body was written into stays when the exchange fails, with what has come until then.
    ///
    /// Otherwise nothing of it is left. Over a transport that does not look at this, an interrupted download begins
    /// again.
    public var keepsPartOfFile: Bool { self.parts.keepsPartOfFile }

    /// What is told first of what moves.
    var watcher: (any ExchangeWatcher)? { self.parts.watcher }
    /// What says whether bytes of bodies may move; `nil` where nothing ever holds them.
    var gate: (any TransferGate)? { self.parts.gate }
    /// Why its request was told to stop; `nil` as long as it was not, and where nobody knows.
    var stopReason: StopReason? { self.parts.host?.stopReason ?? self.parts.stopReason?() }
    /// The longest time that the exchange waits for a connection before a deadline ends it; `nil` where none does.
    ///
    /// A transport ends nothing because of it. It is there to share the time between the addresses of a host.
    var connectLimit: Duration? { self.parts.connectLimit }

    private let parts: Parts

    /// The parts of a context, which never change: one pointer for the tasks that have it.
    private final class Parts: Sendable {
        let requestID: RequestID
        let attempt: Int
        let destination: ExchangeContext.BodyDestination
        let keepsPartOfFile: Bool
        let observer: (@Sendable (ExchangeEvent) -> Void)?
        let watcher: (any ExchangeWatcher)?
        let gate: (any TransferGate)?
        let connectLimit: Duration?
        let stopReason: (@Sendable () -> StopReason?)?
        /// Who stops the exchange through a handle; `nil` where its task is cancelled for that.
        let host: (any StopScope)?

        init(
            _ requestID: RequestID, _ attempt: Int, _ destination: ExchangeContext.BodyDestination,
            _ keepsPartOfFile: Bool,
            _ observer: (@Sendable (ExchangeEvent) -> Void)?, _ watcher: (any ExchangeWatcher)?,
            _ gate: (any TransferGate)?, _ connectLimit: Duration?,
            _ stopReason: (@Sendable () -> StopReason?)?, _ host: (any StopScope)?
        ) {
            self.requestID = requestID
            self.attempt = attempt
            self.destination = destination
            self.keepsPartOfFile = keepsPartOfFile
            self.observer = observer
            self.watcher = watcher
            self.gate = gate
            self.connectLimit = connectLimit
            self.stopReason = stopReason
            self.host = host
        }
    }

    /// Creates a context; without an observer no event is built.
    public init(
        requestID: RequestID, attempt: Int, destination: ExchangeContext.BodyDestination, keepsPartOfFile: Bool = false,
        observer: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) {
        self.init(
            requestID, attempt, destination, keepsPartOfFile, observer, watcher: nil, gate: nil, connectLimit: nil,
            stopReason: nil, host: nil)
    }

    /// The same with someone who watches, with what holds the exchange back, and with who stops it through a handle.
    init(
        _ requestID: RequestID, _ attempt: Int, _ destination: ExchangeContext.BodyDestination, _ keepsPartOfFile: Bool,
        _ observer: (@Sendable (ExchangeEvent) -> Void)?, watcher: (any ExchangeWatcher)?, gate: (any TransferGate)?,
        connectLimit: Duration?, stopReason: (@Sendable () -> StopReason?)?, host: (any StopScope)?
    ) {
        self.parts = Parts(
            requestID, attempt, destination, keepsPartOfFile, observer, watcher, gate, connectLimit, stopReason,
            host)
    }

    /// Says how to end the exchange from anywhere: it is told to end when its request is stopped, at once if that was
    /// before.
    ///
    /// For transports that say so with ``Transport/handlesStops``. The call has to return soon after that, by throwing
    /// ``ErrandError/Code/cancelled``.
    ///
    /// The last handle counts.
    ///
    /// - Parameter stop: Ends it; called at most once, from any thread. That may be shortly after the call has returned,
    ///   and must do nothing then.
    public func onStop(_ stop: @escaping @Sendable () -> Void) {
        self.parts.host?.setPending(StopHandle(stop))
    }

    /// The same for what can be stopped by itself.
    package func onStop(_ pending: any Stoppable) {
        self.parts.host?.setPending(pending)
    }

    /// The same for an exchange that is stopped by cancelling its task.
    var stoppedByTask: ExchangeContext {
        guard self.parts.host != nil else { return self }
        return ExchangeContext(
            self.requestID, self.attempt, self.destination, self.keepsPartOfFile, self.parts.observer,
            watcher: self.watcher, gate: self.gate, connectLimit: self.connectLimit,
            stopReason: self.parts.stopReason, host: nil)
    }

    /// Whether anyone listens to events.
    package var isObserved: Bool { self.parts.observer != nil || self.watcher != nil }

    /// Tells about something that happened; the event is built only when someone listens.
    public func report(_ event: @autoclosure () -> ExchangeEvent) {
        guard self.isObserved else { return }
        let event = event()
        self.watcher?.observe(event)
        self.parts.observer?(event)
    }
}

/// Someone who is told what happens in an exchange, before the observer.
protocol ExchangeWatcher: AnyObject, Sendable {
    func observe(_ event: ExchangeEvent)
    /// Nothing more moves for now, because the request is suspended or its bandwidth used up; or it moves again.
    func noteHeldBack(_ isHeldBack: Bool, _ direction: TransferProgress.Direction)
}

/// A function that ends something.
private final class StopHandle: Stoppable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func stop(_ reason: StopReason) {
        self.action()
    }
}
