internal import Errand
internal import ErrandLocks

internal import class Foundation.Thread

/// A small HTTP/1.1 server on 127.0.0.1 that does to a client what a test tells it to.
///
///     let server = try LoopbackServer()
///     server.route("GET", "/users") { _ in .json(#"{"name":"Ann"}"#) }
///     server.route("GET", "/slow", .text("at last").held(by: gate))
///     …
///     server.stop()
///
/// It has one thread of its own, on which the handlers run. Any thread or task may call any of its members; none
/// blocks, and the ones that wait are asynchronous and leave early when their task is cancelled.
public final class LoopbackServer: Sendable {
    /// The port it listens on.
    public let port: UInt16

    let core: LoopbackCore

    /// Opens a server on a free port, ready for connections when this returns.
    ///
    /// - Parameters:
    ///   - routes: The first routes; more may be added at any time.
    ///   - options: Limits and habits.
    /// - Throws: `LoopbackError` when no socket could be opened.
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

    /// The address of the server's root, with a slash at its end.
    public var baseURL: String { "http://127.0.0.1:\(port)/" }

    // MARK: - Ending

    /// Closes the listening socket and every connection, and ends the thread; does nothing the second time.
    ///
    /// It returns at once, and the server's thread closes everything as soon as the handler it may be in has returned;
    /// `waitUntilStopped()` says when that has happened. Letting go of the server stops it too.
    public func stop() {
        core.mailbox.postStop()
    }

    /// Waits until the server has been stopped and everything it had open is closed.
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

    /// Adds a route behind the others, or puts it in the place of the one with the same method and pattern.
    public func add(_ route: LoopbackRoute) {
        core.routes.withLock { $0.add(route) }
    }

    /// Puts other routes in place of all there are.
    public func replaceRoutes(with routes: [LoopbackRoute] = []) {
        core.routes.withLock { $0 = RouteTable(routes) }
    }

    /// Answers a method and a path as soon as the head of a request is there; see
    /// ``Route/early(_:_:handler:)``.
    public func earlyRoute(_ method: String, _ pattern: String, _ reply: LoopbackReply) {
        add(.early(method, pattern) { _ in reply })
    }

    /// Answers the requests that no route is for; at first they get a 404 that lists the routes.
    public func fallback(_ handler: @escaping LoopbackRoute.Handler) {
        core.fallback.withLock { $0 = LoopbackRoute(where: { _ in true }, handler: handler) }
    }
}
