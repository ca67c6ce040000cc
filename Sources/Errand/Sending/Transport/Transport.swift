internal import ErrandMachines

public import struct Foundation.URL

/// Performs HTTP exchanges: sends a request and receives its response.
///
/// A transport follows no redirects, and has no cookies, cache, credentials or timeouts of its own: Errand implements
/// these, so that they behave the same over every transport. It retries only as described below.
///
/// ## Requirements for implementations
///
/// - A request is sent on a connection once. Within the same exchange it may be sent again only a few times, and only
///   if its content can be sent from the start, in two cases: the server has certainly not processed it, because it
///   said so (RFC 9113 §6.8, §8.7) or no byte had been sent; or the method is idempotent, and a reused connection was
///   closed before a byte of the response arrived, as servers do with idle connections (RFC 9112 §9.3.1). Otherwise, a
///   request on a lost connection is not sent again. A request that the server rejected with a status from 400 to 499
///   may be sent once more, whatever its method, to get a response that the transport could not read.
/// - An error for a request that was certainly not processed says so: ``ErrandError/Context/isUnprocessed``.
/// - Data that arrives on an idle HTTP/1 connection is not a response to any request (RFC 9112 §9.2): such a connection
///   is closed.
/// - Any number of exchanges may be in flight at once, started from any task.
/// - If the task that called ``exchange(_:_:)`` is cancelled, the call throws ``ErrandError/Code/cancelled`` within
///   milliseconds, and releases its socket and memory.
/// - Whatever bytes a server sends, the call returns or throws; it never traps and never hangs while bytes arrive.
/// - If the content coding of a body is decoded, and the body ends early or continues after its end, the call or the
///   stream ends with ``ErrandError/Code/invalidResponse``.
/// - A body larger than the destination's limit ends the call with ``ErrandError/Code/bodyTooLarge`` as soon as the
///   limit is exceeded.
/// - Sent and received bytes are reported as they are transferred, so that ``RequestOptions/Timeout/idle`` does not end
///   an active transfer.
/// - If the transport supports holding back bodies, it calls ``ExchangeContext/waitToTransfer(_:_:)`` before it
///   transfers their bytes.
/// - Unsupported requests, such as those with a certain kind of body or destination, are rejected with
///   ``ErrandError/Code/unsupported`` before they are sent.
public protocol Transport: Sendable {
    /// Sends a request and receives its response.
    ///
    /// - Parameters:
    ///   - request: The request; its head has been checked for invalid characters.
    ///   - context: The destination of the body, and the observer of progress.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``ErrandError`` if there is no complete response.
    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse

    /// A value that separates cached responses by transport; transports with the same partition reach and trust the
    /// same servers.
    ///
    /// It must be the same in each process; its digest is part of each ``CacheKey``. Defaults to the name of the type.
    /// A transport that wraps another one returns the other's value. It is read once by each client that stores
    /// responses.
    var cachePartition: String { get }

    /// Ends all exchanges with ``ErrandError/Code/clientShutDown`` and releases threads and sockets.
    ///
    /// Called at most once, by the client that owns the transport. A transport without such resources needs no
    /// implementation.
    func shutdown()

    /// A Boolean value that indicates whether every exchange reports ``ExchangeEvent/connected`` as soon as it has a
    /// connection; false by default.
    ///
    /// The timeout ``RequestOptions/Timeout/connect`` applies only if it is true. A transport that wraps another one
    /// returns the other's value.
    var reportsConnections: Bool { get }

    /// A Boolean value that indicates whether exchanges with both bodies in memory support stop handles, see
    /// ``ExchangeContext/onStop(_:)``; false by default.
    ///
    /// If true, such an exchange may run in the task that sends the request. Every other exchange runs in a task that
    /// is cancelled to end it, which costs more but requires no support from the transport. Handles complement
    /// cancellation, and do not replace it: an exchange that runs in its own task is still ended by cancelling that. A
    /// transport that wraps another one returns the other's value only if it waits for nothing but one exchange of the
    /// other, with this context.
    var handlesStops: Bool { get }
}

extension Transport {
    /// The name of the type.
    public var cachePartition: String { String(describing: Self.self) }

    /// Does nothing; a transport without resources needs no shutdown.
    public func shutdown() {}

    /// Defaults to false.
    public var reportsConnections: Bool { false }

    /// Defaults to false.
    public var handlesStops: Bool { false }
}

extension ExchangeContext {
    /// The destination of a response body.
    public enum BodyDestination: Sendable {
        /// Memory, up to a limit in bytes.
        case memory(limit: Int)
        /// A stream; the server is held back while the given number of bytes is unread.
        ///
        /// Each transport documents how many more bytes may still arrive.
        case stream(buffer: Int)
        /// A file at the given URL, which must not exist.
        case file(URL)
    }
}

