internal import Errand
internal import ErrandLocks

internal import class Foundation.Thread

/// A small HTTP/1.1 server on 127.0.0.1 that misbehaves on demand, for tests of clients.
///
///     let server = try LoopbackServer()
///     server.route("GET", "/users") { _ in .json(#"{"name":"Ann"}"#) }
///     server.route("GET", "/slow", .text("at last").held(by: gate))
///     …
///     server.stop()
///
/// Its handlers run on a single thread of its own. All members may be called from any thread or task; none blocks, and
/// those that wait are asynchronous and return early when their task is cancelled.
public final class LoopbackServer: Sendable {
    /// The port on which it listens.
    public let port: UInt16

    let core: LoopbackCore

    /// Starts a server on a free port, which accepts connections when this returns.
    ///
    /// - Parameters:
    ///   - routes: The initial routes; more can be added at any time.
    ///   - options: Limits and behavior.
    /// - Throws: `LoopbackError` if no socket could be opened.
    public init(routes: [LoopbackRoute] = [], options: LoopbackOptions = LoopbackOptions()) throws(LoopbackError) {
        let core = try LoopbackCore(options: options, routes: routes)
        let (listener, port) = try LoopbackSystem.openListener()
        self.core = core
        self.port = port
        let thread = Thread { Self.serve(core, listener) }
        thread.name = "loopback server \(port)"
        thread.start()
    }

    deinit {
        stop()
    }

    /// The URL of the server's root, with a slash at its end.
    public var baseURL: String { "http://127.0.0.1:\(port)/" }

    // MARK: - Ending

    /// Closes the listening socket and every connection, and ends the thread; idempotent.
    ///
    /// It returns at once, and the server's thread closes everything as soon as a running handler has returned;
    /// `waitUntilStopped()` waits for that. Releasing the server stops it too.
    public func stop() {
        core.mailbox.postStop()
    }

    /// Waits until the server has been stopped and all its sockets are closed.
    ///
    /// - Returns: `false` if the waiting task was cancelled first.
    @discardableResult
    public func waitUntilStopped() async -> Bool {
        await core.end.wait(for: 1)
    }

    private static func serve(_ core: LoopbackCore, _ listener: Int32) {
        do {
            var loop = LoopbackLoop(core: core, listener: listener)
            loop.run()
        }
        core.record.finish()
        core.end.advance()
    }
}

// MARK: - Routing

extension LoopbackServer: Routing {
    /// A 200 without content.
    public static var emptyReply: LoopbackReply { .status(200) }

    /// Appends a route, or replaces the one with the same method and pattern.
    public func add(_ route: LoopbackRoute) {
        core.routes.withLock { $0.add(route) }
    }

    /// Replaces all routes.
    public func replaceRoutes(with routes: [LoopbackRoute] = []) {
        core.routes.withLock { $0 = RouteTable(routes) }
    }

    /// Responds to a method and a path as soon as the head of a request has arrived; see ``Route/early(_:_:handler:)``.
    public func earlyRoute(_ method: String, _ pattern: String, _ reply: LoopbackReply) {
        add(.early(method, pattern) { _ in reply })
    }

    /// Sets the handler for requests that match no route, which otherwise get a 404 that lists the routes.
    public func fallback(_ handler: @escaping LoopbackRoute.Handler) {
        core.fallback.withLock { $0 = LoopbackRoute(where: { _ in true }, handler: handler) }
    }
}