/// The context of an exchange: all information for a transport besides the request.
public struct ExchangeContext: Sendable {
    /// The id of the request that the exchange belongs to.
    public var requestID: RequestID { self.parts.requestID }
    /// The number of the exchange within the request, from 1.
    public var attempt: Int { self.parts.attempt }
    /// The destination of the response body.
    public var destination: ExchangeContext.BodyDestination { self.parts.destination }
    /// A Boolean value that indicates whether the file of a failed exchange is kept, with the bytes received so far.
    ///
    /// Otherwise the file is removed. With a transport that ignores this, an interrupted download starts again.
    public var keepsPartOfFile: Bool { self.parts.keepsPartOfFile }

    /// The watcher, notified of transfers before the observer.
    var watcher: (any ExchangeWatcher)? { self.parts.watcher }
    /// The gate that controls body transfers; `nil` if they are never held back.
    var gate: (any TransferGate)? { self.parts.gate }
    /// The reason for which the request was stopped; `nil` if it was not, or if that is unknown.
    var stopReason: StopReason? { self.parts.host?.stopReason ?? self.parts.stopReason?() }
    /// The remaining connect timeout; `nil` if there is none.
    ///
    /// A transport does not enforce it, but uses it to divide the time between a host's addresses.
    var connectLimit: Duration? { self.parts.connectLimit }

    private let parts: Parts

    /// The immutable parts of a context, in one reference.
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
        /// The scope that stops the exchange through a handle; `nil` if its task is cancelled instead.
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

    /// Creates a context.
    ///
    /// Without an observer, no events are built.
    public init(
        requestID: RequestID, attempt: Int, destination: ExchangeContext.BodyDestination, keepsPartOfFile: Bool = false,
        observer: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) {
        self.init(
            requestID, attempt, destination, keepsPartOfFile, observer, watcher: nil, gate: nil, connectLimit: nil,
            stopReason: nil, host: nil)
    }

    /// Creates a context with a watcher, a gate, and a scope that stops the exchange through a handle.
    init(
        _ requestID: RequestID, _ attempt: Int, _ destination: ExchangeContext.BodyDestination, _ keepsPartOfFile: Bool,
        _ observer: (@Sendable (ExchangeEvent) -> Void)?, watcher: (any ExchangeWatcher)?, gate: (any TransferGate)?,
        connectLimit: Duration?, stopReason: (@Sendable () -> StopReason?)?, host: (any StopScope)?
    ) {
        self.parts = Parts(
            requestID, attempt, destination, keepsPartOfFile, observer, watcher, gate, connectLimit, stopReason,
            host)
    }

    /// Registers a handle that ends the exchange when its request is stopped, or at once if that has happened.
    ///
    /// For transports with ``Transport/handlesStops``. The call must then return soon, by throwing
    /// ``ErrandError/Code/cancelled``.
    ///
    /// A later handle replaces an earlier one.
    ///
    /// - Parameter stop: Ends the exchange. Called at most once, on any thread; if it is called shortly after the
    ///   exchange has returned, it must have no effect.
    public func onStop(_ stop: @escaping @Sendable () -> Void) {
        self.parts.host?.setPending(StopHandle(stop))
    }

    /// Registers an object that can be stopped.
    package func onStop(_ pending: any Stoppable) {
        self.parts.host?.setPending(pending)
    }

    /// The context for an exchange that is stopped by cancelling its task.
    var stoppedByTask: ExchangeContext {
        guard self.parts.host != nil else { return self }
        return ExchangeContext(
            self.requestID, self.attempt, self.destination, self.keepsPartOfFile, self.parts.observer,
            watcher: self.watcher, gate: self.gate, connectLimit: self.connectLimit,
            stopReason: self.parts.stopReason, host: nil)
    }

    /// True if there is an observer or a watcher.
    package var isObserved: Bool { self.parts.observer != nil || self.watcher != nil }

    /// Reports an event, which is built only if it is observed.
    public func report(_ event: @autoclosure () -> ExchangeEvent) {
        guard self.isObserved else { return }
        let event = event()
        self.watcher?.observe(event)
        self.parts.observer?(event)
    }
}

/// A watcher that is notified of an exchange's events before the observer.
protocol ExchangeWatcher: AnyObject, Sendable {
    func observe(_ event: ExchangeEvent)
    /// Reports that a transfer is held back, because the request is suspended or its bandwidth used up, or that it
    /// continues.
    func noteHeldBack(_ isHeldBack: Bool, _ direction: TransferProgress.Direction)
}

/// A stop handle that calls a function.
private final class StopHandle: Stoppable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func stop(_ reason: StopReason) {
        self.action()
    }
}
